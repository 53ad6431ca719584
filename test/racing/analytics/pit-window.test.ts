import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PitLosses } from '#engine/racing/analytics/pit-loss.ts';
import { PitWindow } from '#engine/racing/analytics/pit-window.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { PitWindowDriver } from '#schemas/webhook/analytics-pit-window.ts';
import { at, lines } from '#test/racing/scripted-session.ts';
import { followRace } from './followed-race.ts';
import { SCRIPTED_NUMBERS, scriptedRace } from './scripted-race.ts';

interface Emitted {
  readonly session: { readonly pitLossSeconds: number; readonly savedSeconds: number; readonly stopsMeasured: number };
  readonly drivers: readonly PitWindowDriver[];
}

test('the loss of a stop is recovered from the laps of a race', () => {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({
    number,
    seconds: index * 0.3,
    stops: index < 4 ? { [10 + index * 3]: 'HARD' } : {},
  }));
  const losses = new PitLosses();
  const frames = scriptedRace({ cars, laps: 35, stopSeconds: 24, noiseSeconds: 0.1 });
  followRace(frames, (picture, _, isNewLap) => {
    if (isNewLap) losses.update(picture);
  });
  const { seconds, stops } = losses.loss('green');
  assert.equal(stops, 4);
  assert.ok(Math.abs(seconds - 24) < 0.6, `${seconds}`);
});

test('before any stop the loss is what stops at the circuit cost, and elsewhere that of an average one', () => {
  const lossesAt = (event: string) => {
    const losses = new PitLosses();
    const meeting = { utcMs: 0, topic: 'SessionInfo', json: JSON.stringify({ Meeting: { Name: event } }) };
    losses.update(followRace([...scriptedRace({ cars: [{ number: 1, seconds: 0 }], laps: 2 }), meeting]));
    return losses;
  };
  const [belgium, italy, nowhere] = ['Belgian Grand Prix', 'Italian Grand Prix', 'constructor'].map(lossesAt);
  assert.ok(belgium!.loss('green').seconds < 20 && italy!.loss('green').seconds > 25);
  assert.deepEqual(nowhere!.loss('green'), new PitLosses().loss('green'));
  for (const { loss } of [belgium!, italy!, nowhere!].map((one) => ({ loss: one.loss.bind(one) }))) {
    assert.equal(loss('green').stops, 0);
    assert.ok(loss('green').uncertaintySeconds > 2);
    assert.ok(loss('virtual_safety_car').seconds < loss('green').seconds);
  }
});

test('a car that stops falls behind the cars within the loss, and the window is a range of laps', () => {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: index * 0.5 }));
  const model = new PitWindow();
  let seen = 0;
  followRace(scriptedRace({ cars, laps: 50 }), (picture, state, isNewLap) => {
    const emitted = isNewLap ? (model.emit(picture, state) as Emitted | null) : null;
    for (const { position, rejoin, window, undercut, threat } of emitted?.drivers ?? []) {
      if (rejoin !== null) {
        seen++;
        const gaps = picture.order().map(({ gapSeconds }) => gapSeconds!);
        const after = gaps[position! - 1]! + emitted!.session.pitLossSeconds;
        const behind = gaps.filter((gap, index) => index !== position! - 1 && gap <= after).length;
        assert.ok(Math.abs(rejoin.position - 1 - behind) <= (gaps.some((gap) => Math.abs(gap - after) < 0.01) ? 1 : 0));
        assert.ok(rejoin.position >= position!, `${rejoin.position} after ${position}`);
        assert.ok(rejoin.position10 <= rejoin.position && rejoin.position <= rejoin.position90);
        assert.ok((rejoin.gapToAheadSeconds ?? 0) >= 0 && (rejoin.gapToBehindSeconds ?? 0) >= 0);
      }
      if (window !== null) assert.ok(window.fromLap <= window.toLap && window.toLap <= 50);
      for (const one of [undercut, threat]) if (one !== null) assert.ok(one.probability >= 0 && one.probability <= 1);
    }
  });
  assert.ok(seen > 100, `${seen}`);
});

/** The latest update of a race on its 20th lap, with extra frames at the end of it. */
function emittedAfter(frames: Frame[], totalLaps = 50): Emitted {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: index * 0.02 }));
  const model = new PitWindow();
  let emitted: Emitted | null = null;
  followRace([...scriptedRace({ cars, laps: 20, totalLaps }), ...frames], (picture, state) => {
    if (picture.lap === 20) emitted = (model.emit(picture, state) as Emitted | null) ?? emitted;
  });
  return emitted!;
}

test('undercuts are given only under green and before the last laps', () => {
  const undercuts = ({ drivers }: Emitted) =>
    drivers.filter(({ undercut, threat }) => undercut !== null || threat !== null);
  assert.ok(undercuts(emittedAfter([])).length > 4);
  assert.equal(undercuts(emittedAfter([at(5_000, 'TrackStatus', { Status: '4' })])).length, 0);
  assert.equal(undercuts(emittedAfter([], 22)).length, 0);
  assert.ok(undercuts(emittedAfter([], 23)).length > 4);
});

test('no rejoin is given while the gap of a car that the stop may lose to is not known', () => {
  const [leader, , third] = SCRIPTED_NUMBERS.map(String);
  const rejoinOf = (emitted: Emitted, number?: string) =>
    emitted.drivers.find((driver) => driver.number === number)!.rejoin;
  const unreported = emittedAfter([lines(5_000, { [third!]: { GapToLeader: '' } })]);
  assert.notEqual(rejoinOf(emittedAfter([]), leader), null);
  assert.equal(rejoinOf(unreported, leader), null);
  assert.equal(rejoinOf(unreported, third), null);
  // A car ahead stays ahead, so its gap does not matter.
  const last = String(SCRIPTED_NUMBERS.at(-1));
  assert.equal(rejoinOf(unreported, last)!.position, SCRIPTED_NUMBERS.length);
  assert.equal(rejoinOf(unreported, last)!.position10, SCRIPTED_NUMBERS.length);
});
