// timing.app-data: grid positions, and the latest lap of each stint. The tires of the stint are in tire.stints
// (tire-stints.ts).
//
// Left out, because other fields say the same: Line and RacingNumber.

import { integerOf, type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { racingNumbers } from '#engine/racing/session/session-state.ts';
import { lapTimeOf } from '#engine/racing/timing-text.ts';
import type { StintLap, TimingAppDriver } from '#schemas/webhook/timing-app-data.ts';
import { NOTHING, type Normalise } from './normaliser.ts';
import { places } from './places.ts';

export const timingAppData: Normalise = (changes, state) => {
  const lines = objectOf(changes.Lines);
  const drivers: TimingAppDriver[] = [];
  for (const number of racingNumbers(lines)) {
    const line = objectOf(lines[number]);
    const hasGrid = Object.hasOwn(line, 'GridPos');
    const stintLaps = stintLapsOf(line.Stints);
    if (!hasGrid && stintLaps.length === 0) continue;
    const entry: TimingAppDriver = state.driver(number);
    if (hasGrid) entry.gridPosition = integerOf(line.GridPos);
    if (stintLaps.length > 0) entry.stintLaps = stintLaps;
    drivers.push(entry);
  }
  return drivers.length === 0 ? NOTHING : [{ drivers }];
};

function stintLapsOf(stints: unknown): StintLap[] {
  const laps: StintLap[] = [];
  for (const [index, change] of places(stints)) {
    const lap = stintLap(index + 1, change);
    if (Object.keys(lap).length > 1) laps.push(lap);
  }
  return laps;
}

function stintLap(stint: number, change: JsonObject): StintLap {
  const lap: StintLap = { stint };
  if (Object.hasOwn(change, 'LapTime')) lap.time = lapTimeOf(change.LapTime);
  if (Object.hasOwn(change, 'LapNumber')) lap.lap = integerOf(change.LapNumber);
  if (Object.hasOwn(change, 'LapFlags')) lap.lapFlags = integerOf(change.LapFlags);
  return lap;
}
