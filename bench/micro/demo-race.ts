// The input of the subjects: the first part of the built-in race. Its messages have realistic shapes and sizes, and
// every checkout has them.

import type { Json } from '#engine/base/json-value.ts';
import { DEMO_SESSION_ID, demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { SessionDeriver } from '#engine/racing/derive/derive.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import { serialisePayload } from '#schemas/webhook/payloads.ts';

/** Enough to include every kind of message: pit stops, yellow flags, a retirement. */
const FRAMES = 2_500;
const TIMING_FRAMES = 256;

export type Payload = Readonly<Record<string, unknown>>;

export interface DemoRace {
  /** All frames before the first of `timing`. */
  readonly before: readonly Frame[];
  /** Timing frames from the middle of the race; theirs is by far the most frequent topic. */
  readonly timing: readonly Frame[];
  readonly timeline: Timeline;
  /** The payload that each update of the timeline was serialised from. */
  readonly payloads: readonly Payload[];
}

let race: DemoRace | null = null;

/** Shared by all subjects of a process. */
export function demoRace(): DemoRace {
  race ??= derived(demoSessionFrames().slice(0, FRAMES));
  return race;
}

function derived(frames: readonly Frame[]): DemoRace {
  const payloads: Payload[] = [];
  const builder = new TimelineBuilder({ sessionId: DEMO_SESSION_ID, seriesId: F1.seriesId }, (feed, payload) => {
    payloads.push(payload);
    return serialisePayload(feed, payload);
  });
  // Without the models, which would take most of the time and have their own bench.
  const deriver = new SessionDeriver(builder, { ...F1, analytics: () => null });
  for (const frame of frames) {
    const problem = deriver.apply(frame);
    if (problem !== null) throw problem;
  }
  const timing = frames.filter(({ topic }) => topic === F1.facts.timing.topic).slice(-TIMING_FRAMES);
  return {
    before: frames.slice(0, frames.indexOf(timing[0]!)),
    timing,
    timeline: builder.build(frames.length, frames.at(-1)!.utcMs),
    payloads,
  };
}

export function message({ json }: Frame): Json {
  return JSON.parse(json) as Json;
}
