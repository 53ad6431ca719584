import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { type TestContext, test } from 'node:test';
import { ApiError } from '#api/http/api-error.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import { PiscinaPasswordHasher } from '#workers/tasks/piscina-password-hasher.ts';

function hasherFor(
  t: TestContext,
  waitingMax?: number,
  clock?: Pick<TimerClock, 'nowMs' | 'schedule'>,
): PiscinaPasswordHasher {
  const hasher = new PiscinaPasswordHasher(waitingMax, clock);
  t.after(() => hasher.close());
  // Keeps the process alive: a test must not end just because no work is left.
  const timer = setInterval(() => {}, 1_000);
  t.after(() => clearInterval(timer));
  return hasher;
}

const awaited = () => true;

/** The priorities of this process's threads: the higher the number, the less they get of a busy core. */
function priorities(): number[] {
  return readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
}

test('hashes of another thread verify, and without a hash no password matches', async (t) => {
  const hasher = hasherFor(t);
  const hash = await hasher.hash('a password', awaited);
  assert.equal(await hasher.verify(hash, 'a password', awaited), true);
  assert.equal(await hasher.verify(hash, 'a passwore', awaited), false);
  assert.equal(await hasher.verify(null, 'a password', awaited), false);
});

test('only the thread that hashes yields to all others', { skip: process.platform !== 'linux' }, async (t) => {
  await hasherFor(t).hash('a password', awaited);
  const own = getPriority();
  const lowest = constants.priority.PRIORITY_LOW;
  const others = priorities().filter((priority) => priority !== own);
  assert.deepEqual(others, own === lowest ? [] : [lowest]);
});

test('hashes wait in a queue, first come, first served, and a full queue is 503 unavailable', async (t) => {
  const hasher = hasherFor(t, 4);
  const ended: number[] = [];
  const all = Array.from({ length: 5 }, (_, i) => hasher.verify(null, 'a password', awaited).then(() => ended.push(i)));
  await assert.rejects(
    hasher.hash('a password', awaited),
    (error) => error instanceof ApiError && error.code === 'unavailable' && error.headers['retry-after'] === '1',
  );
  await Promise.all(all);
  assert.deepEqual(ended, [0, 1, 2, 3, 4]);
  assert.equal(await hasher.verify(null, 'a password', awaited), false, 'the queue has room again');
});

test('while hashes wait, the thread rests after each for as long as it took; a hash alone is followed by no rest', async (t) => {
  let nowMs = 0;
  const restsMs: number[] = [];
  const hasher = hasherFor(t, undefined, {
    nowMs: () => (nowMs += 7),
    schedule: (delayMs, callback) => {
      restsMs.push(delayMs);
      callback();
      return () => {};
    },
  });
  await hasher.verify(null, 'a password', awaited);
  await hasher.verify(null, 'a password', awaited);
  assert.deepEqual(restsMs, []);
  await Promise.all([1, 2, 3].map(() => hasher.verify(null, 'a password', awaited)));
  assert.deepEqual(restsMs, [7, 7]);
});

test('a hash that nobody awaits at its turn is not computed, and is followed by no rest', async (t) => {
  const restsMs: number[] = [];
  const hasher = hasherFor(t, undefined, {
    nowMs: () => 0,
    schedule: (delayMs, callback) => {
      restsMs.push(delayMs);
      callback();
      return () => {};
    },
  });
  let isAwaited = true;
  const first = hasher.verify(null, 'a password', awaited);
  const abandoned = hasher.hash('a password', () => isAwaited);
  const last = hasher.verify(null, 'a password', awaited);
  isAwaited = false;
  const refused = assert.rejects(abandoned, (error) => error instanceof ApiError && error.code === 'unavailable');
  assert.deepEqual(await Promise.all([first, last]), [false, false]);
  await refused;
  assert.equal(restsMs.length, 1);
});

test('what nobody awaits any more takes no place in a full queue', async (t) => {
  const hasher = hasherFor(t, 2);
  let isAwaited = true;
  const first = hasher.verify(null, 'a password', awaited);
  const abandoned = [1, 2].map(() => hasher.verify(null, 'a password', () => isAwaited));
  const refused = Promise.all(abandoned.map((hash) => assert.rejects(hash, ApiError)));
  isAwaited = false;
  const further = [1, 2].map(() => hasher.verify(null, 'a password', awaited));
  await refused;
  await assert.rejects(
    hasher.verify(null, 'a password', awaited),
    ApiError,
    'the queue is full of those that are awaited',
  );
  assert.deepEqual(await Promise.all([first, ...further]), [false, false, false]);
});
