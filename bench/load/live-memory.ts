// Memory of a live session: what a long race with telemetry adds to a real service.

import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { deflateRawSync } from 'node:zlib';
import { inflated } from '#engine/session/normalise/samples.ts';
import { demoSessionFrames } from '#engine/source/demo-session/demo-session.ts';
import type { Frame } from '#engine/source/frame.ts';
import { openSource } from '#engine/source/open-source.ts';
import { ServiceProcess } from '#workers/demo/service-process.ts';
import { wholeNumber } from './whole-number.ts';

export const summary = 'memory that a live session of several hours with telemetry takes';

export const help = `npm run bench -- live-memory [options]

Feeds a real service with a race stretched to so many hours, and with the telemetry of a recorded session repeated for as
long, as fast as it takes them, and reads the memory of its process on the way. The recordings are those in
../shared/data/archive; without them it is the built-in race, without telemetry.

  --hours N   length of the session (default 3)
  --json      print the result as JSON`;

const RECORDINGS = new URL('../../../shared/data/archive/', import.meta.url).pathname;
const RACE = join(RECORDINGS, '2018-azerbaijan-race');
const TELEMETRY = join(RECORDINGS, '2025-mexico-qualifying');
const HOUR_MS = 3_600_000;
const PIECES = 12;

export interface LiveMemoryResult {
  readonly frames: number;
  readonly updates: number;
  /** Resident memory of the process, MB: before the session, and after each twelfth of it. */
  readonly beforeMb: number;
  readonly residentMb: readonly number[];
  readonly refused: number;
}

export async function measureLiveMemory(hours: number, progress: (line: string) => void): Promise<LiveMemoryResult> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'));
  chmodSync(dataDir, 0o711);
  const service = await ServiceProcess.start(dataDir, AbortSignal.timeout(60_000), { ADMIN_PORT: '0' });
  const operators = service.operatorsAddress;
  try {
    const frames = longSession(hours * HOUR_MS);
    const beforeMb = (await readMetrics(operators)).residentMb;
    const residentMb: number[] = [];
    let updates = 0;
    let refused = 0;
    const size = Math.ceil(frames.length / PIECES);
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
      residentMb.push(metrics.residentMb);
      updates = metrics.updates;
      progress(`${residentMb.length} of ${PIECES}: ${metrics.residentMb} MB, ${updates} updates`);
    }
    return { frames: frames.length, updates, beforeMb, residentMb, refused };
  } finally {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function line({ utcMs, topic, json }: Frame, sequence: number): string {
  return `{"sequence":${sequence},"topic":"${topic}","utc":"${new Date(utcMs).toISOString()}","data":${json}}\n`;
}

/** A race stretched to the length, with telemetry at its own pace, again and again. */
function longSession(lengthMs: number): Frame[] {
  const recorded = existsSync(RECORDINGS);
  const race = recorded ? [...openSource(RACE).frames()] : demoSessionFrames();
  const startMs = race[0]!.utcMs;
  const stretch = lengthMs / (race.at(-1)!.utcMs - startMs);
  const frames = race.map((frame) => ({ ...frame, utcMs: startMs + (frame.utcMs - startMs) * stretch }));
  if (recorded) {
    const samples = [...openSource(TELEMETRY).frames()].filter(({ topic }) => topic.endsWith('.z'));
    const spanMs = samples.at(-1)!.utcMs - samples[0]!.utcMs;
    for (let round = 0; round * spanMs < lengthMs; round++) {
      const shiftMs = startMs + round * spanMs - samples[0]!.utcMs;
      for (const frame of samples) {
        if (frame.utcMs + shiftMs <= startMs + lengthMs) frames.push(later(frame, shiftMs));
      }
    }
  }
  return frames.sort((a, b) => a.utcMs - b.utcMs);
}

/** The same samples at another time, which they say themselves. */
function later({ utcMs, topic, json }: Frame, shiftMs: number): Frame {
  const text = JSON.stringify(inflated(JSON.parse(json)), (key, value) =>
    key === 'Utc' || key === 'Timestamp' ? new Date(Date.parse(value) + shiftMs).toISOString() : value,
  );
  return { utcMs: utcMs + shiftMs, topic, json: JSON.stringify(deflateRawSync(text).toString('base64')) };
}

async function readMetrics(operators: string): Promise<{ residentMb: number; updates: number }> {
  const text = await (await fetch(`${operators}/metrics`)).text();
  const value = (name: string) => Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return {
    residentMb: Math.round(value('process_resident_memory_bytes') / 1e6),
    updates: value('slipstream_live_updates'),
  };
}

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { hours: { type: 'string', default: '3' }, json: { type: 'boolean', default: false } },
  });
  const result = await measureLiveMemory(wholeNumber('--hours', values.hours), (text) =>
    process.stderr.write(`${text}\n`),
  );
  const { frames, updates, beforeMb, residentMb, refused } = result;
  const highestMb = Math.max(...residentMb);
  if (values.json) console.log(JSON.stringify(result));
  else {
    console.log(`${values.hours} h: ${frames} frames, ${updates} updates, ${refused} requests refused`);
    console.log(
      `resident ${beforeMb} MB before, at most ${highestMb} MB during: the session takes ${highestMb - beforeMb} MB`,
    );
  }
  return refused > 0 ? 1 : 0;
}
