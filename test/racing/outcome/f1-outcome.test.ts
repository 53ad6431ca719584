// How real sessions ended and stood meanwhile, as their frames tell it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SessionDeriver } from '#engine/racing/derive/derive.ts';
import { recordedOutcome } from '#engine/racing/derive/recorded-outcome.ts';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { KARTING } from '#engine/racing/series/karting.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import { serialisePayload } from '#schemas/webhook/payloads.ts';
import { ALL_SESSIONS, DUMPED_SESSIONS, framesOf, WITHOUT_RECORDINGS } from '#test/racing/real-sessions.ts';
import { outcomeOf } from './real-outcomes.ts';

const options = { skip: WITHOUT_RECORDINGS };
const tlas = ({ cars }: SessionOutcome, of: (car: SessionOutcome['cars'][number]) => boolean) =>
  cars.filter(of).map(({ tla }) => tla);

test('Baku 2018 ended as it did', options, () => {
  const outcome = outcomeOf('2018-azerbaijan-race');
  assert.deepEqual([outcome.phase, outcome.currentLap, outcome.totalLaps], ['finished', 51, 51]);
  assert.deepEqual(
    tlas(outcome, ({ position }) => position! <= 5),
    ['HAM', 'RAI', 'PER', 'VET', 'SAI'],
  );
  assert.equal(outcome.fastestLap, '77');
  const bottas = outcome.cars.find(({ number }) => number === '77')!;
  assert.deepEqual([bottas.position, bottas.lapsCompleted, bottas.gridPlace, bottas.out], [14, 48, 3, false]);
  assert.deepEqual(
    tlas(outcome, ({ out }) => out),
    ['GRO', 'VER', 'RIC', 'HUL', 'OCO', 'SIR'],
  );
});

test('the Miami sprint of 2025: who retired, and no stop of the interruption', options, () => {
  const outcome = outcomeOf('2025-miami-sprint');
  assert.deepEqual(tlas(outcome, ({ out }) => out).toSorted(), ['ALO', 'LEC', 'SAI']);
  assert.equal(outcome.stops.length, 19);
  assert.ok(outcome.stops.every(({ pitLaneMs }) => pitLaneMs < 40_000));
});

test('qualifying tells who was in its last part', options, () => {
  for (const session of ['2023-azerbaijan-qualifying', '2025-mexico-qualifying', '2026-austria-qualifying']) {
    const { cars } = outcomeOf(session);
    assert.deepEqual(
      cars.map(({ reachedQ3 }) => reachedQ3),
      cars.map((_, index) => index < 10),
      session,
    );
    assert.deepEqual(
      cars.map(({ position }) => position),
      cars.map((_, index) => index + 1),
      session,
    );
  }
});

test('a session without timing tells nobody’s laps', options, () => {
  const { cars } = outcomeOf('2025-mexico-race');
  assert.ok(cars.length === 20 && cars.every(({ lapsCompleted }) => lapsCompleted === null));
});

test('I7: the deriver of a session has the outcome that the recording has, at every stage of it', options, () => {
  for (const session of [...ALL_SESSIONS, ...DUMPED_SESSIONS]) {
    const frames = framesOf(session);
    const deriver = new SessionDeriver(
      new TimelineBuilder({ sessionId: session, seriesId: 'f1' }, serialisePayload),
      F1,
    );
    const stages = [0.3, 0.6, 1].map((share) => Math.floor(frames.length * share));
    for (const [index, frame] of frames.entries()) {
      deriver.apply(frame);
      if (stages.includes(index + 1)) {
        assert.deepEqual(
          deriver.outcome(),
          recordedOutcome(F1, frames.slice(0, index + 1)),
          `${session} at ${index + 1}`,
        );
      }
    }
  }
});

test('an outcome that was told stays as it was told while the session goes on', options, () => {
  const frames = framesOf('2025-miami-sprint');
  const deriver = new SessionDeriver(new TimelineBuilder({ sessionId: 'x', seriesId: 'f1' }, serialisePayload), F1);
  for (const frame of frames.slice(0, 15_000)) deriver.apply(frame);
  const told = deriver.outcome();
  const copy = structuredClone(told);
  for (const frame of frames.slice(15_000)) deriver.apply(frame);
  assert.deepEqual(told, copy);
  assert.notDeepEqual(deriver.outcome(), told);
});

test('before the first frame nothing is known; another series tells no outcome', () => {
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

test('a message that makes no sense changes nothing', options, () => {
  const frames = framesOf('2018-azerbaijan-race').slice(0, 8_000);
  const nonsense = ['{', '"text"', '[[['].map((json) => ({ topic: 'TimingData', json, utcMs: 0 }));
  const expected = recordedOutcome(F1, frames);
  assert.deepEqual(recordedOutcome(F1, [...frames, ...nonsense]), expected);
});
