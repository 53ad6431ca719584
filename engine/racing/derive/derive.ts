// From frames to updates: merges each frame into the session's state, normalises what it changed, and appends the updates
// to a timeline. A function of the frames alone, so that the same frames give the same bytes on every machine (I7).
//
// Of a message that makes no sense no update is made and no driver announced; what was merged of it before that showed stays.
// So the frames after it give the same updates whoever passes over it: a live session, one that was found again, a replay.

import { type Json, type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { SourceError } from '#engine/base/source-error.ts';
import type { AnalyticsUpdate, SessionAnalytics } from '#engine/racing/analytics/session-analytics.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { Content } from '#engine/racing/normalise/normaliser.ts';
import { inflated, isCompressed } from '#engine/racing/normalise/samples.ts';
import type { OutcomeWatch, SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import type { MergedFrame } from '#engine/racing/race-events/race-event-rule.ts';
import { RuleBook } from '#engine/racing/race-events/rule-book.ts';
import { seriesOf } from '#engine/racing/series/known-series.ts';
import type { FeedRow, Series } from '#engine/racing/series/series.ts';
import { type ChangeTree, MergeError } from '#engine/racing/session/merge.ts';
import { factTopics } from '#engine/racing/session/session-facts.ts';
import { SessionState } from '#engine/racing/session/session-state.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { TimelineBuilder, type TimelineHead } from '#engine/timeline/timeline-builder.ts';
import type { TouchedDriver, Update } from '#engine/timeline/update.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';
import { serialisePayload } from '#schemas/webhook/payloads.ts';

/** Frames between two reports of progress. */
const PROGRESS_FRAMES = 512;

export class SessionDeriver {
  readonly #builder: TimelineBuilder;
  readonly #state: SessionState;
  readonly #raceEvents: RuleBook;
  readonly #analytics: SessionAnalytics | null;
  readonly #outcome: OutcomeWatch | null;
  /** The latest frame, until the models have seen it. */
  #unanalysed: MergedFrame | null = null;
  /** By topic; none for a topic that only tells facts. */
  readonly #rows: ReadonlyMap<string, readonly FeedRow[]>;
  #started = false;
  #rosterVersion = 0;

  constructor(builder: TimelineBuilder, series: Series) {
    this.#builder = builder;
    this.#state = new SessionState(series.facts);
    this.#raceEvents = new RuleBook(series.raceEventRules());
    this.#analytics = series.analytics();
    this.#outcome = series.outcome();
    const rows = Map.groupBy(series.feedRows(), (row) => row.topic);
    for (const topic of factTopics(series.facts)) if (!rows.has(topic)) rows.set(topic, []);
    this.#rows = rows;
  }

  /**
   * Appends what the frame changed. Answers why its message makes no sense: a SourceError when the message is to blame,
   * another error for a defect of ours. Null when all is well. The next frame can follow in any case, after `analyse`.
   */
  apply(frame: Frame): Error | null {
    if (!this.#started) this.#builder.start(frame.utcMs);
    this.#started = true;
    const rows = this.#rows.get(frame.topic);
    if (rows === undefined) return null;
    const updates: Update[] = [];
    try {
      if (isCompressed(frame.topic)) this.#sample(frame, rows, updates);
      else this.#merge(frame, rows, updates);
    } catch (error) {
      return error instanceof MergeError ? unusable(frame, error.message) : (error as Error);
    }
    this.#announceDrivers();
    for (const update of updates) this.#builder.append(update);
    return null;
  }

  /**
   * Appends what the models make of the frame that was applied: a step of its own, so that what the frame told is on its way
   * before. Answers the error for a defect of ours.
   */
  analyse(): Error | null {
    const merged = this.#unanalysed;
    this.#unanalysed = null;
    if (merged === null || this.#analytics === null) return null;
    const { utcMs, state } = merged;
    let told: AnalyticsUpdate | null;
    try {
      told = this.#analytics.apply(merged);
    } catch (error) {
      return error as Error;
    }
    if (told !== null) this.#builder.append(updateOf(told.feed, utcMs, state.lap, told.content));
    return null;
  }

  /** How the session stands; null when the series does not tell. */
  outcome(): SessionOutcome | null {
    return this.#outcome?.outcome() ?? null;
  }

  #merge(frame: Frame, rows: readonly FeedRow[], updates: Update[]): void {
    const { topic, utcMs } = frame;
    const state = this.#state;
    const message = parsed(frame);
    const changes = state.apply(topic, message);
    if (changes === null) return;
    this.#normalise(frame, rows, changes, updates);
    const merged = { topic, utcMs, changes, state, complete: objectOf(message)._kf === true };
    const events = this.#raceEvents.apply(merged);
    this.#outcome?.apply(merged, events);
    for (const { type, numbers, data } of events) {
      const drivers = numbers.map((number) => state.driver(number));
      const touched = drivers.map(touchedDriver);
      const content = { event: type, data, drivers };
      updates.push({ feed: 'events.race', utcMs, lap: state.lap, eventType: type, touched, content });
    }
    this.#unanalysed = merged;
  }

  /** A message with samples: it changes nothing of the state, and no race event hears of it. */
  #sample(frame: Frame, rows: readonly FeedRow[], updates: Update[]): void {
    const message = parsed(frame);
    let samples: JsonObject;
    try {
      samples = inflated(message);
    } catch (error) {
      throw unusable(frame, (error as Error).message);
    }
    this.#normalise(frame, rows, samples as ChangeTree, updates);
  }

  #normalise({ utcMs }: Frame, rows: readonly FeedRow[], changes: ChangeTree, updates: Update[]): void {
    const state = this.#state;
    for (const { feed, normalise } of rows) {
      for (const content of normalise(changes, state)) updates.push(updateOf(feed, utcMs, state.lap, content));
    }
  }

  /** Tells the timeline who takes part, before the first update in which that matters. */
  #announceDrivers(): void {
    if (this.#rosterVersion === this.#state.identityVersion) return;
    this.#rosterVersion = this.#state.identityVersion;
    const drivers = Array.from(this.#state.drivers(), ({ number, tla, team }) => ({
      number,
      tla: tla ?? '',
      team: team ?? '',
    }));
    this.#builder.roster(drivers);
  }
}

function parsed(frame: Frame): Json {
  try {
    return JSON.parse(frame.json) as Json;
  } catch (error) {
    throw unusable(frame, (error as SyntaxError).message);
  }
}

function unusable({ topic, utcMs }: Frame, problem: string): SourceError {
  const where = `${topic} at ${new Date(utcMs).toISOString()}`;
  return new SourceError(where, problem, 'The recording is damaged: import it again from its source');
}

function updateOf(feed: FeedId, utcMs: number, lap: number | null, content: Content): Update {
  const touched = 'drivers' in content ? content.drivers.map(touchedDriver) : [];
  return { feed, utcMs, lap, eventType: null, touched, content };
}

function touchedDriver({ number, position }: { number: string; position: number | null }): TouchedDriver {
  return { number, position: position ?? 0 };
}

/**
 * The whole timeline of a session. `onProgress` is called now and then with the number of frames done. Why a message makes no
 * sense goes to `unusable`, and the next frame follows, as in a session that goes on; without it, it is thrown.
 */
export function deriveTimeline(
  head: TimelineHead,
  frames: Iterable<Frame>,
  onProgress?: (framesDone: number) => void,
  unusable: (problem: Error) => void = refuse,
): Timeline {
  const builder = new TimelineBuilder(head, serialisePayload);
  const deriver = new SessionDeriver(builder, seriesOf(head.seriesId));
  let count = 0;
  let endUtcMs = 0;
  for (const frame of frames) {
    const problem = deriver.apply(frame) ?? deriver.analyse();
    if (problem !== null) unusable(problem);
    endUtcMs = frame.utcMs;
    if (++count % PROGRESS_FRAMES === 0) onProgress?.(count);
  }
  onProgress?.(count);
  return builder.build(count, endUtcMs);
}

function refuse(problem: Error): never {
  throw problem;
}
