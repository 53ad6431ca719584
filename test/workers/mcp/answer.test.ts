import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MCP_ANSWER_CHARS_MAX, MCP_LEFT_OUT_MAX } from '#engine/base/limits.ts';
import { answerOf } from '#workers/mcp/answer.ts';

test('MC1: of many places that are left out the first are listed, and the others counted', () => {
  const lists = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`list${index}`, Array(500).fill(index)]));
  const answer = answerOf(lists, {}, []);
  assert.equal(answer.leftOut!.length, MCP_LEFT_OUT_MAX);
  assert.match(answer.next!, / 40 more places are left out and not listed\.$/);
  assert.deepEqual(answerOf(lists, { at: '/list7', from: 499 }, []), { data: [7] });
});

test('MC1: names of any length leave the answer in its bound', () => {
  const name = (index: number) => `${index}"\\~/`.repeat(50);
  const lists = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [name(index), Array(9_000).fill(index)]));
  const answer = answerOf({ lists }, {}, []);
  assert.ok(JSON.stringify(answer).length <= MCP_ANSWER_CHARS_MAX);
  assert.deepEqual(answer.leftOut, []);
  assert.match(answer.next!, /30 more places/);
});
