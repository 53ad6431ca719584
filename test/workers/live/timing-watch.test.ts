// When live timing is followed. The test plays the frame log and the source.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_RENEW_MS } from '#engine/base/limits.ts';
import type { Claim } from '#engine/intake/live/frame-log.ts';
import type { LiveSession } from '#engine/intake/live/live-session.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { TimingWatch } from '#workers/live/timing-watch.ts';

const SESSION = '2026-monza-race';

/** A process with one unfinished session of live timing and one of an operator's own source. */
function watching(claims: () => Claim | Promise<Claim>) {
  const time = new SimulatedTime();
  const events: string[] = [];
  const session = (sessionId: string) => ({ head: { sessionId } }) as LiveSession;
  const watch = new TimingWatch({
    open: () => ({
      source: { close: async () => void events.push('closed') },
      follower: {
        start: (unfinished) =>
          events.push(`follows ${[...unfinished].map(({ head }) => head.sessionId).join(' ') || 'nothing yet'}`),
        tick() {},
        connected: false,
      },
    }),
    sessions: { all: () => [session(SESSION), session('2026-club-race')] },
    frames: {
      async claim(sessionId) {
        events.push(`claims ${sessionId}`);
        return claims();
      },
      release: (sessionId) => void events.push(`releases ${sessionId}`),
    },
    isOfTiming: ({ head }) => head.sessionId === SESSION,
    clock: time,
    failed: (error) => void events.push(`failed: ${error.message}`),
  });
  return { time, events, watch };
}

test('a turn begins with the sessions of the one before, once that feeds them no more', async () => {
  let claim: Claim = 'busy';
  const { time, events, watch } = watching(() => claim);
  watch.keep(true);
  await time.pass(2.5 * NODE_RENEW_MS);
  assert.deepEqual(events, Array(3).fill(`claims ${SESSION}`));
  claim = 'claimed';
  await time.pass(NODE_RENEW_MS);
  assert.equal(events.at(-1), `follows ${SESSION}`);
});

test('a session that is over, or that this node has left, is not waited for', async () => {
  for (const claim of ['unknown', 'left'] as const) {
    const { time, events, watch } = watching(() => claim);
    watch.keep(true);
    await time.pass(0);
    assert.deepEqual(events, [`claims ${SESSION}`, 'follows nothing yet']);
  }
});

test('a stop while another node still feeds a session follows nothing, claims nothing more and is no failure', async () => {
  const { time, events, watch } = watching(() => 'busy');
  watch.keep(true);
  await time.pass(0);
  await watch.close();
  await time.pass(10 * NODE_RENEW_MS);
  assert.deepEqual(events, [`claims ${SESSION}`]);
});

test('a stop while a session is being claimed follows nothing, whether the claim comes or the database is gone by then', async () => {
  for (const outcome of ['claimed', 'gone'] as const) {
    const asked = Promise.withResolvers<Claim>();
    const { time, events, watch } = watching(() => asked.promise);
    watch.keep(true);
    await time.pass(0);
    await watch.close();
    if (outcome === 'claimed') asked.resolve('claimed');
    else asked.reject(new Error('CONNECTION_ENDED'));
    await time.pass(NODE_RENEW_MS);
    assert.deepEqual(events, [`claims ${SESSION}`], outcome);
  }
});

test('a turn that ends before it could begin follows nothing and gives back what it has claimed', async () => {
  const asked = Promise.withResolvers<Claim>();
  const { time, events, watch } = watching(() => asked.promise);
  watch.keep(true);
  await time.pass(0);
  watch.keep(false);
  asked.resolve('claimed');
  await time.pass(NODE_RENEW_MS);
  assert.deepEqual(events, [`claims ${SESSION}`, `releases ${SESSION}`]);
});

test('a turn that ends closes the source and releases its sessions, and the next one opens another', async () => {
  const { time, events, watch } = watching(() => 'claimed');
  watch.keep(true);
  await time.pass(0);
  watch.keep(false);
  watch.keep(true);
  await time.pass(0);
  const follows = [`claims ${SESSION}`, `follows ${SESSION}`];
  assert.deepEqual(events, [...follows, 'closed', `releases ${SESSION}`, ...follows]);
  await watch.close();
  assert.equal(events.at(-1), 'closed');
});

test('a claim that fails is reported', async () => {
  const { time, events, watch } = watching(() => Promise.reject(new Error('the database is away')));
  watch.keep(true);
  await time.pass(0);
  assert.equal(events.at(-1), 'failed: the database is away');
});
