// timing.stats: the changes in the best laps, sectors and speeds of each driver, field by field.
//
// Left out, because other topics say the same: Line, RacingNumber, SessionType and Withheld.

import { integerOf, type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { racingNumbers } from '#engine/racing/session/session-state.ts';
import { lapTimeOf } from '#engine/racing/timing-text.ts';
import type {
  RankedLap,
  RankedSector,
  RankedSpeed,
  RankedSpeeds,
  TimingStatsDriver,
} from '#schemas/webhook/timing-stats.ts';
import { NOTHING, type Normalise } from './normaliser.ts';
import { places } from './places.ts';
import { SPEED_TRAPS } from './speed-traps.ts';

export const timingStats: Normalise = (changes, state) => {
  const lines = objectOf(changes.Lines);
  const drivers: TimingStatsDriver[] = [];
  for (const number of racingNumbers(lines)) {
    const { PersonalBestLapTime, BestSectors, BestSpeeds } = objectOf(lines[number]);
    const lap = bestLap(objectOf(PersonalBestLapTime));
    const sectors = bestSectors(BestSectors);
    const speeds = bestSpeeds(objectOf(BestSpeeds));
    if (lap === null && sectors.length === 0 && speeds === null) continue;
    const entry: TimingStatsDriver = state.driver(number);
    if (lap !== null) entry.bestLap = lap;
    if (sectors.length > 0) entry.bestSectors = sectors;
    if (speeds !== null) entry.bestSpeeds = speeds;
    drivers.push(entry);
  }
  return drivers.length === 0 ? NOTHING : [{ drivers }];
};

function bestLap(changes: JsonObject): RankedLap | null {
  const lap: RankedLap = {};
  if (Object.hasOwn(changes, 'Value')) lap.time = lapTimeOf(changes.Value);
  if (Object.hasOwn(changes, 'Lap')) lap.lap = integerOf(changes.Lap);
  if (Object.hasOwn(changes, 'Position')) lap.rank = integerOf(changes.Position);
  return Object.keys(lap).length === 0 ? null : lap;
}

function bestSectors(value: unknown): RankedSector[] {
  const sectors: RankedSector[] = [];
  for (const [index, changes] of places(value)) {
    const sector: RankedSector = { sector: index + 1 };
    if (Object.hasOwn(changes, 'Value')) sector.time = lapTimeOf(changes.Value);
    if (Object.hasOwn(changes, 'Position')) sector.rank = integerOf(changes.Position);
    if (Object.keys(sector).length > 1) sectors.push(sector);
  }
  return sectors;
}

function bestSpeeds(all: JsonObject): RankedSpeeds | null {
  const speeds: RankedSpeeds = {};
  for (const [from, to] of SPEED_TRAPS) {
    const changes = objectOf(all[from]);
    const speed: RankedSpeed = {};
    if (Object.hasOwn(changes, 'Value')) speed.kph = integerOf(changes.Value);
    if (Object.hasOwn(changes, 'Position')) speed.rank = integerOf(changes.Position);
    if (Object.keys(speed).length > 0) speeds[to] = speed;
  }
  return Object.keys(speeds).length === 0 ? null : speeds;
}
