// The gate in front of TLS handshakes: how many begin, who comes first, and for how long each counts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  FURTHER_CONNECTION_MS,
  HANDSHAKE_SLOT_MS,
  HANDSHAKES_MAX,
  QUIET_LOOK_MS,
  QUIET_WAIT_MS_MAX,
  SUSPECT_HANDSHAKE_MS,
} from '#engine/base/limits.ts';
import { HandshakeGate, type HandshakeSeeker, type HandshakeSlot } from '#engine/delivery/transport/handshake-gate.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

/** An endpoint that wants so many connections. */
class Seeker implements HandshakeSeeker {
  readonly slots: HandshakeSlot[] = [];
  readonly #begun: Seeker[];
  wanted: number;

  constructor(begun: Seeker[], wanted = 1, waitingSinceMs = Number.NEGATIVE_INFINITY) {
    this.#begun = begun;
    this.wanted = wanted;
    this.waitingSinceMs = waitingSinceMs;
  }

  get unconnected(): boolean {
    return this.slots.length === 0;
  }

  account = 'acc_1';
  suspect = false;
  patient = false;
  waitingSinceMs: number;

  get seeking(): boolean {
    return this.slots.length < this.wanted;
  }

  begin(slot: HandshakeSlot): void {
    this.slots.push(slot);
    this.#begun.push(this);
  }
}

function scene() {
  const time = new SimulatedTime();
  const begun: Seeker[] = [];
  const thread = { isBusy: false };
  const clock = {
    nowMs: () => time.nowMs(),
    schedule: (delayMs: number, callback: () => void) => time.schedule(delayMs, callback),
    idleMs: () => (thread.isBusy ? 0 : time.nowMs()),
  };
  return { time, begun, thread, gate: new HandshakeGate(clock) };
}

test('TH1: so many handshakes begin at once, and the next one when one of them is over', () => {
  const { begun, gate } = scene();
  const seekers = Array.from({ length: HANDSHAKES_MAX + 2 }, () => new Seeker(begun));
  for (const seeker of seekers) gate.seek(seeker);
  assert.deepEqual(begun, seekers.slice(0, HANDSHAKES_MAX));
  seekers[3]!.slots[0]!.release();
  seekers[3]!.slots[0]!.release();
  assert.deepEqual(begun, seekers.slice(0, HANDSHAKES_MAX + 1), 'a slot is released once');
});

test('TH1: what is not wanted any more, or withdrawn, is never begun', () => {
  const { begun, gate } = scene();
  const seekers = Array.from({ length: HANDSHAKES_MAX + 3 }, () => new Seeker(begun));
  for (const seeker of seekers) gate.seek(seeker);
  const [gone, changed, last] = seekers.slice(HANDSHAKES_MAX);
  gate.withdraw(gone!);
  changed!.wanted = 0;
  seekers[0]!.slots[0]!.release();
  assert.deepEqual(begun.slice(HANDSHAKES_MAX), [last]);
});

test('TH2: the first connection of each endpoint comes before a further one of any', () => {
  const { begun, gate } = scene();
  const greedy = new Seeker(begun, HANDSHAKES_MAX + 1);
  gate.seek(greedy);
  assert.equal(begun.length, HANDSHAKES_MAX);
  const modest = new Seeker(begun);
  gate.seek(modest);
  greedy.slots[0]!.release();
  assert.equal(begun.at(-1), modest);
  greedy.slots[1]!.release();
  assert.equal(begun.at(-1), greedy);
});

test('TH2: an endpoint that has a connection and seeks another waits for those that have none, though it came first', () => {
  const { begun, gate } = scene();
  const seekers = Array.from({ length: HANDSHAKES_MAX }, () => new Seeker(begun));
  for (const seeker of seekers) gate.seek(seeker);
  const connected = seekers[0]!;
  connected.wanted = 2;
  gate.seek(connected);
  const unconnected = new Seeker(begun);
  gate.seek(unconnected);
  seekers[1]!.slots[0]!.release();
  assert.equal(begun.at(-1), unconnected);
  seekers[2]!.slots[0]!.release();
  assert.equal(begun.at(-1), connected);
});

test('TH5: endpoints whose last handshake failed start one at a time, and delay no other', async () => {
  const { time, begun, gate } = scene();
  const suspects = Array.from({ length: 3 }, () => new Seeker(begun));
  for (const seeker of suspects) {
    seeker.suspect = true;
    gate.seek(seeker);
  }
  await time.pass(QUIET_LOOK_MS);
  assert.deepEqual(begun, suspects.slice(0, 1));
  const healthy = new Seeker(begun);
  gate.seek(healthy);
  assert.deepEqual(begun, [suspects[0], healthy]);
  gate.withdraw(suspects[1]!);
  await time.pass(SUSPECT_HANDSHAKE_MS + QUIET_LOOK_MS - 1);
  assert.equal(begun.length, 2);
  await time.pass(1);
  assert.deepEqual(begun, [suspects[0], healthy, suspects[2]]);
});

test('TH5: they let the work of the thread pass, and one that never waits takes them nevertheless', async () => {
  const { time, begun, thread, gate } = scene();
  const suspects = Array.from({ length: 2 }, () => new Seeker(begun));
  thread.isBusy = true;
  for (const seeker of suspects) {
    seeker.suspect = true;
    gate.seek(seeker);
  }
  await time.pass(QUIET_WAIT_MS_MAX - QUIET_LOOK_MS);
  assert.deepEqual(begun, []);
  await time.pass(QUIET_LOOK_MS);
  assert.deepEqual(begun, suspects.slice(0, 1));
  await time.pass(SUSPECT_HANDSHAKE_MS + QUIET_WAIT_MS_MAX);
  assert.deepEqual(begun, suspects);
});

test('TH4: a further connection starts only for a request that has waited for one in use', async () => {
  const { time, begun, gate } = scene();
  const [patient, served] = [new Seeker(begun, 2, time.nowMs()), new Seeker(begun, 2, time.nowMs())];
  for (const seeker of [patient, served]) gate.seek(seeker);
  assert.deepEqual(begun, [patient, served], 'the first connections start at once');
  served.wanted = 1;
  await time.pass(FURTHER_CONNECTION_MS - 1);
  assert.deepEqual(begun, [patient, served]);
  await time.pass(1);
  assert.deepEqual(begun, [patient, served, patient]);
});

test('TH4: a request that began to wait later waits as long', async () => {
  const { time, begun, gate } = scene();
  const seeker = new Seeker(begun, 2, time.nowMs());
  gate.seek(seeker);
  await time.pass(1);
  seeker.waitingSinceMs = time.nowMs();
  await time.pass(FURTHER_CONNECTION_MS);
  assert.equal(begun.length, 1);
  await time.pass(FURTHER_CONNECTION_MS);
  assert.equal(begun.length, 2);
});

test('TH7: what is for later bursts begins when the thread waits, one each time, and after all others', async () => {
  const { time, begun, thread, gate } = scene();
  thread.isBusy = true;
  const later = new Seeker(begun);
  gate.seek(later);
  later.wanted = 4;
  later.waitingSinceMs = time.nowMs();
  later.patient = true;
  gate.seek(later);
  assert.equal(later.slots.length, 1, 'none is for a request');
  await time.pass(QUIET_WAIT_MS_MAX / 2);
  assert.equal(later.slots.length, 1);
  const now = new Seeker(begun);
  gate.seek(now);
  assert.deepEqual(begun, [later, now]);
  thread.isBusy = false;
  for (const expected of [2, 3, 4]) {
    await time.pass(QUIET_LOOK_MS);
    assert.equal(later.slots.length, expected);
  }
});

test('TH7: a connection that waits for its turn is for later bursts once the requests that wanted it have been sent', async () => {
  const { time, begun, thread, gate } = scene();
  thread.isBusy = true;
  const others = Array.from({ length: HANDSHAKES_MAX }, () => new Seeker(begun));
  for (const other of others) gate.seek(other);
  const seeker = new Seeker(begun, 1);
  Object.defineProperty(seeker, 'unconnected', { value: false });
  gate.seek(seeker);
  seeker.patient = true;
  for (const { slots } of others) slots[0]!.release();
  assert.equal(seeker.slots.length, 0);
  thread.isBusy = false;
  await time.pass(QUIET_WAIT_MS_MAX + 2 * QUIET_LOOK_MS);
  assert.equal(seeker.slots.length, 1);
});

test('TH6: accounts take turns, however many endpoints of one wait', () => {
  const { begun, gate } = scene();
  const busy = Array.from({ length: HANDSHAKES_MAX }, () => new Seeker(begun));
  const large = Array.from({ length: 100 }, () => new Seeker(begun));
  for (const seeker of [...busy, ...large]) gate.seek(seeker);
  const small = Array.from({ length: 2 }, () => new Seeker(begun));
  for (const seeker of small) {
    seeker.account = 'acc_2';
    gate.seek(seeker);
  }
  for (const { slots } of busy.slice(0, 5)) slots[0]!.release();
  assert.deepEqual(begun.slice(HANDSHAKES_MAX), [large[0], small[0], large[1], small[1], large[2]]);
});

test('TH6: so do accounts whose endpoints are suspect; one that was withdrawn takes no turn', async () => {
  const { time, begun, gate } = scene();
  const [one, two, three, gone, small] = ['acc_1', 'acc_1', 'acc_1', 'acc_2', 'acc_3'].map((account) => {
    const seeker = new Seeker(begun);
    seeker.account = account;
    seeker.suspect = true;
    gate.seek(seeker);
    return seeker;
  });
  gate.withdraw(gone!);
  await time.pass(4 * (SUSPECT_HANDSHAKE_MS + QUIET_LOOK_MS));
  assert.deepEqual(begun, [one, small, two, three]);
});

test('TH3: a handshake that takes long gives its slot back, and gives back none of another one later', async () => {
  const { time, begun, gate } = scene();
  const hanging = Array.from({ length: HANDSHAKES_MAX }, () => new Seeker(begun));
  for (const seeker of hanging) gate.seek(seeker);
  const healthy = Array.from({ length: HANDSHAKES_MAX + 1 }, () => new Seeker(begun));
  for (const seeker of healthy) gate.seek(seeker);
  await time.pass(HANDSHAKE_SLOT_MS - 1);
  assert.equal(begun.length, HANDSHAKES_MAX);
  await time.pass(1);
  assert.equal(begun.length, 2 * HANDSHAKES_MAX);
  for (const { slots } of hanging) slots[0]!.release();
  assert.equal(begun.length, 2 * HANDSHAKES_MAX, 'their slots were given back before');
  await time.pass(HANDSHAKE_SLOT_MS);
  assert.equal(begun.length, 2 * HANDSHAKES_MAX + 1);
});
