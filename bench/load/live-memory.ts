// Memory of a live session: how much a long race with telemetry adds to a real service.
//
// Measured: a race stretched to three hours, with the telemetry of a qualifying session repeated for the whole time.
// Resident memory of the whole process, all threads, before and during the session.
//
// Faults, which must be zero: refused requests, and rounds in which nothing was published.
//
// Results: 45,640 frames, 40,125 updates: 310 MiB before, at most 373 MiB during the session, which takes 65 MiB.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { deflateRawSync } from 'node:zlib';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { openSource } from '#engine/intake/source/open-source.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { inflated } from '#engine/racing/normalise/samples.ts';
import { makeDataFolder, removeDataFolder } from '#workers/demo/data-folder.ts';
import { ServiceProcess } from '#workers/demo/service-process.ts';
import type { BenchResult, Measurement } from '../suite/result.ts';
import { ARCHIVE } from '../suite/shared-data.ts';
import { wholeNumber } from '../suite/whole-number.ts';

export const help = `npm run bench -- live-memory [options]

Feeds a real service, as fast as it accepts, with a race stretched to N hours and the telemetry of a recorded session
repeated for the whole time, and reads the memory of the process along the way. The recordings are in
../shared/data/archive; without them, it feeds the built-in race, which has no telemetry.

  --hours N    length of the session (default 3)
  --rounds N   rounds, each with its own service (default 5)
  --demo       uses the built-in race even if the recordings are present

  npm run bench -- live-memory --hours 6 --rounds 1`;

export const smoke = ['--demo', '--hours', '1', '--rounds', '1'];

const RACE = join(ARCHIVE, '2018-azerbaijan-race');
const TELEMETRY = join(ARCHIVE, '2025-mexico-qualifying');
const HOUR_MS = 3_600_000;
const PIECES = 12;
const START_MS_MAX = 60_000;
const BYTES_PER_MIB = 1_048_576;

interface Round {
  /** Resident memory of the process in MiB: before the session, and after each piece of it. */
  readonly beforeMiB: number;
  readonly residentMiB: readonly number[];
  readonly updates: number;
  readonly refused: number;
}

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      hours: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '5' },
      demo: { type: 'boolean', default: false },
    },
  });
  const hours = wholeNumber('--hours', values.hours);
  const count = wholeNumber('--rounds', values.rounds);
  const isRecorded = !values.demo && existsSync(ARCHIVE);
  const frames = isRecorded ? recordedSession(hours * HOUR_MS) : stretched(demoSessionFrames(), hours * HOUR_MS);
  const rounds: Round[] = [];
  for (let number = 1; number <= count; number++) {
    const round = await measureRound(frames);
    rounds.push(round);
    progress(`round ${number} of ${count}: ${Math.round(takenMiB(round))} MiB, ${round.updates} updates`);
  }
  const memory = (name: string, of: (round: Round) => number): Measurement => ({
    name,
    unit: 'MiB',
    better: 'lower',
    samples: rounds.map(of),
  });
  return {
    bench: 'live-memory',
    parameters: { hours, session: isRecorded ? 'race with telemetry' : 'built-in race', rounds: count },
    measurements: [
      memory('resident before', ({ beforeMiB }) => beforeMiB),
      memory('resident during, at most', ({ residentMiB }) => Math.max(...residentMiB)),
      memory('the session takes', takenMiB),
    ],
    plots: [
      {
        title: 'Resident memory during the session',
        xTitle: 'frames',
        yTitle: 'MiB',
        xScale: 'linear',
        yScale: 'linear',
        series: rounds.map(({ beforeMiB, residentMiB }, index) => ({
          name: `round ${index + 1}`,
          x: [0, ...residentMiB.map((_, piece) => Math.min(frames.length, (piece + 1) * pieceOf(frames)))],
          y: [beforeMiB, ...residentMiB],
        })),
      },
    ],
    faults: {
      refused: rounds.reduce((sum, { refused }) => sum + refused, 0),
      idle: rounds.filter(({ updates }) => updates === 0).length,
    },
    notes: [`${frames.length} frames, ${rounds.at(-1)!.updates} updates`],
  };
}

function takenMiB({ beforeMiB, residentMiB }: Round): number {
  return Math.max(...residentMiB) - beforeMiB;
}

async function measureRound(frames: readonly Frame[]): Promise<Round> {
  const dataDir = makeDataFolder();
  try {
    const service = await ServiceProcess.start(dataDir, AbortSignal.timeout(START_MS_MAX), { ADMIN_PORT: '0' });
    try {
      return await measureSession(service.operatorsAddress, frames);
    } finally {
      await service.stop();
    }
  } finally {
    removeDataFolder(dataDir);
  }
}

async function measureSession(operators: string, frames: readonly Frame[]): Promise<Round> {
  const { residentMiB: beforeMiB } = await readMetrics(operators);
  const residentMiB: number[] = [];
  let updates = 0;
  let refused = 0;
  const size = pieceOf(frames);
  for (let from = 0; from < frames.length; from += size) {
    const lines = frames.slice(from, from + size).map((frame, index) => line(frame, from + index + 1));
    const response = await fetch(`${operators}/v1/ingest/2026-long-race`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.join(''),
    });
    if (!response.ok) refused++;
    await response.text();
    const metrics = await readMetrics(operators);
    residentMiB.push(metrics.residentMiB);
    updates = metrics.updates;
  }
  return { beforeMiB, residentMiB, updates, refused };
}

function pieceOf(frames: readonly Frame[]): number {
  return Math.ceil(frames.length / PIECES);
}

function line({ utcMs, topic, json }: Frame, sequence: number): string {
  return `{"sequence":${sequence},"topic":"${topic}","utc":"${new Date(utcMs).toISOString()}","data":${json}}\n`;
}

function stretched(race: readonly Frame[], lengthMs: number): Frame[] {
  const startMs = race[0]!.utcMs;
  const stretch = lengthMs / (race.at(-1)!.utcMs - startMs);
  return race.map((frame) => ({ ...frame, utcMs: startMs + (frame.utcMs - startMs) * stretch }));
}

/** A race stretched to `lengthMs`, with telemetry at its original pace, repeated. */
function recordedSession(lengthMs: number): Frame[] {
  const frames = stretched([...openSource(RACE).frames()], lengthMs);
  const startMs = frames[0]!.utcMs;
  const samples = [...openSource(TELEMETRY).frames()].filter(({ topic }) => topic.endsWith('.z'));
  const spanMs = samples.at(-1)!.utcMs - samples[0]!.utcMs;
  for (let round = 0; round * spanMs < lengthMs; round++) {
    const shiftMs = startMs + round * spanMs - samples[0]!.utcMs;
    for (const frame of samples) {
      if (frame.utcMs + shiftMs <= startMs + lengthMs) frames.push(later(frame, shiftMs));
    }
  }
  return frames.sort((a, b) => a.utcMs - b.utcMs);
}

/** The same samples, shifted in time, including the timestamps inside them. */
function later({ utcMs, topic, json }: Frame, shiftMs: number): Frame {
  const text = JSON.stringify(inflated(JSON.parse(json)), (key, value) =>
    key === 'Utc' || key === 'Timestamp' ? new Date(Date.parse(value) + shiftMs).toISOString() : value,
  );
  return { utcMs: utcMs + shiftMs, topic, json: JSON.stringify(deflateRawSync(text).toString('base64')) };
}

async function readMetrics(operators: string): Promise<{ residentMiB: number; updates: number }> {
  const text = await (await fetch(`${operators}/metrics`)).text();
  const value = (name: string): number | null => {
    const found = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)`, 'm').exec(text);
    return found === null ? null : Number(found[1]);
  };
  const bytes = value('process_resident_memory_bytes');
  if (bytes === null) throw new Error('the metrics do not say how much memory the service has');
  // Of a session; without one there is none.
  return { residentMiB: bytes / BYTES_PER_MIB, updates: value('slipstream_live_updates') ?? 0 };
}
