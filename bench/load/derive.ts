// How long it takes to derive the timeline of a whole session from its frames, as imports, preparations and live
// sessions do.
//
// Measured: from `JSON.parse` through merging, every feed, every race event and every model to the serialised bodies
// and the columns, including inflating `.z` frames. Alternating with it, the same without the models; `with to without`
// is their ratio. And of each frame on which models published something, how long they took: p50, p99 and the longest of a
// whole session, and p99 of each frame's median over the rounds, which leaves out what the machine does besides. After each
// of these frames, fixed work that allocates nothing: what its p99 has above its p50 is the machine's. The
// recordings are in ../shared/data/archive; without them, or with `--recordings demo`, it is the built-in race. Every round
// derives every recording, so a noisy minute affects all alike. The first round is a warm-up and does not count.
//
// Not measured: reading the recording (the frames are in memory), writing the artifact.
//
// Faults, which must be zero: rounds that gave other bytes than the first (I7).
//
// How to read: the models do not delay a frame's own updates, which are published before a model sees the frame. Models
// publish one update per frame, so the next frame occasionally waits for it. Artifacts are compiled in the background.
//
// Results (machine and method: bench/README.md):
//
//                                              with models           without   the models add
//     2018-azerbaijan-race                     587 (563 to 618) ms   423 ms    46 %
//     2023-azerbaijan-qualifying               238 (226 to 264) ms   219 ms     9 %
//     2024-britain-practice-1                  233 (219 to 237) ms   198 ms    17 %
//     2025-mexico-qualifying, with telemetry   938 (854 to 953) ms   881 ms     2 %
//     2025-miami-sprint                        488 (442 to 492) ms   371 ms    29 %
//
// Models of one frame, p99 in ms, in a later run on other cores: nine rounds before and after numbers were passed in arrays
// and work was shared between cars and feeds, in turn. Median (range), and rounds above the aim of 2 ms:
//
//                                     before                    after
//     2018-azerbaijan-race            1.85 (1.60 to 2.03), 1    0.59 (0.50 to 1.92), 0
//     2025-miami-sprint               2.13 (0.84 to 3.19), 7    0.76 (0.54 to 3.98), 1
//     2023-azerbaijan-qualifying      1.93 (1.16 to 2.58), 4    1.01 (0.92 to 2.00), 0
//     2024-china-sprint-qualifying    1.99 (1.01 to 2.50), 4    1.01 (0.85 to 1.89), 0
//     2024-spain-qualifying           2.15 (0.99 to 2.41), 6    1.41 (0.84 to 2.35), 3
//     2025-mexico-qualifying          1.90 (1.10 to 2.31), 4    0.97 (0.90 to 1.91), 0
//
// The fixed work had a p50 of 0.65 to 0.70 ms and a p99 of 0.77 to 0.87 ms (medians), so the machine was quiet. The p99 of each
// frame's median was 0.6 to 1.3 ms before and 0.5 to 0.9 ms after: no frame's own work is near 2 ms. The slow ones are those
// that a collection of young memory falls into, and they are others in each round. Three of the 250 frames of a qualifying
// make its p99, and what the models allocate there fills that memory once or twice. With what makes their bodies, models
// allocated 127 MiB in the Baku race before and 85 MiB after, 52 and 39 MiB in the Miami sprint, 47 and 33 MiB in the
// qualifying in China.
//
// Of the models' time in the Baku race, a third goes to their 3.3 MiB of bodies, a sixth to updating their picture of
// the race at every frame, the rest to nine models at sixty moments, 0.2 ms each. By CPU profile, the recording with
// telemetry spends a third on inflating and parsing its 9,332 compressed messages, a tenth on garbage collection, and a
// tenth on writing the bodies.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { assert } from '#engine/base/assert.ts';
import { median } from '#engine/base/median.ts';
import { DEMO_SESSION_ID, demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { openSource } from '#engine/intake/source/open-source.ts';
import { deriveTimeline, SessionDeriver } from '#engine/racing/derive/derive.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { reserveLiveMemory } from '#engine/timeline/live-memory.ts';
import { LiveTimelineWriter } from '#engine/timeline/live-timeline-writer.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import { serialisePayload } from '#schemas/webhook/payloads.ts';
import { quantile } from '../suite/quantiles.ts';
import type { BenchResult, Measurement } from '../suite/result.ts';
import { ARCHIVE } from '../suite/shared-data.ts';
import { wholeNumber } from '../suite/whole-number.ts';

export const help = `npm run bench -- derive [options]

Reads the frames of recordings into memory and derives each recording's timeline in every round, with and without the
models behind analytics.*. Every round must give the same bytes; a difference is a fault.

  --recordings DIR   a folder of archive folders, or "demo" for the built-in race
                     (default ../shared/data/archive if present, else demo)
  --rounds N         rounds; each derives every recording once (default 5)

  npm run bench -- derive --recordings demo --rounds 20`;

export const smoke = ['--recordings', 'demo', '--rounds', '2'];

const QUANTILES = [
  ['p50', 0.5],
  ['p99', 0.99],
  ['longest', 1],
] as const;

const FIXED_STEPS = 1 << 18;
const FIXED_VALUES = new Float64Array(1 << 10).fill(1);

interface Measured {
  readonly sessionId: string;
  readonly frames: readonly Frame[];
  readonly ms: number[];
  /** The same without the models. */
  readonly plainMs: number[];
  /** By round: how long the models took on each frame on which they published, in order. */
  readonly modelMs: (readonly number[])[];
  /** By round: how long fixed work took after each of these frames. */
  readonly fixedMs: (readonly number[])[];
  timeline: { readonly digest: string; readonly updates: number; readonly bodyBytes: number } | null;
}

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      recordings: { type: 'string', default: existsSync(ARCHIVE) ? ARCHIVE : 'demo' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const rounds = wholeNumber('--rounds', values.rounds);
  const all: Measured[] = [...framesOf(values.recordings)].map(([sessionId, frames]) => ({
    sessionId,
    frames,
    ms: [],
    plainMs: [],
    modelMs: [],
    fixedMs: [],
    timeline: null,
  }));
  if (all.length === 0) {
    throw new Error(`--recordings: no folder in ${values.recordings} has .jsonStream files; "demo" is built in`);
  }
  let differing = 0;
  // The first round is a warm-up: it takes two to three times as long.
  for (let round = 0; round <= rounds; round++) {
    for (const recording of all) {
      if (round % 2 === 0) recording.plainMs.push(plainMsOf(recording));
      const startMs = performance.now();
      const timeline = deriveTimeline(headOf(recording), recording.frames);
      recording.ms.push(performance.now() - startMs);
      if (round % 2 === 1) recording.plainMs.push(plainMsOf(recording));
      const { modelMs, fixedMs } = frameTimesOf(recording);
      recording.modelMs.push(modelMs);
      recording.fixedMs.push(fixedMs);
      const digest = digestOf(timeline);
      recording.timeline ??= { digest, updates: timeline.length, bodyBytes: timeline.columns.bodies.length };
      if (recording.timeline.digest !== digest) differing++;
    }
    const times = all.map(({ sessionId, ms }) => `${sessionId} ${ms.at(-1)!.toFixed(0)} ms`);
    progress(`round ${round} of ${rounds}: ${times.join(', ')}`);
  }
  for (const { ms, plainMs, modelMs, fixedMs } of all)
    for (const rounds of [ms, plainMs, modelMs, fixedMs]) rounds.shift();
  return {
    bench: 'derive',
    parameters: { recordings: all.map(({ sessionId }) => sessionId).join(' '), rounds },
    measurements: all.flatMap(({ sessionId, ms, plainMs, modelMs, fixedMs }) => [
      { name: sessionId, unit: 'ms', better: 'lower', samples: ms },
      { name: `${sessionId}, without the models`, unit: 'ms', better: 'lower', samples: plainMs },
      {
        name: `${sessionId}, with to without`,
        unit: 'x',
        better: 'lower',
        samples: ms.map((value, round) => value / plainMs[round]!),
      },
      ...quantilesOf(`${sessionId}, models of one frame`, modelMs),
      ...quantilesOf(`${sessionId}, fixed work after each`, fixedMs),
      ...(modelMs[0]!.length === 0
        ? []
        : [
            {
              name: `${sessionId}, models of one frame, p99 of medians over the rounds`,
              unit: 'ms',
              better: 'lower',
              samples: [quantile(mediansOf(modelMs).sort(ascending), 0.99)],
            } as const,
          ]),
    ]),
    plots: [],
    faults: { differing },
    notes: all.map(({ sessionId, frames, timeline }) => {
      const { updates, bodyBytes } = timeline!;
      return `${sessionId}: ${frames.length} frames, ${updates} updates, ${(bodyBytes / 1_048_576).toFixed(1)} MiB of bodies`;
    }),
  };
}

function quantilesOf(what: string, rounds: readonly (readonly number[])[]): Measurement[] {
  if (rounds[0]!.length === 0) return [];
  return QUANTILES.map(([name, share]) => ({
    name: `${what}, ${name}`,
    unit: 'ms',
    better: 'lower',
    samples: rounds.map((times) => quantile(times.toSorted(ascending), share)),
  }));
}

/** Derives without the models, and returns how long that took. */
function plainMsOf(recording: Measured): number {
  const { frames } = recording;
  const startMs = performance.now();
  const builder = new TimelineBuilder(headOf(recording), serialisePayload);
  const deriver = new SessionDeriver(builder, { ...F1, analytics: () => null });
  for (const frame of frames) deriver.apply(frame);
  builder.build(frames.length, frames.at(-1)?.utcMs ?? 0);
  return performance.now() - startMs;
}

/**
 * How long the models took on each frame on which they published, in order, and fixed work after it. They write into the
 * memory of a live session: that of an import moves when it is full, and then one frame would pay for the whole session.
 */
function frameTimesOf(recording: Measured): { readonly modelMs: number[]; readonly fixedMs: number[] } {
  const memory = reserveLiveMemory(headOf(recording), recording.frames[0]?.utcMs ?? 0);
  const { builder } = new LiveTimelineWriter(memory, serialisePayload);
  const deriver = new SessionDeriver(builder, F1);
  const modelMs: number[] = [];
  const fixedMs: number[] = [];
  for (const frame of recording.frames) {
    deriver.apply(frame);
    const before = builder.length;
    const startMs = performance.now();
    deriver.analyse();
    const endMs = performance.now();
    if (builder.length === before) continue;
    modelMs.push(endMs - startMs);
    const fixedStartMs = performance.now();
    work();
    fixedMs.push(performance.now() - fixedStartMs);
  }
  return { modelMs, fixedMs };
}

/** Takes about as long as the models of a frame, always does the same and allocates nothing. */
function work(): void {
  let sum = 0;
  for (let step = 0; step < FIXED_STEPS; step++) sum += FIXED_VALUES[step % FIXED_VALUES.length]!;
  assert(sum === FIXED_STEPS, 'the sum is always the same');
}

/** By frame. What else the machine does hits a frame in one round, and what the models do in all. */
function mediansOf(modelMs: Measured['modelMs']): number[] {
  return modelMs[0]!.map((_, frame) => median(modelMs.map((times) => times[frame]!)));
}

function ascending(a: number, b: number): number {
  return a - b;
}

function headOf({ sessionId }: Measured): { readonly sessionId: string; readonly seriesId: string } {
  return { sessionId, seriesId: F1.seriesId };
}

function* framesOf(recordings: string): Generator<[sessionId: string, frames: readonly Frame[]]> {
  if (recordings === 'demo') {
    yield [DEMO_SESSION_ID, demoSessionFrames()];
    return;
  }
  if (!existsSync(recordings)) throw new Error(`--recordings: there is no folder ${recordings}; "demo" is built in`);
  for (const entry of readdirSync(recordings, { withFileTypes: true })) {
    const folder = join(recordings, entry.name);
    if (entry.isDirectory() && readdirSync(folder).some((file) => file.endsWith('.jsonStream'))) {
      yield [entry.name, [...openSource(folder).frames()]];
    }
  }
}

function digestOf(timeline: Timeline): string {
  const hash = createHash('sha256').update(JSON.stringify(timeline.info));
  for (const column of Object.values(timeline.columns) as (Uint8Array | Uint32Array)[]) {
    hash.update(Buffer.from(column.buffer, column.byteOffset, column.byteLength));
  }
  return hash.digest('hex');
}
