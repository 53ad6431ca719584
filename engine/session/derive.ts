// From frames to updates: merges each frame into the session's state, normalises what it changed, and appends the updates
// to a timeline. A function of the frames alone, so that the same frames give the same bytes on every machine (I7).

import type { Frame } from '#engine/source/frame.ts';
import { SourceError } from '#engine/source/source-error.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { TimelineBuilder, type TimelineHead } from '#engine/timeline/timeline-builder.ts';
import type { TouchedDriver, Update } from '#engine/timeline/update.ts';
import { serialisePayload } from '#schemas/webhook/payloads.ts';
import { rowsOf } from './feeds.ts';
import { type Json, objectOf } from './json-value.ts';
import { type ChangeTree, MergeError } from './merge.ts';
import { RaceEvents } from './race-events/race-events.ts';
import { SessionState } from './session-state.ts';

/** To be raised whenever the same frames give other updates than before: compiled timelines of older versions are stale. */
export const DERIVER_VERSION = 1;

/** Frames between two reports of progress. */
const PROGRESS_FRAMES = 512;

export class SessionDeriver {
  readonly #builder: TimelineBuilder;
  readonly #state = new SessionState();
  readonly #raceEvents = new RaceEvents();
  #started = false;
  #rosterVersion = 0;

  constructor(builder: TimelineBuilder) {
    this.#builder = builder;
  }

  /** Appends what the frame changed. Throws a SourceError when its message is unusable; then this is at its end. */
  apply(frame: Frame): void {
    if (!this.#started) this.#builder.start(frame.utcMs);
    this.#started = true;
    const rows = rowsOf(frame.topic);
    if (rows.length === 0) return;
    const message = parsed(frame);
    const changes = this.#merge(frame, message);
    if (changes === null) return;
    const complete = objectOf(message)._kf === true;
    const { topic, utcMs } = frame;
    const state = this.#state;
    const updates: Update[] = [];
    for (const { feed, normalise } of rows) {
      for (const content of normalise(changes, state)) {
        const touched = 'drivers' in content ? content.drivers.map(touchedDriver) : [];
        updates.push({ feed, utcMs, lap: state.lap, eventType: null, touched, content: { ...content } });
      }
    }
    for (const { type, numbers, data } of this.#raceEvents.apply({ topic, utcMs, changes, state, complete })) {
      const drivers = numbers.map((number) => state.driver(number));
      const touched = drivers.map(touchedDriver);
      const content = { event: type, data, drivers };
      updates.push({ feed: 'events.race', utcMs, lap: state.lap, eventType: type, touched, content });
    }
    this.#announceDrivers();
    for (const update of updates) this.#builder.append(update);
  }

  #merge(frame: Frame, message: Json): ChangeTree | null {
    try {
      return this.#state.apply(frame.topic, message);
    } catch (error) {
      throw error instanceof MergeError ? unusable(frame, error.message) : error;
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

function touchedDriver({ number, position }: { number: string; position: number | null }): TouchedDriver {
  return { number, position: position ?? 0 };
}

/** The whole timeline of a session. `onProgress` is called now and then with the number of frames done. */
export function deriveTimeline(
  head: TimelineHead,
  frames: Iterable<Frame>,
  onProgress?: (framesDone: number) => void,
): Timeline {
  const builder = new TimelineBuilder(head, serialisePayload);
  const deriver = new SessionDeriver(builder);
  let count = 0;
  let endUtcMs = 0;
  for (const frame of frames) {
    deriver.apply(frame);
    endUtcMs = frame.utcMs;
    if (++count % PROGRESS_FRAMES === 0) onProgress?.(count);
  }
  onProgress?.(count);
  return builder.build(count, endUtcMs);
}
