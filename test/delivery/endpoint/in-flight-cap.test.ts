import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IN_FLIGHT_MAX } from '#engine/base/limits.ts';
import { IN_FLIGHT_START, InFlightCap } from '#engine/delivery/endpoint/in-flight-cap.ts';

test('the cap grows with fast responses while all slots are in use, up to its bound', () => {
  const cap = new InFlightCap();
  for (let i = 0; i < 1_000; i++) cap.succeeded(20, 20, true, 0);
  assert.equal(cap.value, IN_FLIGHT_MAX);
});

test('the cap does not grow while slots are free', () => {
  const cap = new InFlightCap();
  for (let i = 0; i < 1_000; i++) cap.succeeded(20, 20, false, 0);
  assert.equal(cap.value, IN_FLIGHT_START);
});

test('the cap of a far receiver grows while three quarters of it are in use, that of a near one does not', () => {
  const [far, near, idle] = [new InFlightCap(), new InFlightCap(), new InFlightCap()];
  for (let i = 0; i < 100; i++) {
    far.succeeded(100, 100, false, 20);
    near.succeeded(1, 1, false, 20);
    idle.succeeded(100, 100, false, 1);
  }
  assert.ok(far.value > 20 && far.value <= 20 / 0.75 + 3, `${far.value}`);
  assert.deepEqual([near.value, idle.value], [IN_FLIGHT_START, IN_FLIGHT_START]);
});

test('the cap shrinks while responses are slower than the best ones, but not below its start', () => {
  const cap = new InFlightCap();
  for (let i = 0; i < 20; i++) cap.succeeded(20, 20, true, 0);
  const grown = cap.value;
  for (let i = 0; i < 50; i++) cap.succeeded(100, 100, true, 0);
  assert.ok(cap.value < grown, `${cap.value} after ${grown}`);
  for (let i = 0; i < 5_000; i++) cap.succeeded(100, 100, true, 0);
  assert.ok(cap.value >= IN_FLIGHT_START);
});

test('a far receiver that responds steadily does not count as slow', () => {
  const cap = new InFlightCap();
  for (let i = 0; i < 1_000; i++) cap.succeeded(300 + (i % 7), 300 + (i % 7), true, 0);
  assert.equal(cap.value, IN_FLIGHT_MAX);
});

test('a receiver is far if this thread waits for its responses, not if they wait for this thread', () => {
  const [busy, far, near] = [new InFlightCap(), new InFlightCap(), new InFlightCap()];
  for (let i = 0; i < 100; i++) {
    // One in four waits for the receiver, which is overloaded then.
    busy.succeeded(40, i % 4 === 0 ? 40 : 0.5, true, 0);
    far.succeeded(5 + (i % 3), 5, true, 0);
    near.succeeded(1 + (i % 3), 1, true, 0);
  }
  assert.deepEqual([busy.distanceMs, near.distanceMs], [0, 0]);
  assert.ok(Math.abs(far.distanceMs - 5) < 0.1);
  far.succeeded(1, 1, true, 0);
  assert.equal(far.far, false, 'it has moved');
});

test('a receiver whose first responses are slow does not count as far before others are, unless they are very slow', () => {
  const cap = new InFlightCap();
  for (let i = 0; i < 5; i++) {
    cap.succeeded(40, 40, true, 0);
    assert.equal(cap.far, false);
  }
  cap.succeeded(1.5, 1.5, true, 0);
  for (let i = 0; i < 100; i++) cap.succeeded(40, 40, true, 0);
  assert.equal(cap.far, false);
  const distant = new InFlightCap();
  distant.succeeded(100, 0, true, 0);
  assert.equal(distant.far, true);
});

test('a far receiver does not count as slow because this thread was busy', () => {
  const cap = new InFlightCap();
  for (let i = 0; i < 20; i++) cap.succeeded(5, 5, false, 0);
  for (let i = 0; i < 60; i++) cap.succeeded(30, 5, true, 0);
  assert.equal(cap.value, IN_FLIGHT_MAX);
});

test('the cap of a far receiver reaches its bound within four round trips, that of a very far one within three', () => {
  for (const [latencyMs, rounds] of [
    [30, 4],
    [100, 3],
  ] as const) {
    const cap = new InFlightCap();
    for (let round = 0; round < rounds; round++) {
      for (let response = cap.value; response > 0; response--) cap.succeeded(latencyMs, latencyMs, true, 0);
    }
    assert.equal(cap.value, IN_FLIGHT_MAX);
  }
});

test('the next cap of a far receiver starts with the need of the last one, that of a near one does not', () => {
  const far = new InFlightCap();
  for (let i = 0; i < 100; i++) far.succeeded(100, 100, true, 0);
  far.started(40);
  const next = new InFlightCap(far.learned);
  assert.deepEqual([next.value, next.requestsAhead, next.far], [40, 40, true]);
  const near = new InFlightCap();
  for (let i = 0; i < 100; i++) near.succeeded(1, 1, true, 0);
  near.started(40);
  const nextNear = new InFlightCap(near.learned);
  assert.deepEqual([nextNear.value, nextNear.requestsAhead, nextNear.far], [IN_FLIGHT_START, 1, false]);
});

test('a cap that was halved by overload passes on no more than it allows', () => {
  const cap = new InFlightCap();
  for (let i = 0; i < 100; i++) cap.succeeded(100, 100, true, 0);
  cap.started(IN_FLIGHT_MAX);
  for (let i = 0; i < 3; i++) cap.overloaded();
  assert.equal(new InFlightCap(cap.learned).value, IN_FLIGHT_MAX / 8);
});

test('a cap without a response has learned nothing', () => {
  const cap = new InFlightCap();
  cap.started(2);
  assert.equal(cap.learned, null);
});

test('the cap halves on overload and never falls below one', () => {
  const cap = new InFlightCap();
  cap.overloaded();
  assert.equal(cap.value, IN_FLIGHT_START / 2);
  for (let i = 0; i < 10; i++) cap.overloaded();
  assert.equal(cap.value, 1);
});
