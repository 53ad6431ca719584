// pit_stop: a car was in the pits during a race and has left them; once for each visit, however many topics report it. Told
// with the times that the timing source publishes when it does so within ten seconds of the exit: PitStopSeries (standing
// and lane time) where the session has it, or else PitLaneTimeCollection (lane time). Where neither speaks, the lane time
// is that between the messages of entry and exit; `source` says which.
// fastest_pit_stop: a stop was faster than all others of the race so far by the same published measure: the standing time
// where stops have it, or else the lane time. Not the first stop, which has nothing to beat, and not by the messages of
// entry and exit: they are up to two seconds off, which is more than stops differ.
//
// A visit during which the session was interrupted, or that began or ended during a gap, is no stop. Nor is one without new
// tires or a standing time while the driver has a drive-through penalty to serve.

import { integerOf, numberOf, objectOf, textOf } from '#engine/base/json-value.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { lapTimeOf } from '#engine/racing/timing-text.ts';
import { raceControlEventOf } from './race-control-text.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent } from './race-event-rule.ts';
import { recentRaceControl } from './recent-race-control.ts';

/** How long a stop waits for the times that the timing source publishes for it. */
const PIT_STOP_WAIT_MS = 10_000;
/** Time in the pit lane beyond which a visit is no stop for a leaderboard, but a repair or an interruption. */
export const PIT_LANE_MS_MAX = 120_000;

export interface EndedVisit {
  readonly number: string;
  readonly stop: number;
  readonly pitLaneMs: number;
  readonly exitUtcMs: number;
}

/** What the timing source published about a visit. */
interface Times {
  readonly source: 'pit_stop_series' | 'pit_lane_times';
  readonly stationaryMs: number | null;
  readonly pitLaneMs: number | null;
}

interface Entry {
  readonly stints: number;
  times: Times | null;
}

export class PitStops {
  /** Visits of cars that are inside or have just left. */
  readonly #entries = new Map<string, Entry>();
  #waiting: EndedVisit[] = [];
  readonly #driveThroughs = new Set<string>();
  #fastestStationaryMs = Number.POSITIVE_INFINITY;
  #fastestPitLaneMs = Number.POSITIVE_INFINITY;

  enter(number: string, { state }: MergedFrame): void {
    this.#entries.set(number, { stints: stintsOf(state, number), times: null });
  }

  leave(visit: EndedVisit): void {
    if (this.#entries.has(visit.number)) this.#waiting.push(visit);
  }

  /** Visits under way end as something else than stops; those that have ended are told all the same. */
  interrupt(): void {
    for (const number of this.#entries.keys()) {
      if (!this.#waiting.some((visit) => visit.number === number)) this.#entries.delete(number);
    }
  }

  hear(frame: MergedFrame): readonly RaceEvent[] {
    switch (frame.topic) {
      case 'PitStopSeries':
      case 'PitLaneTimeCollection':
        if (!frame.complete && this.#entries.size > 0) this.#hearTimes(frame);
        return this.tellDue(frame);
      case 'RaceControlMessages':
        this.#hearRaceControl(frame);
    }
    return NO_EVENTS;
  }

  tellDue({ state, utcMs }: MergedFrame): readonly RaceEvent[] {
    if (this.#waiting.length === 0) return NO_EVENTS;
    const events: RaceEvent[] = [];
    const hasSeries = Object.hasOwn(state.topic('PitStopSeries'), 'PitTimes');
    this.#waiting = this.#waiting.filter((visit) => {
      const entry = this.#entries.get(visit.number)!;
      const { times } = entry;
      const known = times !== null && (times.stationaryMs !== null || !hasSeries);
      if (!known && utcMs - visit.exitUtcMs < PIT_STOP_WAIT_MS) return true;
      this.#entries.delete(visit.number);
      const changed = stintsOf(state, visit.number) > entry.stints;
      const drivenThrough = this.#driveThroughs.has(visit.number) && !changed && (times?.stationaryMs ?? null) === null;
      if (!drivenThrough) events.push(...this.#tell(visit, times));
      return false;
    });
    return events;
  }

  #tell({ number, stop, pitLaneMs: measuredMs }: EndedVisit, times: Times | null): RaceEvent[] {
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

  /** By which measure it is the fastest so far, or null. A race with standing times is not judged by lane times. */
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

  #hearTimes({ topic, changes, state }: MergedFrame): void {
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

  #hearRaceControl(frame: MergedFrame): void {
    for (const message of recentRaceControl(frame)) {
      const event = raceControlEventOf(message);
      if (event?.data.penalty !== 'drive_through') continue;
      for (const number of event.numbers) {
        if (event.type === 'penalty') this.#driveThroughs.add(number);
        else this.#driveThroughs.delete(number);
      }
    }
  }
}

/** The latest of a driver's stops that changed. */
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

/** `22.5` or `1:02.5`; also `4763.9`, as after an interruption. */
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
