// From frames to updates: merges each frame into the session state, normalises the changes, and appends the updates to
// a timeline. A pure function of the frames: the same frames give the same bytes on every machine (I7).
//
// An invalid message makes no update and announces no driver. The part that was merged before the error stays merged.
// So a live session, a recovered one and a replay all skip the message alike, and derive the same updates from later
// frames.

import { type Json, type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { SourceError } from '#engine/base/source-error.ts';
import type { AnalyticsUpdate, SessionAnalytics } from '#engine/racing/analytics/session-analytics.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { Content } from '#engine/racing/normalise/normaliser.ts';
import { inflated, isCompressed } from '#engine/racing/normalise/samples.ts';
import type { OutcomeTracker, SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
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
import type { UpdateSink } from '#engine/timeline/update-sink.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';
import { MATURITY, type Maturity } from '#schemas/webhook/maturity.ts';
import { serialisePayload } from '#schemas/webhook/payloads.ts';

/** The number of frames between two progress reports. */
const PROGRESS_FRAMES = 512;

export class SessionDeriver {
  readonly #timeline: UpdateSink;
  readonly #series: Series;
  readonly #state: SessionState;
  readonly #raceEvents: RuleBook;
  readonly #analytics: SessionAnalytics | null;
  readonly #outcome: OutcomeTracker | null;
  /** What the latest frame changed, until the models have seen it: its topic, and maybe a status that it tells. */
  readonly #unanalysed: MergedFrame[] = [];
  /** By topic; empty for a topic that is only read for facts. */
  readonly #rows: ReadonlyMap<string, readonly FeedRow[]>;
  #started = false;
  #rosterVersion = 0;

  constructor(timeline: UpdateSink, series: Series) {
    this.#timeline = timeline;
    this.#series = series;
    this.#state = new SessionState(series.facts);
    this.#raceEvents = new RuleBook(series.raceEventRules());
    this.#analytics = series.analytics();
    this.#outcome = series.outcome();
    const rows = Map.groupBy(series.feedRows(), (row) => row.topic);
    for (const topic of factTopics(series.facts)) if (!rows.has(topic)) rows.set(topic, []);
    this.#rows = rows;
  }

  /**
   * Appends the updates that the frame makes. Returns null, or the error: a SourceError if the message is invalid, that of
   * the timeline if it is full, any other error if the defect is ours. In each case the caller continues with `analyse`
   * and the next frame.
   */
  apply(frame: Frame): Error | null {
    if (!this.#started) this.#timeline.start(frame.utcMs);
    this.#started = true;
    const rows = this.#rows.get(frame.topic);
    if (rows === undefined) return null;
    const updates: Update[] = [];
    try {
      if (isCompressed(frame.topic)) this.#sample(frame, rows, updates);
      else this.#merge(frame, rows, updates);
      this.#announceDrivers();
      for (const update of updates) this.#timeline.append(update);
    } catch (error) {
      return error instanceof MergeError ? invalid(frame, error.message) : (error as Error);
    }
    return null;
  }

  /**
   * Appends the updates that the models make of the applied frame. This is a separate step, so that the frame's own
   * updates can be sent first. Returns null, or the error: that of the timeline if it is full, otherwise a defect of ours.
   */
  analyse(): Error | null {
    let problem: Error | null = null;
    for (const merged of this.#unanalysed) problem ??= this.#analyse(merged);
    this.#unanalysed.length = 0;
    return problem;
  }

  #analyse(merged: MergedFrame): Error | null {
    try {
      const update: AnalyticsUpdate | null = this.#analytics?.apply(merged) ?? null;
      if (update === null) return null;
      const { utcMs, state } = merged;
      const { feed, content } = update;
      const trusted: Content & { readonly maturity: Maturity } = { maturity: MATURITY[feed], ...content };
      this.#timeline.append(updateOf(feed, utcMs, state.lap, trusted));
    } catch (error) {
      return error as Error;
    }
    return null;
  }

  /** Returns the outcome so far; null if the series has none. */
  outcome(): SessionOutcome | null {
    return this.#outcome?.outcome() ?? null;
  }

  #merge(frame: Frame, rows: readonly FeedRow[], updates: Update[]): void {
    const { topic, utcMs } = frame;
    const state = this.#state;
    const message = parsed(frame);
    const changes = state.apply(topic, message);
    if (changes === null) return;
    this.#follow({ topic, utcMs, changes, state, isSnapshot: objectOf(message)._kf === true }, rows, updates);
    const status = state.applyLoggedStatus(topic, changes);
    if (status === null) return;
    const statusTopic = this.#series.facts.status.topic;
    const logged = { topic: statusTopic, utcMs, changes: status, state, isSnapshot: false };
    this.#follow(logged, this.#rows.get(statusTopic)!, updates);
  }

  /** Adds the updates that merged changes make: those of the feeds, and the race events. */
  #follow(merged: MergedFrame, rows: readonly FeedRow[], updates: Update[]): void {
    const { utcMs, changes, state } = merged;
    this.#normalise(utcMs, rows, changes, updates);
    const events = this.#raceEvents.apply(merged);
    this.#outcome?.apply(merged, events);
    for (const { type, numbers, data } of events) {
      const drivers = numbers.map((number) => state.driver(number));
      const touched = drivers.map(touchedDriver);
      const content = { event: type, data, drivers };
      updates.push({ feed: 'events.race', utcMs, lap: state.lap, eventType: type, touched, content });
    }
    this.#unanalysed.push(merged);
  }

  /** Samples do not change the session state, and race event rules do not see them. */
  #sample(frame: Frame, rows: readonly FeedRow[], updates: Update[]): void {
    const message = parsed(frame);
    let samples: JsonObject;
    try {
      samples = inflated(message);
    } catch (error) {
      throw invalid(frame, (error as Error).message);
    }
    this.#normalise(frame.utcMs, rows, samples as ChangeTree, updates);
  }

  #normalise(utcMs: number, rows: readonly FeedRow[], changes: ChangeTree, updates: Update[]): void {
    const state = this.#state;
    for (const { feed, normalise } of rows) {
      for (const content of normalise(changes, state)) updates.push(updateOf(feed, utcMs, state.lap, content));
    }
  }

  /** Adds changed drivers to the timeline, before the updates that mention them. */
  #announceDrivers(): void {
    if (this.#rosterVersion === this.#state.identityVersion) return;
    this.#rosterVersion = this.#state.identityVersion;
    const drivers = Array.from(this.#state.drivers(), ({ number, tla, team }) => ({
      number,
      tla: tla ?? '',
      team: team ?? '',
    }));
    this.#timeline.roster(drivers);
  }
}

function parsed(frame: Frame): Json {
  try {
    return JSON.parse(frame.json) as Json;
  } catch (error) {
    throw invalid(frame, (error as SyntaxError).message);
  }
}

function invalid({ topic, utcMs }: Frame, problem: string): SourceError {
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
 * Derives the complete timeline of a session. Calls `onProgress` from time to time with the number of frames done.
 * Calls `onProblem` with the error of a frame and continues with the next one, as a live session does.
 * Without `onProblem`, throws the error.
 */
export function deriveTimeline(
  head: TimelineHead,
  frames: Iterable<Frame>,
  onProgress?: (framesDone: number) => void,
  onProblem: (problem: Error) => void = rethrow,
): Timeline {
  const builder = new TimelineBuilder(head, serialisePayload);
  const deriver = new SessionDeriver(builder, seriesOf(head.seriesId));
  let count = 0;
  let endUtcMs = 0;
  for (const frame of frames) {
    for (const problem of [deriver.apply(frame), deriver.analyse()]) if (problem !== null) onProblem(problem);
    endUtcMs = frame.utcMs;
    if (++count % PROGRESS_FRAMES === 0) onProgress?.(count);
  }
  onProgress?.(count);
  return builder.build(count, endUtcMs);
}

function rethrow(problem: Error): never {
  throw problem;
}
