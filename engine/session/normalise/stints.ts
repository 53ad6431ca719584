// timing.app-data and tire.stints, both from TimingAppData: a stint's latest lap goes to the first, its tires to the second.
// Left out, because another field says the same: Line and RacingNumber.

import type { StintLap, TimingAppDriver } from '#schemas/webhook/timing-app-data.ts';
import type { TireDriver, TireStint } from '#schemas/webhook/tire-stints.ts';
import { integerOf, type JsonObject, objectOf, textOf } from '../json-value.ts';
import type { ChangeTree } from '../merge.ts';
import { racingNumbers } from '../session-state.ts';
import { lapTimeOf } from '../timing-text.ts';
import type { Normalise } from './normaliser.ts';

export const timingAppData: Normalise = (changes, state) => {
  const drivers: TimingAppDriver[] = [];
  for (const [number, line] of lines(changes)) {
    const entry: TimingAppDriver = state.driver(number);
    const hasGrid = Object.hasOwn(line, 'GridPos');
    if (hasGrid) entry.gridPosition = integerOf(line.GridPos);
    const laps = stints(line).map(([stint, change]) => stintLap(stint, change));
    const changed = laps.filter((lap) => Object.keys(lap).length > 1);
    if (changed.length > 0) entry.stintLaps = changed;
    if (hasGrid || changed.length > 0) drivers.push(entry);
  }
  return drivers.length === 0 ? [] : [{ drivers }];
};

export const tireStints: Normalise = (changes, state) => {
  const drivers: TireDriver[] = [];
  for (const [number, line] of lines(changes)) {
    const changed = stints(line)
      .map(([stint, change]) => tires(stint, change))
      .filter((stint) => Object.keys(stint).length > 1);
    if (changed.length > 0) drivers.push({ ...state.driver(number), stints: changed });
  }
  return drivers.length === 0 ? [] : [{ drivers }];
};

function lines(changes: ChangeTree): [number: string, line: JsonObject][] {
  const all = objectOf(changes.Lines);
  return racingNumbers(all).map((number) => [number, objectOf(all[number])]);
}

function stints(line: JsonObject): [stint: number, change: JsonObject][] {
  const all = objectOf(line.Stints);
  return Object.keys(all)
    .filter((key) => /^\d{1,3}$/.test(key))
    .map((key) => [Number(key) + 1, objectOf(all[key])]);
}

function stintLap(stint: number, change: JsonObject): StintLap {
  const lap: StintLap = { stint };
  if (Object.hasOwn(change, 'LapTime')) lap.time = lapTimeOf(change.LapTime);
  if (Object.hasOwn(change, 'LapNumber')) lap.lap = integerOf(change.LapNumber);
  if (Object.hasOwn(change, 'LapFlags')) lap.lapFlags = integerOf(change.LapFlags);
  return lap;
}

function tires(stint: number, change: JsonObject): TireStint {
  const tire: TireStint = { stint };
  if (Object.hasOwn(change, 'Compound')) tire.compound = textOf(change.Compound);
  if (Object.hasOwn(change, 'New')) tire.isNew = spelledBoolean(change.New);
  if (Object.hasOwn(change, 'TyresNotChanged')) {
    const notChanged = spelledBoolean(change.TyresNotChanged);
    tire.tiresChanged = notChanged === null ? null : !notChanged;
  }
  if (Object.hasOwn(change, 'TotalLaps')) tire.totalLaps = integerOf(change.TotalLaps);
  if (Object.hasOwn(change, 'StartLaps')) tire.startLaps = integerOf(change.StartLaps);
  return tire;
}

/** A boolean, which the upstream spells as a text or a digit here. */
function spelledBoolean(value: unknown): boolean | null {
  if (value === true || value === 'true' || value === '1' || value === 1) return true;
  if (value === false || value === 'false' || value === '0' || value === 0) return false;
  return null;
}
