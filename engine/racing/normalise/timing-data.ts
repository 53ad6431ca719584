// timing.data: the changes for each driver, field by field, and for the session as a whole.
//
// Left out, because other fields say the same: Line, RacingNumber, and PreviousValue of a sector, which repeats the
// driver's time there on the previous lap.

import { booleanOf, integerOf, type JsonObject, objectOf } from '#engine/base/json-value.ts';
import type { ChangeTree } from '#engine/racing/session/merge.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { gapOf, lapTimeOf } from '#engine/racing/timing-text.ts';
import type {
  TimingDriver,
  TimingQualifyingPart,
  TimingSector,
  TimingSession,
  TimingSpeeds,
} from '#schemas/webhook/timing-data.ts';
import { NOTHING, type Normalise } from './normaliser.ts';
import { places } from './places.ts';
import { SPEED_TRAPS } from './speed-traps.ts';

type Entry = { -readonly [Key in keyof TimingDriver]: TimingDriver[Key] };

export const timingData: Normalise = (changes, state) => {
  const lines = objectOf(changes.Lines);
  const drivers: TimingDriver[] = [];
  for (const number of racingNumbers(lines)) {
    const entry = driverEntry(number, objectOf(lines[number]), state);
    if (entry !== null) drivers.push(entry);
  }
  const session = sessionPart(changes, state);
  if (session !== null) return [{ session, drivers }];
  return drivers.length === 0 ? NOTHING : [{ drivers }];
};

function driverEntry(number: string, changes: JsonObject, state: SessionState): TimingDriver | null {
  const entry: Entry = state.driver(number);
  const identityFields = Object.keys(entry).length;
  const previousPosition = state.movedFrom.get(number);
  if (previousPosition !== undefined) entry.previousPosition = previousPosition;
  for (const field of Object.keys(changes)) FIELDS.get(field)?.(entry, changes[field]);
  const positionIsNew = 'Position' in changes && entry.position !== null;
  return positionIsNew || Object.keys(entry).length > identityFields ? entry : null;
}

/** How each field of a driver's line is copied to the entry. `value` is its change; undefined when it was removed. */
const FIELDS_BY_NAME: Readonly<Record<string, (entry: Entry, value: unknown) => void>> = {
  GapToLeader: (entry, value) => {
    entry.gapToLeader = gapOf(value);
  },
  IntervalToPositionAhead: (entry, value) => {
    const { Value, Catching } = objectOf(value);
    if (has(value, 'Value')) entry.gapToAhead = gapOf(Value);
    const catching = booleanOf(Catching);
    if (catching !== null) entry.catching = catching;
  },
  TimeDiffToFastest: (entry, value) => {
    entry.gapToFastest = gapOf(value);
  },
  TimeDiffToPositionAhead: (entry, value) => {
    entry.gapToAhead = gapOf(value);
  },
  NumberOfLaps: integerField('lapsCompleted'),
  NumberOfPitStops: integerField('pitStops'),
  Status: integerField('statusFlags'),
  InPit: booleanField('inPit'),
  PitOut: booleanField('pitOut'),
  Stopped: booleanField('stopped'),
  Retired: booleanField('retired'),
  KnockedOut: booleanField('knockedOut'),
  Cutoff: booleanField('inDropZone'),
  ShowPosition: booleanField('showPosition'),
  LastLapTime: (entry, value) => {
    const lap = timed(value);
    if (lap !== null) entry.lastLap = lap;
  },
  BestLapTime: (entry, value) => {
    const lap = bestLap(value);
    if (lap !== null) entry.bestLap = lap;
  },
  Sectors: (entry, value) => {
    const sectors = sectorsOf(value);
    if (sectors.length > 0) entry.sectors = sectors;
  },
  Speeds: (entry, value) => {
    const speeds = speedsOf(value);
    if (Object.keys(speeds).length > 0) entry.speeds = speeds;
  },
  BestLapTimes: (entry, value) => {
    for (const [index, lap] of places(value)) {
      const best = bestLap(lap);
      if (best !== null) qualifyingPart(entry, index + 1).bestLap = best;
    }
  },
  Stats: (entry, value) => {
    for (const [index, stats] of places(value)) {
      const { TimeDiffToFastest, TimeDifftoPositionAhead } = objectOf(stats);
      if (has(stats, 'TimeDiffToFastest')) qualifyingPart(entry, index + 1).gapToFastest = gapOf(TimeDiffToFastest);
      if (has(stats, 'TimeDifftoPositionAhead')) {
        qualifyingPart(entry, index + 1).gapToAhead = gapOf(TimeDifftoPositionAhead);
      }
    }
  },
};

/** A map, because an upstream field may have any name, even that of a built-in object property. */
const FIELDS = new Map(Object.entries(FIELDS_BY_NAME));

type KeysOf<Value> = { [Key in keyof Entry]-?: Value extends Entry[Key] ? Key : never }[keyof Entry];

function integerField(name: Extract<KeysOf<number>, 'lapsCompleted' | 'pitStops' | 'statusFlags'>) {
  return (entry: Entry, value: unknown): void => {
    const number = integerOf(value);
    if (number !== null) entry[name] = number;
  };
}

function booleanField(name: Extract<KeysOf<boolean>, string>) {
  return (entry: Entry, value: unknown): void => {
    const flag = booleanOf(value);
    if (flag !== null) entry[name] = flag;
  };
}

function has(value: unknown, field: string): boolean {
  return Object.hasOwn(objectOf(value), field);
}

interface Fastest {
  overallFastest?: boolean;
  personalFastest?: boolean;
}

function readFastest(changes: JsonObject, into: Fastest): void {
  const overall = booleanOf(changes.OverallFastest);
  if (overall !== null) into.overallFastest = overall;
  const personal = booleanOf(changes.PersonalFastest);
  if (personal !== null) into.personalFastest = personal;
}

function timed(value: unknown): NonNullable<Entry['lastLap']> | null {
  const changes = objectOf(value);
  const lap: NonNullable<Entry['lastLap']> = {};
  if (has(changes, 'Value')) lap.time = lapTimeOf(changes.Value);
  readFastest(changes, lap);
  return Object.keys(lap).length === 0 ? null : lap;
}

function bestLap(value: unknown): NonNullable<Entry['bestLap']> | null {
  const changes = objectOf(value);
  const lap: NonNullable<Entry['bestLap']> = {};
  if (has(changes, 'Value')) lap.time = lapTimeOf(changes.Value);
  if (has(changes, 'Lap')) lap.lap = integerOf(changes.Lap);
  return Object.keys(lap).length === 0 ? null : lap;
}

function sectorsOf(value: unknown): TimingSector[] {
  const sectors: TimingSector[] = [];
  for (const [index, changes] of places(value)) {
    const sector: TimingSector = { sector: index + 1 };
    if (has(changes, 'Value')) sector.time = lapTimeOf(changes.Value);
    readFastest(changes, sector);
    const stopped = booleanOf(changes.Stopped);
    if (stopped !== null) sector.stopped = stopped;
    const segments: { segment: number; status: number }[] = [];
    for (const [index, change] of places(changes.Segments)) {
      const status = integerOf(change.Status);
      if (status !== null) segments.push({ segment: index + 1, status });
    }
    if (segments.length > 0) sector.segments = segments;
    if (Object.keys(sector).length > 1) sectors.push(sector);
  }
  return sectors;
}

function speedsOf(value: unknown): TimingSpeeds {
  const all = objectOf(value);
  const speeds: TimingSpeeds = {};
  for (const [from, to] of SPEED_TRAPS) {
    const changes = objectOf(all[from]);
    const speed: NonNullable<TimingSpeeds[typeof to]> = {};
    if (has(changes, 'Value')) speed.kph = integerOf(changes.Value);
    readFastest(changes, speed);
    if (Object.keys(speed).length > 0) speeds[to] = speed;
  }
  return speeds;
}

/** Returns the entry's item for a part of qualifying. Adds it, in order, if it is missing. */
function qualifyingPart(entry: Entry, part: number): TimingQualifyingPart {
  entry.qualifyingParts ??= [];
  const parts = entry.qualifyingParts;
  let item = parts.find((one) => one.part === part);
  if (item === undefined) {
    item = { part };
    parts.push(item);
    parts.sort((a, b) => a.part - b.part);
  }
  return item;
}

function sessionPart(changes: ChangeTree, state: SessionState): TimingSession | null {
  const session: TimingSession = {};
  const part = integerOf(changes.SessionPart);
  if (part !== null) session.part = part;
  if (has(changes, 'CutOffTime')) session.cutOff = lapTimeOf(changes.CutOffTime);
  if (has(changes, 'CutOffPercentage')) session.cutOffPercent = integerOf(changes.CutOffPercentage);
  const withheld = booleanOf(changes.Withheld);
  if (withheld !== null) session.withheld = withheld;
  if (has(changes, 'NoEntries')) {
    session.entries = Object.values(objectOf(state.topic('TimingData').NoEntries)).map((drivers, index) => ({
      part: index + 1,
      drivers: integerOf(drivers) ?? 0,
    }));
  }
  return Object.keys(session).length === 0 ? null : session;
}
