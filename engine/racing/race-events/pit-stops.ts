// pit_stop: a car was in the pits during a race and has left them. Emitted once for each visit, however many topics
// report it. The event has the times that the timing source publishes within ten seconds of the exit: PitStopSeries
// (stationary and lane time) where the session has it, otherwise PitLaneTimeCollection (lane time). If neither comes,
// the lane time is measured between the messages of entry and exit. `source` says which.
// fastest_pit_stop: a stop was faster than all earlier stops of the race by the same published measure: the stationary
// time where stops have it, otherwise the lane time. The first stop does not count: it has nothing to beat. Nor do
// times between the messages of entry and exit: they are up to two seconds off, which is more than stops differ.
//
// A visit is no stop if the session was interrupted during it, or if it began or ended during a gap in the messages.
// While a driver has a drive-through penalty to serve, a visit with neither new tires nor a stationary time is no stop
// either.

import { integerOf, numberOf, objectOf, textOf } from '#engine/base/json-value.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { lapTimeOf } from '#engine/racing/timing-text.ts';
import { raceControlEventOf } from './race-control-text.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent } from './race-event-rule.ts';
import { recentRaceControl } from './recent-race-control.ts';

/** How long a stop waits for its published times. */
const PIT_STOP_WAIT_MS = 10_000;
/**
 * The longest time in the pit lane that a leaderboard counts as a stop. A longer visit is a repair or an interruption.
 */
export const PIT_LANE_MS_MAX = 120_000;

export interface EndedVisit {
  readonly number: string;
  readonly stop: number;
  readonly pitLaneMs: number;
  readonly exitUtcMs: number;
}

/** The times that the timing source published for a visit. */
interface Times {
  readonly source: 'pit_stop_series' | 'pit_lane_times';
  readonly stationaryMs: number | null;
  readonly pitLaneMs: number | null;
}

interface Entry {
  readonly stints: number;
  times: Times | null;
  /** The visit, once it has ended. */
  ended: EndedVisit | null;
}

export class PitStops {
  /** By racing number, the latest visit of cars that are inside or have just left. */
  readonly #entries = new Map<string, Entry>();
  /** Visits that have ended. A car may have entered again since. */
  #waiting: (Entry & { readonly ended: EndedVisit })[] = [];
  readonly #driveThroughs = new Set<string>();
  #fastestStationaryMs = Number.POSITIVE_INFINITY;
  #fastestPitLaneMs = Number.POSITIVE_INFINITY;

  enter(number: string, { state }: MergedFrame): void {
    this.#entries.set(number, { stints: stintsOf(state, number), times: null, ended: null });
  }

  leave(visit: EndedVisit): void {
    const entry = this.#entries.get(visit.number);
    if (entry !== undefined) this.#waiting.push(Object.assign(entry, { ended: visit }));
  }

  /** The session is interrupted: current visits will be no stops. Visits that have ended are still emitted. */
  interrupt(): void {
    for (const [number, { ended }] of this.#entries) if (ended === null) this.#entries.delete(number);
  }

  apply(frame: MergedFrame): readonly RaceEvent[] {
    switch (frame.topic) {
      case 'PitStopSeries':
      case 'PitLaneTimeCollection':
        if (!frame.isSnapshot && this.#entries.size > 0) this.#readTimes(frame);
        return this.emitDue(frame);
      case 'RaceControlMessages':
        this.#readRaceControl(frame);
    }
    return NO_EVENTS;
  }

  emitDue({ state, utcMs }: MergedFrame): readonly RaceEvent[] {
    if (this.#waiting.length === 0) return NO_EVENTS;
    const events: RaceEvent[] = [];
    const hasSeries = Object.hasOwn(state.topic('PitStopSeries'), 'PitTimes');
    this.#waiting = this.#waiting.filter((entry) => {
      const { times, ended: visit } = entry;
      const known = times !== null && (times.stationaryMs !== null || !hasSeries);
      if (!known && utcMs - visit.exitUtcMs < PIT_STOP_WAIT_MS) return true;
      if (this.#entries.get(visit.number) === entry) this.#entries.delete(visit.number);
      const changed = stintsOf(state, visit.number) > entry.stints;
      const droveThrough = this.#driveThroughs.has(visit.number) && !changed && (times?.stationaryMs ?? null) === null;
      if (!droveThrough) events.push(...this.#emit(visit, times));
      return false;
    });
    return events;
  }

  #emit({ number, stop, pitLaneMs: measuredMs }: EndedVisit, times: Times | null): RaceEvent[] {
    const pitLaneMs = times?.pitLaneMs ?? measuredMs;
    const stationaryMs = times?.stationaryMs ?? null;
    const numbers = [number];
    const lasted = { pitLaneMs, ...(stationaryMs === null ? {} : { stationaryMs }) };
    const source = times?.source ?? 'timing';
    const events: RaceEvent[] = [{ type: 'pit_stop', numbers, data: { stop, ...lasted, source } }];
    const measure = times === null ? null : this.#fastestBy(pitLaneMs, stationaryMs);
    if (measure !== null) events.push({ type: 'fastest_pit_stop', numbers, data: { stop, ...lasted, measure } });
    return events;
  }

  /** Returns the measure by which the stop is the fastest so far, or null. Stationary times rule out lane times. */
  #fastestBy(pitLaneMs: number, stationaryMs: number | null): 'stationary' | 'pit_lane' | null {
    if (pitLaneMs > PIT_LANE_MS_MAX) return null;
    if (stationaryMs !== null) {
      const before = this.#fastestStationaryMs;
      this.#fastestStationaryMs = Math.min(before, stationaryMs);
      return stationaryMs < before && before !== Number.POSITIVE_INFINITY ? 'stationary' : null;
    }
    const before = this.#fastestPitLaneMs;
    this.#fastestPitLaneMs = Math.min(before, pitLaneMs);
    const judged = this.#fastestStationaryMs === Number.POSITIVE_INFINITY && before !== Number.POSITIVE_INFINITY;
    return judged && pitLaneMs < before ? 'pit_lane' : null;
  }

  #readTimes({ topic, changes, state }: MergedFrame): void {
    const changed = objectOf(changes.PitTimes);
    const all = objectOf(state.topic(topic).PitTimes);
    for (const number of racingNumbers(changed)) {
      const entry = this.#entries.get(number);
      if (entry === undefined || changed[number] === undefined) continue;
      const times =
        topic === 'PitStopSeries' ? seriesTimes(all[number], objectOf(changed[number])) : laneTimes(all[number]);
      if (times !== null && (entry.times?.stationaryMs ?? null) === null) entry.times = times;
    }
  }

  #readRaceControl(frame: MergedFrame): void {
    for (const message of recentRaceControl(frame)) {
      const event = raceControlEventOf(message);
      if (event?.type !== 'penalty' && event?.type !== 'penalty_served') continue;
      if (event.data.penalty !== 'drive_through') continue;
      for (const number of event.numbers) {
        if (event.type === 'penalty') this.#driveThroughs.add(number);
        else this.#driveThroughs.delete(number);
      }
    }
  }
}

/** Returns the times of the latest stop that changed. */
function seriesTimes(stops: unknown, changed: object): Times | null {
  const latest = Object.keys(changed).at(-1);
  const { PitStopTime, PitLaneTime } = objectOf(
    objectOf(latest === undefined ? null : objectOf(stops)[latest]).PitStop,
  );
  const stationaryMs = millisecondsOf(PitStopTime);
  const pitLaneMs = millisecondsOf(PitLaneTime);
  return stationaryMs === null && pitLaneMs === null ? null : { source: 'pit_stop_series', stationaryMs, pitLaneMs };
}

function laneTimes(entry: unknown): Times | null {
  const pitLaneMs = millisecondsOf(objectOf(entry).Duration);
  return pitLaneMs === null ? null : { source: 'pit_lane_times', stationaryMs: null, pitLaneMs };
}

/** Parses `22.5` and `1:02.5`, and `4763.9`, which follows an interruption. */
function millisecondsOf(value: unknown): number | null {
  const seconds = numberOf(value);
  const ms = seconds === null ? (lapTimeOf(textOf(value))?.ms ?? null) : Math.round(seconds * 1000);
  return ms !== null && ms > 0 ? ms : null;
}

function stintsOf(state: SessionState, number: string): number {
  const stints = objectOf(objectOf(objectOf(state.topic('TimingAppData').Lines)[number]).Stints);
  let count = 0;
  for (const key of Object.keys(stints)) count = Math.max(count, (integerOf(key) ?? -1) + 1);
  return count;
}
