import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { type TestContext, test } from 'node:test';
import type { HashAsker } from '#api/accounts/password-hasher.ts';
import { ApiError } from '#api/http/api-error.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import { HASH_REST_MS_MAX } from '#engine/base/limits.ts';
import { PiscinaPasswordHasher } from '#workers/tasks/piscina-password-hasher.ts';

function hasherFor(
  t: TestContext,
  waitingMax?: number,
  clock: Pick<TimerClock, 'nowMs' | 'schedule'> = restless().clock,
): PiscinaPasswordHasher {
  const hasher = new PiscinaPasswordHasher(waitingMax, clock);
  t.after(() => hasher.close());
  // Keeps the process alive: a test must not end just because no work is left.
  const timer = setInterval(() => {}, 1_000);
  t.after(() => clearInterval(timer));
  return hasher;
}

/** A clock on which a hash takes so long, and a rest no time. */
function restless(hashMs = 0) {
  let nowMs = 0;
  const restsMs: number[] = [];
  const clock: Pick<TimerClock, 'nowMs' | 'schedule'> = {
    nowMs: () => (nowMs += hashMs),
    schedule: (delayMs, callback) => {
      restsMs.push(delayMs);
      callback();
      return () => {};
    },
  };
  return { clock, restsMs };
}

const from = (network: string, isAwaited = () => true): HashAsker => ({ network, isAwaited });
const asker = from('192.0.2');

/** Asks for a hash for each name, of the network that is its first letter. Records the names in the order of their end. */
function recorded(hasher: PiscinaPasswordHasher) {
  const hashed: string[] = [];
  const refused: string[] = [];
  const ask = (name: string): Promise<unknown> =>
    hasher.hash('a password', from(name[0]!)).then(
      () => hashed.push(name),
      (error) => {
        assert.ok(error instanceof ApiError && error.code === 'unavailable' && error.headers['retry-after'] === '1');
        refused.push(name);
      },
    );
  return { hashed, refused, ask };
}

/** The priorities of this process's threads: the higher the number, the less they get of a busy core. */
function priorities(): number[] {
  return readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
}

test('hashes of another thread verify, and without a hash no password matches', async (t) => {
  const hasher = hasherFor(t);
  const hash = await hasher.hash('a password', asker);
  assert.deepEqual(await hasher.verify([hash, null], 'a password', asker), [true, false]);
  assert.deepEqual(await hasher.verify([null, hash], 'a passwore', asker), [false, false]);
});

test('only the thread that hashes yields to all others', { skip: process.platform !== 'linux' }, async (t) => {
  await hasherFor(t).hash('a password', asker);
  const own = getPriority();
  const lowest = constants.priority.PRIORITY_LOW;
  const others = priorities().filter((priority) => priority !== own);
  assert.deepEqual(others, own === lowest ? [] : [lowest]);
});

test('hashes of one network wait in a queue, first come, first served, and a full queue is 503 unavailable', async (t) => {
  const { hashed, refused, ask } = recorded(hasherFor(t, 4));
  await Promise.all(['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map(ask));
  assert.deepEqual([hashed, refused], [['a1', 'a2', 'a3', 'a4', 'a5'], ['a6']]);
  await ask('a7');
  assert.equal(hashed.at(-1), 'a7', 'the queue has room again');
});

test('networks take turns, however many of one wait', async (t) => {
  const { hashed, ask } = recorded(hasherFor(t));
  await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(ask));
  assert.deepEqual(hashed, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('in a full queue the newest of the network with the most gives way to one that has less', async (t) => {
  const { hashed, refused, ask } = recorded(hasherFor(t, 4));
  await Promise.all(['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3', 'a6', 'c1', 'd1'].map(ask));
  // Four wait. b gets two of the four places, and a third would be more than its share; then c gets one of a's, for a comes
  // first, and d one of b's.
  assert.deepEqual(refused, ['a5', 'a4', 'b3', 'a6', 'a3', 'b2']);
  assert.deepEqual(hashed, ['a1', 'a2', 'b1', 'c1', 'd1']);
  const small = recorded(hasherFor(t, 3));
  await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map(small.ask));
  assert.deepEqual(small.refused, ['a4', 'b2'], 'b2 would only take over the place of a3');
});

test('all hashes of one sign-in have one turn', async (t) => {
  const hasher = hasherFor(t);
  const { hashed, ask } = recorded(hasher);
  const first = ask('a1');
  const signIn = hasher.verify([null, null], 'a password', from('b')).then(() => hashed.push('b'));
  await Promise.all([first, signIn, ...['a2', 'c1', 'c2'].map(ask)]);
  assert.deepEqual(hashed, ['a1', 'b', 'a2', 'c1', 'c2']);
});

test('while some wait, hashes get an eighth of the time, with bounded rests; a hash alone is followed by no rest', async (t) => {
  const { clock, restsMs } = restless(7);
  const hasher = hasherFor(t, undefined, clock);
  await hasher.hash('a password', asker);
  await hasher.verify([null, null], 'a password', asker);
  assert.deepEqual(restsMs, []);
  await Promise.all([1, 2].map(() => hasher.verify([null, null], 'a password', asker)));
  assert.deepEqual(restsMs, [49, 49], 'also between the two of one sign-in');
  const slow = restless(1_000);
  const slowHasher = hasherFor(t, undefined, slow.clock);
  await Promise.all([1, 2].map(() => slowHasher.hash('a password', asker)));
  assert.deepEqual(slow.restsMs, [HASH_REST_MS_MAX]);
});

test('a hash that nobody awaits at its turn is not computed, and is followed by no rest', async (t) => {
  const { clock, restsMs } = restless();
  const hasher = hasherFor(t, undefined, clock);
  let isAwaited = true;
  const first = hasher.hash('a password', asker);
  const abandoned = hasher.hash(
    'a password',
    from('192.0.2', () => isAwaited),
  );
  const last = hasher.hash('a password', asker);
  isAwaited = false;
  const refused = assert.rejects(abandoned, (error) => error instanceof ApiError && error.code === 'unavailable');
  await Promise.all([first, last, refused]);
  assert.equal(restsMs.length, 1);
});

test('what nobody awaits any more takes no place in a full queue', async (t) => {
  const hasher = hasherFor(t, 2);
  const { hashed, refused, ask } = recorded(hasher);
  let isAwaited = true;
  const first = ask('a1');
  const gone = from('a', () => isAwaited);
  const abandoned = [1, 2].map(() => assert.rejects(hasher.hash('a password', gone), ApiError));
  isAwaited = false;
  await Promise.all([first, ...abandoned, ...['a2', 'a3', 'a4'].map(ask)]);
  assert.deepEqual([hashed, refused], [['a1', 'a2', 'a3'], ['a4']], 'a4: the queue is full of those that are awaited');
});
