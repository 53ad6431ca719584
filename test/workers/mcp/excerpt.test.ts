import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Excerpt, excerptOf, type LeftOut } from '#workers/mcp/excerpt.ts';

const charsOf = ({ data }: Excerpt): number => JSON.stringify(data).length;

test('MC1: what fits is shown whole', () => {
  const answer = { a: [1, 2], b: { c: 'text' } };
  assert.deepEqual(excerptOf(answer, {}, 100), { data: answer, leftOut: [] });
});

test('MC1: of a list the first items are shown whole, and the rest is left out', () => {
  const items = Array.from({ length: 100 }, (_, index) => ({ index, text: 'x'.repeat(10) }));
  const { data, leftOut } = excerptOf({ total: 100, items }, {}, 500);
  const shown = (data as { items: unknown[] }).items;
  assert.deepEqual(shown, items.slice(0, shown.length));
  assert.deepEqual(leftOut, [{ at: '/items', from: shown.length, of: 100 }]);
  assert.ok(shown.length > 10);
});

test('MC1: small fields are whole beside a long one, and a long text is cut', () => {
  const body = 'y'.repeat(5_000);
  const excerpt = excerptOf({ id: 'log_1', request: { url: 'https://example.org', body } }, {}, 1_000);
  const { id, request } = excerpt.data as { id: string; request: { url: string; body: string } };
  assert.deepEqual([id, request.url], ['log_1', 'https://example.org']);
  assert.deepEqual(excerpt.leftOut, [{ at: '/request/body', from: request.body.length, of: 5_000 }]);
  assert.ok(charsOf(excerpt) > 900 && charsOf(excerpt) <= 1_000);
});

test('MC1: an item that would take most of the room is shown in part', () => {
  const large = { drivers: Array.from({ length: 50 }, (_, number) => ({ number })) };
  const { data, leftOut } = excerptOf([{ lap: 1 }, large, { lap: 2 }], {}, 300);
  assert.equal((data as unknown[]).length, 2);
  assert.deepEqual(
    leftOut.map(({ at, of }) => [at, of]),
    [
      ['/1/drivers', 50],
      ['', 3],
    ],
  );
});

test('MC1: with at and from of what is left out, a caller reads everything exactly once', () => {
  const answer = {
    states: Array.from({ length: 8 }, (_, feed) => ({
      feed: `feed/${feed}`,
      note: `${feed}~"é`.repeat(200),
      drivers: Array.from({ length: 30 }, (_, number) => ({ number, name: `driver ${number}` })),
    })),
  };
  const seen: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string' || typeof value === 'number') seen.push(String(value));
    else for (const one of Object.values(value as object)) collect(one);
  };
  const open: LeftOut[] = [{ at: '', from: 0, of: 0 }];
  let calls = 0;
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const excerpt = excerptOf(answer, next, 600);
    assert.ok(charsOf(excerpt) <= 600, `${charsOf(excerpt)} characters`);
    collect(excerpt.data);
    // A pointer of an answer to a call with `at` is one of the whole answer, so it can be used as it is.
    open.push(...excerpt.leftOut);
    assert.ok(++calls < 200);
  }
  const drivers = seen.filter((text) => text.startsWith('driver '));
  assert.equal(drivers.length, 8 * 30);
  assert.equal(seen.filter((text) => text.startsWith('feed/')).length, 8);
  const notes = seen.filter((text) => /[~"é]/.test(text));
  assert.equal(notes.join('').length, 8 * 200 * 4);
});

test('MC1: however an answer is made, the excerpt has its bound', () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field ${index}`, index]));
  let deep: unknown = 'x'.repeat(1_000);
  for (let level = 0; level < 200; level++) deep = level % 2 === 0 ? [deep, deep] : { deep };
  const wide = Array.from({ length: 100 }, () => [[['\u0001'.repeat(400)]]]);
  for (const answer of [many, wide, 'é"\n'.repeat(9_000), { many, wide }]) {
    const excerpt = excerptOf(answer, {}, 2_000);
    assert.ok(charsOf(excerpt) <= 2_000);
    assert.ok(excerpt.leftOut.length > 0);
  }
});

test('a part that does not exist is refused, and the refusal names the argument', () => {
  const answer = { 'a/b': [{ '~': 'text' }] };
  assert.equal(excerptOf(answer, { at: '/a~1b/0/~0' }, 100).data, 'text');
  for (const [part, message] of [
    [{ at: 'a' }, /^at must begin with \/$/],
    [{ at: '/a~1b/1' }, /^at: the answer has no "1" there$/],
    [{ at: '/constructor' }, /^at: the answer has no "constructor" there$/],
    [{ at: '/a~1b', from: 1 }, /^from must be less than 1 here$/],
  ] as const) {
    assert.throws(() => excerptOf(answer, part, 100), { code: 'invalid_arguments', message });
  }
});
