// How long it takes to turn a recording into its timeline: frames in memory, everything from JSON.parse to the serialised
// body; and the same without the models, to see what they add. Both, and the recordings, take turns, round by round, so that a
// noisy minute hits all of them alike.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { deriveTimeline, SessionDeriver } from '#engine/session/derive.ts';
import { F1 } from '#engine/session/series/f1.ts';
import { DEMO_SESSION_ID, demoSessionFrames } from '#engine/source/demo-session/demo-session.ts';
import type { Frame } from '#engine/source/frame.ts';
import { openSource } from '#engine/source/open-source.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import { serialisePayload } from '#schemas/webhook/payloads.ts';
import { median } from './median.ts';
import { wholeNumber } from './whole-number.ts';

const RECORDINGS = fileURLToPath(new URL('../../../shared/data/archive', import.meta.url));

export const summary = 'from the frames of whole sessions to their timelines, ms';

export const help = `npm run bench -- derive [options]

Reads the frames of recordings into memory, derives each recording's timeline in every round, with and without the
models behind analytics.*, and prints the medians. That all rounds give the same bytes is checked; what differs is counted and must be nothing.

  --recordings DIR   a folder of archive folders (default ../shared/data/archive; without it, the built-in session)
  --rounds N         rounds, each once with every recording (default 5)
  --json             print the result as JSON`;

export interface DeriveOptions {
  /** A folder of archive folders; null for the built-in session. */
  readonly recordings: string | null;
  readonly rounds: number;
  readonly progress: (line: string) => void;
}

export interface DerivedRecording {
  readonly name: string;
  readonly frames: number;
  readonly updates: number;
  readonly bodyBytes: number;
  /** In each round. */
  readonly ms: readonly number[];
  /** Without the models. */
  readonly plainMs: readonly number[];
}

export interface DeriveResult {
  readonly recordings: readonly DerivedRecording[];
  /** Rounds that gave other bytes than the first. */
  readonly differing: number;
}

interface Measured {
  readonly name: string;
  readonly frames: readonly Frame[];
  readonly ms: number[];
  readonly plainMs: number[];
  timeline: { readonly digest: string; readonly updates: number; readonly bodyBytes: number } | null;
}

export function measureDerive({ recordings, rounds, progress }: DeriveOptions): DeriveResult {
  const all: Measured[] = [...framesOf(recordings)].map(([name, frames]) => ({
    name,
    frames,
    ms: [],
    plainMs: [],
    timeline: null,
  }));
  if (all.length === 0) throw new Error(`${recordings}: there is no folder with .jsonStream files in it`);
  let differing = 0;
  for (let round = 1; round <= rounds; round++) {
    for (const recording of all) {
      const head = { sessionId: recording.name, seriesId: F1.seriesId };
      if (round % 2 === 0) recording.plainMs.push(plainMsOf(head, recording.frames));
      const startMs = performance.now();
      const timeline = deriveTimeline(head, recording.frames);
      recording.ms.push(performance.now() - startMs);
      if (round % 2 === 1) recording.plainMs.push(plainMsOf(head, recording.frames));
      const digest = digestOf(timeline);
      recording.timeline ??= { digest, updates: timeline.length, bodyBytes: timeline.columns.bodies.length };
      if (recording.timeline.digest !== digest) differing++;
    }
    progress(
      `round ${round} of ${rounds}: ${all.map(({ name, ms }) => `${name} ${ms.at(-1)!.toFixed(0)} ms`).join(', ')}`,
    );
  }
  const results = all.map(({ name, frames, ms, plainMs, timeline }) => {
    const { updates, bodyBytes } = timeline!;
    return { name, frames: frames.length, updates, bodyBytes, ms, plainMs };
  });
  return { recordings: results, differing };
}

/** Derives without the models; answers how long that took. */
function plainMsOf(head: { readonly sessionId: string; readonly seriesId: string }, frames: readonly Frame[]): number {
  const startMs = performance.now();
  const builder = new TimelineBuilder(head, serialisePayload);
  const deriver = new SessionDeriver(builder, { ...F1, analytics: () => null });
  for (const frame of frames) deriver.apply(frame);
  builder.build(frames.length, frames.at(-1)?.utcMs ?? 0);
  return performance.now() - startMs;
}

function* framesOf(recordings: string | null): Generator<[name: string, frames: readonly Frame[]]> {
  if (recordings === null) {
    yield [DEMO_SESSION_ID, demoSessionFrames()];
    return;
  }
  for (const name of readdirSync(recordings).sort()) {
    const folder = join(recordings, name);
    if (readdirSync(folder).some((file) => file.endsWith('.jsonStream')))
      yield [name, [...openSource(folder).frames()]];
  }
}

function digestOf(timeline: Timeline): string {
  const hash = createHash('sha256').update(JSON.stringify(timeline.info));
  for (const column of Object.values(timeline.columns) as (Uint8Array | Uint32Array)[]) {
    hash.update(Buffer.from(column.buffer, column.byteOffset, column.byteLength));
  }
  return hash.digest('hex');
}

/** Runs the bench as a command; answers the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      recordings: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      json: { type: 'boolean', default: false },
    },
  });
  const result = measureDerive({
    recordings: values.recordings ?? (existsSync(RECORDINGS) ? RECORDINGS : null),
    rounds: wholeNumber('--rounds', values.rounds),
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  console.log(values.json ? JSON.stringify(result) : describe(result));
  return result.differing === 0 ? 0 : 1;
}

function describe({ recordings, differing }: DeriveResult): string {
  const rows = recordings.map(({ name, frames, updates, bodyBytes, ms, plainMs }) => {
    const medianMs = median(ms);
    const added = (medianMs / median(plainMs) - 1) * 100;
    const usPerFrame = (medianMs * 1_000) / frames;
    const mib = bodyBytes / 1_048_576;
    return (
      `${name.padEnd(28)} ${medianMs.toFixed(0).padStart(6)} ms ${String(frames).padStart(7)} frames ` +
      `${String(updates).padStart(7)} updates ${mib.toFixed(1).padStart(6)} MiB ${usPerFrame.toFixed(1).padStart(6)} us/frame ` +
      `models +${added.toFixed(0)} %`
    );
  });
  return [...rows, `rounds that gave other bytes: ${differing}`].join('\n');
}
