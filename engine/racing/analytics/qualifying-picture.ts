// What the models know of a qualifying session: the current part, the time left in it, and the drivers' times. Built
// from the merged frames alone (I7).

import { integerOf, type JsonObject, objectOf, textOf } from '#engine/base/json-value.ts';
import type { MergedFrame } from '#engine/racing/race-events/race-event-rule.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { lapTimeOf } from '#engine/racing/timing-text.ts';
import { upstreamUtcMs } from '#engine/racing/upstream-time.ts';
import { type LapUnderWay, SectorShares } from './sector-shares.ts';

export interface QualifyingEntry {
  readonly number: string;
  /** Null: no time yet in this part. */
  readonly bestSeconds: number | null;
  /** The best time of the latest earlier part with one, and how many parts ago that was. Null: none. */
  readonly earlier: { readonly bestSeconds: number; readonly parts: number } | null;
  readonly place: 'track' | 'pits' | 'out';
  /** Null: no sector of the present lap is known, or the lap was given up. */
  readonly lap: LapUnderWay | null;
}

/** Planned minutes of each part, used when there is no clock. */
const MINUTES: readonly number[] = [18, 15, 12];
const SPRINT_MINUTES: readonly number[] = [12, 10, 8];
/** Drivers in the last part. */
const LAST_PART_ENTRIES = 10;
const PARTS = 3;
/** The shortest interval between two updates of a model. */
export const QUALIFYING_UPDATE_MS = 5_000;
/** This long after the end of a part, every lap started in it is over. */
const SETTLED_MS = 150_000;

export class QualifyingPicture {
  /** The last two only show that time passes while all cars stand still. */
  static readonly topics = [
    'TimingData',
    'SessionData',
    'ExtrapolatedClock',
    'SessionStatus',
    'Heartbeat',
    'WeatherData',
  ];
  #state: SessionState | null = null;
  #utcMs = 0;
  #part: number | null = null;
  /** How long the part has run before its latest start, and when that start or the end was. */
  #ranMs = 0;
  #runningSinceUtcMs: number | null = null;
  #overSinceUtcMs: number | null = null;
  #isSettled = false;
  #hasChanged = false;
  #emittedUtcMs = -Infinity;
  readonly #sectors = new SectorShares();

  /** Returns whether the models should run. */
  apply({ topic, utcMs, changes, state }: MergedFrame): boolean {
    this.#state = state;
    this.#utcMs = utcMs;
    if (topic === 'SessionStatus') this.#applyStatus(textOf(changes.Status));
    else if (topic === 'TimingData') this.#applyTiming(changes.Lines, integerOf(changes.SessionPart), state);
    else if (topic === 'SessionData') this.#notePart(latestPart(objectOf(state.topic('SessionData').Series)));
    if (!this.#isSettled && this.#overSinceUtcMs !== null && utcMs - this.#overSinceUtcMs >= SETTLED_MS) {
      this.#isSettled = true;
      this.#hasChanged = true;
    }
    if (!this.#hasChanged || this.#part === null || utcMs - this.#emittedUtcMs < QUALIFYING_UPDATE_MS) return false;
    this.#hasChanged = false;
    this.#emittedUtcMs = utcMs;
    return true;
  }

  /** From 1; null before the first. */
  get part(): number | null {
    return this.#part;
  }

  get partsLeft(): number {
    return PARTS - (this.#part ?? 0);
  }

  /** Seconds on the clock. Null: no clock, or it still shows the previous part. */
  get clockSeconds(): number | null {
    const { Utc, Remaining, Extrapolating } = this.#state?.topic('ExtrapolatedClock') ?? {};
    const match = /^(\d{1,3}):(\d\d):(\d\d)$/.exec(textOf(Remaining) ?? '');
    if (match === null) return null;
    const seconds = (Number(match[1]) * 60 + Number(match[2])) * 60 + Number(match[3]);
    // Between parts the clock stays at zero, the end of the previous part.
    if (seconds === 0 && this.#ranMs === 0 && this.#runningSinceUtcMs === null) return null;
    const sinceUtcMs = upstreamUtcMs(Utc);
    if (Extrapolating !== true || sinceUtcMs === null) return seconds;
    return Math.max(0, seconds - Math.max(0, this.#utcMs - sinceUtcMs) / 1000);
  }

  /** Seconds left to start a lap. Negative: seconds since the end. Without a clock, the planned length stands in. */
  get secondsLeft(): number {
    if (this.#overSinceUtcMs !== null) return -(this.#utcMs - this.#overSinceUtcMs) / 1000;
    const clock = this.clockSeconds;
    if (clock !== null) return clock;
    const running = this.#runningSinceUtcMs === null ? 0 : this.#utcMs - this.#runningSinceUtcMs;
    return Math.max(0, this.lengthSeconds - (this.#ranMs + running) / 1000);
  }

  /** Planned length of the part, in seconds. */
  get lengthSeconds(): number {
    const name = textOf(this.#state?.topic('SessionInfo').Name) ?? '';
    const minutes = name.startsWith('Sprint') ? SPRINT_MINUTES : MINUTES;
    return (minutes[(this.#part ?? 1) - 1] ?? minutes.at(-1)!) * 60;
  }

  /** How many drivers of this part advance. Null in the last part. */
  get cutOffPosition(): number | null {
    const part = this.#part;
    if (part === null || part >= PARTS) return null;
    const reported = this.#entriesReported(part + 1);
    if (reported !== null) return reported;
    const entries = this.#state?.positions.size ?? 0;
    const eliminated = Math.ceil(Math.max(0, entries - LAST_PART_ENTRIES) / (PARTS - 1));
    return part === 1 ? entries - eliminated : Math.min(entries, LAST_PART_ENTRIES);
  }

  /**
   * The drivers of this part, in their current order. Capped at the reported number, because the knock-outs are
   * reported some seconds after the part is named.
   */
  entries(): QualifyingEntry[] {
    const state = this.#state;
    const part = this.#part;
    if (state === null || part === null) return [];
    return [...state.positions]
      .filter(([number]) => state.timing(number).KnockedOut !== true)
      .sort(([, a], [, b]) => a - b)
      .slice(0, this.#entriesReported(part) ?? undefined)
      .map(([number]) => {
        const line = state.timing(number);
        const entry = entryOf(number, line, part);
        const lap =
          entry.place === 'track' ? this.#sectors.underWay(number, objectOf(line.Sectors), this.#utcMs) : null;
        return { ...entry, lap };
      });
  }

  /** The reported number of drivers in a part. Null: not reported. */
  #entriesReported(part: number): number | null {
    const reported = integerOf(objectOf(this.#state?.topic('TimingData').NoEntries)[part - 1]);
    return reported !== null && reported > 0 ? reported : null;
  }

  #applyStatus(status: string | null): void {
    if (status === 'Started') {
      this.#runningSinceUtcMs ??= this.#utcMs;
      this.#overSinceUtcMs = null;
    } else if (this.#runningSinceUtcMs !== null) {
      this.#ranMs += this.#utcMs - this.#runningSinceUtcMs;
      this.#runningSinceUtcMs = null;
    }
    if (status === 'Finished' || status === 'Finalised' || status === 'Ends') this.#overSinceUtcMs ??= this.#utcMs;
    this.#hasChanged = true;
  }

  #applyTiming(lines: unknown, part: number | null, state: SessionState): void {
    this.#notePart(part);
    const changed = objectOf(lines);
    for (const number of racingNumbers(changed)) {
      const { BestLapTimes, KnockedOut, Sectors } = objectOf(changed[number]);
      if (BestLapTimes !== undefined || KnockedOut !== undefined) this.#hasChanged = true;
      if (BestLapTimes === undefined && Sectors === undefined) continue;
      const line = state.timing(number);
      const best = secondsOf(objectOf(line.BestLapTimes)[(this.#part ?? 1) - 1]);
      if (this.#sectors.apply(number, objectOf(line.Sectors), objectOf(Sectors), best, this.#utcMs))
        this.#hasChanged = true;
    }
  }

  /** Parts only go up. 0 means before the first part. */
  #notePart(part: number | null): void {
    if (part === null || part <= (this.#part ?? 0) || part > PARTS) return;
    this.#part = part;
    this.#ranMs = 0;
    this.#overSinceUtcMs = null;
    this.#isSettled = false;
    this.#hasChanged = true;
  }
}

function latestPart(series: JsonObject): number | null {
  let latest: number | null = null;
  for (const key of Object.keys(series)) {
    const part = integerOf(objectOf(series[key]).QualifyingPart);
    if (part !== null) latest = Math.max(latest ?? 0, part);
  }
  return latest;
}

function entryOf(number: string, line: JsonObject, part: number): Omit<QualifyingEntry, 'lap'> {
  const { BestLapTimes, InPit, Stopped, Retired } = line;
  const bests = objectOf(BestLapTimes);
  let earlier: QualifyingEntry['earlier'] = null;
  for (let before = 1; before < part; before++) {
    const seconds = secondsOf(bests[before - 1]);
    if (seconds !== null) earlier = { bestSeconds: seconds, parts: part - before };
  }
  return {
    number,
    bestSeconds: secondsOf(bests[part - 1]),
    earlier,
    place: Retired === true || Stopped === true ? 'out' : InPit === true ? 'pits' : 'track',
  };
}

function secondsOf(best: unknown): number | null {
  const ms = lapTimeOf(objectOf(best).Value)?.ms ?? null;
  return ms === null ? null : ms / 1000;
}
