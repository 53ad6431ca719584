// Calls of tools without a service: tools of the test stand in the box.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SlipstreamClient, SlipstreamError } from '#api/client/slipstream-client.ts';
import { MCP_CALLS_MAX } from '#engine/base/limits.ts';
import { readingTool, type Tool, writingTool } from '#workers/mcp/tool.ts';
import { ToolBox } from '#workers/mcp/tool-box.ts';
import { failureOf } from '#workers/mcp/tool-failure.ts';
import { TOOLS } from '#workers/mcp/tools.ts';

const SECRET = 'a-secret-of-this-test';
const NEVER = new AbortController().signal;

function boxOf(run: Tool['run'], toolOf: typeof readingTool | typeof writingTool = readingTool) {
  const lines: string[] = [];
  const client = new SlipstreamClient({ baseUrl: 'http://127.0.0.1:1/v1', clientId: 'cli_1', clientSecret: SECRET });
  const words = { name: 'a_tool', title: 'A tool', description: 'Does it.' };
  const tool = toolOf({ ...words, operations: [], destructive: false, idempotent: false, input: {}, run });
  const report = (line: string) => void lines.push(line);
  return { box: new ToolBox({ tools: [tool], client, write: true, secrets: [SECRET], report }), lines };
}

test(`of more than ${MCP_CALLS_MAX} calls at once the others are refused, and a later one is not`, async () => {
  const waiting: (() => void)[] = [];
  const { box } = boxOf(() => new Promise((resolve) => waiting.push(() => resolve({}))));
  const calls = Array.from({ length: MCP_CALLS_MAX }, () => box.call('a_tool', {}, NEVER));
  const surplus = await box.call('a_tool', {}, NEVER);
  assert.ok(surplus.kind === 'failed' && surplus.failure.code === 'busy');
  for (const finish of waiting.splice(0)) finish();
  assert.ok((await Promise.all(calls)).every(({ kind }) => kind === 'answered'));
  const later = box.call('a_tool', {}, NEVER);
  waiting[0]!();
  assert.equal((await later).kind, 'answered');
});

test('a fault of our own is reported in the log, and the assistant learns nothing of it', async () => {
  const { box, lines } = boxOf(() => Promise.reject(new Error('the inside of it')));
  const outcome = await box.call('a_tool', {}, NEVER);
  assert.ok(outcome.kind === 'failed' && outcome.failure.code === 'internal_error');
  assert.doesNotMatch(JSON.stringify(outcome), /inside/);
  assert.match(lines.join(), /^a_tool: Error: the inside of it/);
});

test('a call that was cancelled is not a fault', async () => {
  const { box, lines } = boxOf((_input, { signal }) => Promise.reject(signal.reason));
  await box.call('a_tool', {}, AbortSignal.abort());
  assert.deepEqual(lines, []);
});

test('MC1: a long answer of a tool that writes does not invite another call of it', async () => {
  const long = Array.from({ length: 10_000 }, (_, index) => index);
  for (const [toolOf, next] of [
    [readingTool, /^Call again/],
    [writingTool, /^It is done\./],
  ] as const) {
    const outcome = await boxOf(async () => long, toolOf).box.call('a_tool', {}, NEVER);
    assert.ok(outcome.kind === 'answered');
    assert.match(outcome.answer.next!, next);
  }
});

test('MC2: a failure has no secret either', async () => {
  const message = `${SECRET} and whsec_AAAAAAAAAAAAAAAAAAAAAAAA`;
  const { box } = boxOf(() => Promise.reject(new SlipstreamError({ status: 400, code: 'invalid_body', message })));
  const outcome = await box.call('a_tool', {}, NEVER);
  assert.ok(outcome.kind === 'failed');
  assert.equal(outcome.failure.message, '[not shown] and [not shown]');
});

test('a failure says what to do next, in terms of the tools that there are', () => {
  const failure = (status: number, code: string, message: string, retryAfterS: number | null = null) =>
    failureOf(new SlipstreamError({ status, code, message, requestId: 'r1', retryAfterS }), TOOLS);
  assert.deepEqual(
    failure(409, 'preparing', 'poll GET /v1/simulate/status, PATCH /v1/webhooks/{webhookId} or GET /v1/x.'),
    {
      code: 'preparing',
      message: 'poll get_preparation, change_webhook or GET /v1/x.',
      next: 'Do what the message says first, then call again.',
      status: 409,
      requestId: 'r1',
    },
  );
  assert.equal(failure(503, 'unavailable', '', 5).next, 'Call again in 5 seconds.');
  assert.match(failure(402, 'plan_limit_reached', '').next, /plan/);
  assert.match(failure(500, 'internal_error', '').next, /requestId/);
  assert.match(failure(418, 'teapot', '').next, /^Call again shortly/);
  const timeout = failureOf(new DOMException('late', 'TimeoutError'), TOOLS);
  assert.deepEqual([timeout.code, timeout.message], ['timeout', 'The service did not answer in time.']);
  assert.match(timeout.next, /look first whether it was done/);
});
