// Outcomes of sessions from their frames, at the end and on the way.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SessionDeriver } from '#engine/racing/derive/derive.ts';
import { recordedOutcome } from '#engine/racing/derive/recorded-outcome.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { KARTING } from '#engine/racing/series/karting.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import { serialisePayload } from '#schemas/webhook/payloads.ts';
import { F1_SESSIONS, RACE } from '#test/racing/golden/golden-sessions.ts';
import { ALL_SESSIONS, DUMPED_SESSIONS, recorded } from '#test/racing/real-sessions.ts';
import { at, lines, raceUnderWay } from '#test/racing/scripted-session.ts';

test('I7: the outcome in the deriver equals that of the recording, at every stage of a session', () => {
  for (const { sessionId, head, frames } of [...F1_SESSIONS, ...recorded(...ALL_SESSIONS, ...DUMPED_SESSIONS)]) {
    const deriver = new SessionDeriver(new TimelineBuilder(head, serialisePayload), F1);
    const stages = [0.3, 0.6, 1].map((share) => Math.floor(frames.length * share));
    for (const [index, frame] of frames.entries()) {
      deriver.apply(frame);
      if (stages.includes(index + 1)) {
        assert.deepEqual(
          deriver.outcome(),
          recordedOutcome(F1, frames.slice(0, index + 1)),
          `${sessionId} at ${index + 1}`,
        );
      }
    }
  }
});

test('an outcome that was read does not change while the session continues', () => {
  for (const { head, frames } of [RACE, ...recorded('2025-miami-sprint')]) {
    const deriver = new SessionDeriver(new TimelineBuilder(head, serialisePayload), F1);
    const middle = frames.length >> 1;
    for (const frame of frames.slice(0, middle)) deriver.apply(frame);
    const earlier = deriver.outcome();
    const copy = structuredClone(earlier);
    for (const frame of frames.slice(middle)) deriver.apply(frame);
    assert.deepEqual(earlier, copy);
    assert.notDeepEqual(deriver.outcome(), earlier);
  }
});

test('a car is out while it stands or the timing says so, and back in the race when it goes on', () => {
  const isOut = (...frames: Frame[]) =>
    recordedOutcome(F1, [...raceUnderWay(), ...frames])!.cars.find(({ number }) => number === '4')!.out;
  const lap = (seconds: number, CurrentLap: number) => at(seconds, 'LapCount', { CurrentLap });
  const stopped = [lines(10, { 4: { Stopped: true } }), lap(90, 11), lap(180, 12)];
  assert.equal(isOut(...stopped), true);
  assert.equal(isOut(...stopped, lines(190, { 4: { Stopped: false } })), true);
  assert.equal(isOut(...stopped, lines(190, { 4: { Stopped: false, NumberOfLaps: 10 } })), false);
  const retired = lines(10, { 4: { Retired: true } });
  assert.equal(isOut(retired), true);
  assert.equal(isOut(retired, lines(20, { 4: { Retired: false } })), false);
});

test('before the first frame the outcome is empty, and karting has none', () => {
  assert.deepEqual(recordedOutcome(F1, []), {
    phase: 'upcoming',
    currentLap: null,
    totalLaps: null,
    cars: [],
    fastestLap: null,
    stops: [],
  });
  assert.equal(recordedOutcome(KARTING, []), null);
});

test('an invalid message does not change the outcome', () => {
  for (const { frames } of [RACE, ...recorded('2018-azerbaijan-race')]) {
    const some = frames.slice(0, 8_000);
    const nonsense = ['{', '"text"', '[[['].map((json) => ({ topic: 'TimingData', json, utcMs: 0 }));
    const expected = recordedOutcome(F1, some);
    assert.deepEqual(recordedOutcome(F1, [...some, ...nonsense]), expected);
  }
});
