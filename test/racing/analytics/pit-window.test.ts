import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PitLosses } from '#engine/racing/analytics/pit-loss.ts';
import { PitWindow } from '#engine/racing/analytics/pit-window.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { PitWindowDriver } from '#schemas/webhook/analytics-pit-window.ts';
import { at, lines } from '#test/racing/scripted-session.ts';
import { followRace } from './followed-race.ts';
import { SCRIPTED_NUMBERS, scriptedRace } from './scripted-race.ts';

interface Told {
  readonly session: { readonly pitLossSeconds: number; readonly savedSeconds: number; readonly stopsMeasured: number };
  readonly drivers: readonly PitWindowDriver[];
}

test('the loss of a stop is found again in the laps of a race', () => {
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

test('before any stop the prior speaks, with its uncertainty', () => {
  const losses = new PitLosses();
  assert.deepEqual(
    { ...losses.loss('green'), uncertaintySeconds: 0 },
    { seconds: 21, uncertaintySeconds: 0, stops: 0 },
  );
  assert.ok(losses.loss('green').uncertaintySeconds > 3);
  assert.ok(losses.loss('safety_car').seconds < losses.loss('virtual_safety_car').seconds);
});

test('whoever stops falls behind those within the loss, and the window is a range of laps', () => {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: index * 0.5 }));
  const model = new PitWindow();
  let seen = 0;
  followRace(scriptedRace({ cars, laps: 50 }), (picture, state, isNewLap) => {
    const told = isNewLap ? (model.emit(picture, state) as Told | null) : null;
    for (const { position, rejoin, window, undercut, threat } of told?.drivers ?? []) {
      if (rejoin !== null) {
        seen++;
        const gaps = picture.order().map(({ gapSeconds }) => gapSeconds!);
        const after = gaps[position! - 1]! + told!.session.pitLossSeconds;
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

/** What is told of a race on its 20th lap, with what happens at the end of it. */
function toldAfter(frames: Frame[], totalLaps = 50): Told {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: index * 0.02 }));
  const model = new PitWindow();
  let told: Told | null = null;
  followRace([...scriptedRace({ cars, laps: 20, totalLaps }), ...frames], (picture, state) => {
    if (picture.lap === 20) told = (model.emit(picture, state) as Told | null) ?? told;
  });
  return told!;
}

test('an undercut is told under green, and not where it comes too late', () => {
  const undercuts = ({ drivers }: Told) =>
    drivers.filter(({ undercut, threat }) => undercut !== null || threat !== null);
  assert.ok(undercuts(toldAfter([])).length > 4);
  assert.equal(undercuts(toldAfter([at(5_000, 'TrackStatus', { Status: '4' })])).length, 0);
  assert.equal(undercuts(toldAfter([], 22)).length, 0);
  assert.ok(undercuts(toldAfter([], 23)).length > 4);
});

test('nobody is told where he rejoins while the gap of a car that he may fall behind is not told', () => {
  const [leader, , third] = SCRIPTED_NUMBERS.map(String);
  const rejoinOf = (told: Told, number?: string) => told.drivers.find((driver) => driver.number === number)!.rejoin;
  const untold = toldAfter([lines(5_000, { [third!]: { GapToLeader: '' } })]);
  assert.notEqual(rejoinOf(toldAfter([]), leader), null);
  assert.equal(rejoinOf(untold, leader), null);
  assert.equal(rejoinOf(untold, third), null);
  // Whoever is ahead stays ahead, however far.
  const last = String(SCRIPTED_NUMBERS.at(-1));
  assert.equal(rejoinOf(untold, last)!.position, SCRIPTED_NUMBERS.length);
  assert.equal(rejoinOf(untold, last)!.position10, SCRIPTED_NUMBERS.length);
});
