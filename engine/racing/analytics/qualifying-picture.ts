// What the models know of a qualifying session: which part runs, how much of it is left, and who has done what time in it.
// Follows the merged frames, so that it is a function of them (I7).

import { integerOf, type JsonObject, objectOf, textOf } from '#engine/base/json-value.ts';
import type { MergedFrame } from '#engine/racing/race-events/race-event-rule.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { lapTimeOf } from '#engine/racing/timing-text.ts';
import { upstreamUtcMs } from '#engine/racing/upstream-time.ts';

export interface QualifyingEntry {
  readonly number: string;
  /** Seconds; null: none yet in this part. */
  readonly bestSeconds: number | null;
  /** The best of the parts before, and how many parts ago it was; null: none. */
  readonly earlier: { readonly bestSeconds: number; readonly parts: number } | null;
  readonly place: 'track' | 'pits' | 'out';
}

/** Planned minutes of the parts, for when no clock is told. */
const MINUTES: readonly number[] = [18, 15, 12];
const SPRINT_MINUTES: readonly number[] = [12, 10, 8];
/** In the last part so many take part. */
const LAST_PART_ENTRIES = 10;
const PARTS = 3;
/** How long after an update of a model the next one is due at the earliest. */
export const QUALIFYING_UPDATE_MS = 5_000;
/** So long after the end of a part every lap that was begun in it is over. */
const SETTLED_MS = 150_000;

export class QualifyingPicture {
  /** The last two only show that time goes on when all cars stand. */
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
  /** Of the part: milliseconds that it ran, and since when it runs or is over. */
  #ranMs = 0;
  #runningSinceUtcMs: number | null = null;
  #overSinceUtcMs: number | null = null;
  #isSettled = false;
  #hasChanged = false;
  #emittedUtcMs = -Infinity;

  /** Answers whether the models may have something new to say. */
  apply({ topic, utcMs, changes, state }: MergedFrame): boolean {
    this.#state = state;
    this.#utcMs = utcMs;
    if (topic === 'SessionStatus') this.#applyStatus(textOf(changes.Status));
    else if (topic === 'TimingData') this.#applyTiming(changes.Lines, integerOf(changes.SessionPart));
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

  /** Seconds on the clock; null: not told, or not yet those of this part. */
  get clockSeconds(): number | null {
    const { Utc, Remaining, Extrapolating } = this.#state?.topic('ExtrapolatedClock') ?? {};
    const match = /^(\d{1,3}):(\d\d):(\d\d)$/.exec(textOf(Remaining) ?? '');
    if (match === null) return null;
    const seconds = (Number(match[1]) * 60 + Number(match[2])) * 60 + Number(match[3]);
    // Between the parts it stands still at the end of the one before.
    if (seconds === 0 && this.#ranMs === 0 && this.#runningSinceUtcMs === null) return null;
    const sinceUtcMs = upstreamUtcMs(Utc);
    if (Extrapolating !== true || sinceUtcMs === null) return seconds;
    return Math.max(0, seconds - Math.max(0, this.#utcMs - sinceUtcMs) / 1000);
  }

  /** Seconds until no new lap may be begun; less than 0: since then. Without a clock, by the planned length. */
  get secondsLeft(): number {
    if (this.#overSinceUtcMs !== null) return -(this.#utcMs - this.#overSinceUtcMs) / 1000;
    const clock = this.clockSeconds;
    if (clock !== null) return clock;
    const running = this.#runningSinceUtcMs === null ? 0 : this.#utcMs - this.#runningSinceUtcMs;
    return Math.max(0, this.lengthSeconds - (this.#ranMs + running) / 1000);
  }

  /** Planned length of the part. */
  get lengthSeconds(): number {
    const name = textOf(this.#state?.topic('SessionInfo').Name) ?? '';
    const minutes = name.startsWith('Sprint') ? SPRINT_MINUTES : MINUTES;
    return (minutes[(this.#part ?? 1) - 1] ?? minutes.at(-1)!) * 60;
  }

  /** How many of this part go on; null in the last one. */
  get cutOffPosition(): number | null {
    const part = this.#part;
    if (part === null || part >= PARTS) return null;
    const reported = this.#entriesReported(part + 1);
    if (reported !== null) return reported;
    const entries = this.#state?.positions.size ?? 0;
    const eliminated = Math.ceil(Math.max(0, entries - LAST_PART_ENTRIES) / (PARTS - 1));
    return part === 1 ? entries - eliminated : Math.min(entries, LAST_PART_ENTRIES);
  }

  /** Those who take part in this part, in their present order; who is knocked out is told some seconds after it was named. */
  entries(): QualifyingEntry[] {
    const state = this.#state;
    const part = this.#part;
    if (state === null || part === null) return [];
    return [...state.positions]
      .filter(([number]) => state.timing(number).KnockedOut !== true)
      .sort(([, a], [, b]) => a - b)
      .slice(0, this.#entriesReported(part) ?? undefined)
      .map(([number]) => entryOf(number, state.timing(number), part));
  }

  /** How many take part in a part; null: not told. */
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

  #applyTiming(lines: unknown, part: number | null): void {
    this.#notePart(part);
    const changed = objectOf(lines);
    for (const number of racingNumbers(changed)) {
      const { BestLapTimes, KnockedOut } = objectOf(changed[number]);
      if (BestLapTimes !== undefined || KnockedOut !== undefined) this.#hasChanged = true;
    }
  }

  /** Parts only go up; 0 stands for the time before the first. */
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

function entryOf(number: string, line: JsonObject, part: number): QualifyingEntry {
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
