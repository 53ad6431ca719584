// A steady rate of deliveries through a real service over a long time: whether its memory grows, and whether deliveries
// become later. Ten minutes by default, `--minutes 60` for an hour; `all` plays one minute.
//
// Measured: a real service replays a session of evenly spaced updates, 5,000 deliveries/s to 100 endpoints. What all of
// its threads hold after a forced collection, forty times at most; resident memory every second; CPU; lag (from due to fully
// received) by minute. The forced collections are part of the lag.
//
// How to read: the criterion is the memory that is held after a collection. Resident memory says less: the allocator
// keeps what it has freed, and reaches its level only after millions of deliveries, so its slope counts from the six
// millionth on. A slope excludes a warm-up, too. It is fitted to ten block means, because neighbouring values are not
// independent. Memory grows if the whole 95 % interval is above zero. Runs under ten minutes give no slope.
//
// Not measured: memory of PostgreSQL.
//
// Results of an hour at 2,500 deliveries/s, nine million, on two cores that had much other work at the same time, so lags
// say nothing. After a collection the threads hold 88.5 MiB (87.8 to 89.2, forty collections). The slope is 0.5 MiB an hour
// (0.1 to 0.8), which is a twentieth of a byte per delivery. Resident memory from six million on: -1 MiB an hour (-16 to
// 13), at most 409 MiB. No fault. Of ten minutes at 5,000/s, alone on the machine: p99 lag 6.1 ms (5.7 to 7.1 by minute),
// 41 us of CPU per delivery.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '#engine/base/clock.ts';
import type { ApiClient } from '#workers/demo/api-client.ts';
import { BenchService } from '../engines/bench-service.ts';
import { ArrivalReceiver, type Expected } from '../receivers/arrival-receiver-process.ts';
import { readUsage } from '../suite/process-usage.ts';
import { quantile } from '../suite/quantiles.ts';
import { type BenchResult, type Measurement, PLOT_POINTS_MAX, type Plot } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { arrivedBetween, type Lag, lagsOf } from './lag.ts';
import { ServiceHeap } from './service-heap.ts';
import { slopeOf } from './slope.ts';
import { firstLine, STEADY_FEED, STEADY_FIRST_SEQUENCE, steadyLine } from './steady-frames.ts';

export const help = `npm run bench -- soak [options]

Replays a session of evenly spaced updates through a real service to endpoints in another process on this machine, and
reads the service's memory: what its threads hold after a forced collection, forty times at most, and what is resident,
every second. The slope of what is held excludes a warm-up (a fifth of the time, at most two minutes), that of resident memory
the first six million deliveries. Slopes have a 95 % interval: memory grows if all of it is above zero. Runs under ten
minutes give no slope. Lag is from when an update is due to when an endpoint has read all of it, grouped by the minute in
which it is due. Lost, doubled, wrongly signed and unrecorded deliveries are faults.

  --minutes N    duration (default 10)
  --seconds N    duration in seconds instead
  --rate N       deliveries a second (default 5000)
  --endpoints N  endpoints that share them (default 100)
  --shards N     delivery threads (default 1)

Ten minutes at 5,000/s write some 400 MB of delivery log to the folder for temporary files (TMPDIR), an hour six times
that.
Example: npm run bench -- soak --minutes 60`;

export const smoke = ['--seconds', '1', '--rate', '200', '--endpoints', '10'];
export const all = ['--minutes', '1'];

const SESSION_ID = '2026-soak-race';
const WARM_UP_S_MAX = 120;
const POLL_MS = 50;
const SAMPLE_MS = 1_000;
/** Forced collections of one run, and the shortest time between two: each holds a thread up for a tenth of a second. */
const COLLECTIONS = 40;
const COLLECTED_EVERY_S_MIN = 30;
/** The allocator has reached its level after so many deliveries. */
const RESIDENT_FROM_DELIVERIES = 6_000_000;
/** How long the last deliveries may take once due, and how long until all are recorded. */
const LAST_MS_MAX = 60_000;
const MINUTE_MS = 60_000;
/** The most bins of the lag plot. */
const BINS_MAX = 600;

interface Options {
  readonly seconds: number;
  readonly rate: number;
  readonly endpoints: number;
  readonly shards: number;
}

/** The service's memory and CPU at a moment of the play. */
interface Sample {
  readonly atS: number;
  readonly rssMiB: number;
  readonly cpuUs: number;
  /** What its threads hold after a collection; null without one. */
  readonly heldMiB: number | null;
}

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '10' },
      seconds: { type: 'string' },
      rate: { type: 'string', default: '5000' },
      endpoints: { type: 'string', default: '100' },
      shards: { type: 'string', default: '1' },
    },
  });
  const options = {
    seconds:
      values.seconds === undefined
        ? wholeNumber('--minutes', values.minutes) * 60
        : wholeNumber('--seconds', values.seconds),
    rate: wholeNumber('--rate', values.rate),
    endpoints: wholeNumber('--endpoints', values.endpoints),
    shards: wholeNumber('--shards', values.shards),
  };
  if (options.rate < options.endpoints)
    throw new Error(`--rate: ${options.rate} is less than one update a second for ${options.endpoints} endpoints`);
  const receiver = await ArrivalReceiver.start();
  try {
    const heap = await ServiceHeap.prepare();
    const service = await BenchService.start({ SHARDS: String(options.shards), ...heap.settings });
    try {
      return await measure(service, heap, receiver, options, progress);
    } finally {
      await service.end();
    }
  } finally {
    await receiver.end();
  }
}

async function measure(
  service: BenchService,
  heap: ServiceHeap,
  receiver: ArrivalReceiver,
  options: Options,
  progress: (line: string) => void,
): Promise<BenchResult> {
  const { seconds, rate, endpoints, shards } = options;
  const everyMs = (endpoints * 1_000) / rate;
  const updates = Math.floor((seconds * 1_000) / everyMs);
  const secrets = await service.useEndpoints(receiver.origin, endpoints, STEADY_FEED);
  const expected: Expected = { secrets, first: STEADY_FIRST_SEQUENCE, updates };
  await receiver.expect(expected);
  const api = await service.openApi();
  progress(`importing a session of ${updates} updates, one every ${everyMs.toFixed(1)} ms`);
  await prepareSession(service, api, updates, everyMs);

  const { runId } = await api.startRun(SESSION_ID, 1);
  const { startedAt } = await api.run(runId);
  // Converted to the monotonic clock now, so a later correction of the wall clock has no effect.
  const startMs = systemClock.nowMs() - (systemClock.wallMs() - Date.parse(startedAt));
  const samples = await sampled(service, heap, { startMs, seconds, progress });
  await receiver.settled(LAST_MS_MAX);
  const arrivals = await receiver.report();
  const recorded = await recordedUpTo(service, updates * endpoints);
  // The times of frames are whole milliseconds.
  const dueAtMs = (position: number) => startMs + Math.floor((position + 1 - STEADY_FIRST_SEQUENCE) * everyMs);
  const lags = lagsOf(arrivals, expected, dueAtMs);
  return {
    bench: 'soak',
    parameters: { seconds, rate, endpoints, shards },
    measurements: [
      { name: 'p99 lag, by minute', unit: 'ms', better: 'lower', samples: p99ByMinute(lags) },
      ...usageMeasurements(samples, lags, options),
    ],
    plots: plotsOf(samples, lags),
    faults: {
      lost: updates * endpoints - arrivals.distinct,
      doubled: arrivals.doubled,
      wronglySigned: arrivals.wronglySigned,
      unexpected: arrivals.unexpected,
      unrecorded: Math.abs(updates * endpoints - recorded.logged) + Math.abs(updates * endpoints - recorded.used),
    },
    notes: samples.length === 0 ? ['This system does not report memory and CPU (/proc).'] : [],
  };
}

/** Imports the session and prepares it for replay. */
async function prepareSession(service: BenchService, api: ApiClient, updates: number, everyMs: number): Promise<void> {
  const path = join(service.process.dataDir, 'steady.ndjson');
  const lines = [firstLine()];
  for (let number = 0; number < updates; number++) lines.push(steadyLine(number, everyMs));
  writeFileSync(path, lines.join(''));
  await service.process.admin(['import', 'recording', path, '--session', SESSION_ID], service.signal);
  let { status } = await api.prepare(SESSION_ID);
  while (status === 'preparing') {
    await pause(POLL_MS, undefined, { signal: service.signal });
    ({ status } = await api.preparation(SESSION_ID));
  }
  if (status !== 'ready') throw new Error(`the session could not be prepared: ${status}`);
}

/** Samples the service every second until the play is over. */
async function sampled(
  service: BenchService,
  heap: ServiceHeap,
  play: { readonly startMs: number; readonly seconds: number; readonly progress: (line: string) => void },
): Promise<Sample[]> {
  const { startMs, seconds, progress } = play;
  const collectedEveryS = Math.max(COLLECTED_EVERY_S_MIN, Math.ceil(seconds / COLLECTIONS));
  const samples: Sample[] = [];
  for (let sample = 1; sample <= seconds; sample++) {
    const waitMs = startMs + sample * SAMPLE_MS - systemClock.nowMs();
    await pause(Math.max(0, waitMs), undefined, { signal: service.signal });
    const usage = readUsage(service.pid);
    const isCollected = sample % collectedEveryS === 0 || sample === seconds;
    const heldMiB = isCollected ? await heap.collected() : null;
    if (usage !== null) samples.push({ atS: (systemClock.nowMs() - startMs) / 1_000, ...usage, heldMiB });
    if (sample % 60 === 0 || sample === seconds) progress(`${sample} of ${seconds} s: ${memoryText(samples)}`);
  }
  return samples;
}

function memoryText(samples: readonly Sample[]): string {
  const resident = samples.at(-1)?.rssMiB;
  if (resident === undefined) return 'memory unknown';
  const held = samples.findLast(({ heldMiB }) => heldMiB !== null)?.heldMiB ?? Number.NaN;
  return `${resident.toFixed(1)} MiB resident, ${held.toFixed(1)} MiB held after the last collection`;
}

/** Waits until that many attempts are recorded, at most LAST_MS_MAX, and returns the counts. */
async function recordedUpTo(service: BenchService, attempts: number) {
  const endMs = systemClock.nowMs() + LAST_MS_MAX;
  for (;;) {
    const recorded = await service.recorded();
    const complete = recorded.logged >= attempts && recorded.used >= attempts;
    if (complete || systemClock.nowMs() > endMs) return recorded;
    await pause(SAMPLE_MS, undefined, { signal: service.signal });
  }
}

function p99ByMinute({ dueMs, lagMs }: Lag): number[] {
  return binned(dueMs, lagMs, MINUTE_MS).flatMap((sorted) => (sorted.length === 0 ? [] : [quantile(sorted, 0.99)]));
}

/** The lags of the updates due in each interval of `binMs`, ascending. `dueMs` is ascending. */
function binned(dueMs: Float64Array, lagMs: Float64Array, binMs: number): Float64Array[] {
  const bins: Float64Array[] = [];
  let from = 0;
  while (from < dueMs.length) {
    let to = from;
    while (to < dueMs.length && dueMs[to]! < (bins.length + 1) * binMs) to++;
    bins.push(lagMs.slice(from, to).sort());
    from = to;
  }
  return bins;
}

function usageMeasurements(samples: readonly Sample[], lags: Lag, { seconds, rate }: Options): Measurement[] {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || first === last) return [];
  // A machine that is too slow delivers less than the rate.
  const delivered = arrivedBetween(lags, first.atS * 1_000, last.atS * 1_000);
  const cpu = (last.cpuUs - first.cpuUs) / Math.max(1, delivered);
  const warmUpS = Math.min(WARM_UP_S_MAX, seconds / 5);
  const held = heldIn(samples);
  const highest = Math.max(...samples.map(({ rssMiB }) => rssMiB));
  return [
    { name: 'CPU of a delivery, service process', unit: 'us', better: 'lower', samples: [cpu] },
    { name: 'memory held after a collection', unit: 'MiB', better: 'lower', samples: held.map(({ miB }) => miB) },
    ...slopesOf(
      'memory held',
      held.filter(({ atS }) => atS > warmUpS),
    ),
    { name: 'resident memory, highest', unit: 'MiB', better: 'lower', samples: [highest] },
    ...slopesOf(
      'resident memory',
      samples
        .filter(({ atS }) => atS > warmUpS && atS * rate >= RESIDENT_FROM_DELIVERIES)
        .map(({ atS, rssMiB }) => ({ atS, miB: rssMiB })),
    ),
  ];
}

/** Memory at a moment of the play. */
interface MemoryAt {
  readonly atS: number;
  readonly miB: number;
}

function heldIn(samples: readonly Sample[]): MemoryAt[] {
  return samples.flatMap(({ atS, heldMiB }) => (heldMiB === null ? [] : [{ atS, miB: heldMiB }]));
}

/** Empty if there are too few of them, or over too short a time: a slope would show the rhythm of other work only. */
function slopesOf(what: string, memory: readonly MemoryAt[]): Measurement[] {
  const spanS = (memory.at(-1)?.atS ?? 0) - (memory[0]?.atS ?? 0);
  if (memory.length < SLOPE_SAMPLES_MIN || spanS < SLOPE_S_MIN) return [];
  const { slope, uncertainty } = slopeOf(
    memory.map(({ atS }) => atS / 3_600),
    memory.map(({ miB }) => miB),
  );
  const name = `${what}, slope in an hour`;
  const measurement = { unit: 'MiB', better: 'lower' } as const;
  return [
    { ...measurement, name, samples: [slope] },
    { ...measurement, name: `${name}, at least (95 %)`, samples: [slope - uncertainty], target: 0 },
    { ...measurement, name: `${name}, at most (95 %)`, samples: [slope + uncertainty] },
  ];
}

const SLOPE_SAMPLES_MIN = 12;
const SLOPE_S_MIN = 200;

function plotsOf(samples: readonly Sample[], { dueMs, lagMs }: Lag): Plot[] {
  const every = Math.ceil(samples.length / PLOT_POINTS_MAX);
  const held = heldIn(samples);
  const shown = samples.filter((_, index) => index % every === 0);
  const binMs = Math.max(1_000, (dueMs.at(-1) ?? 0) / BINS_MAX);
  const bins = binned(dueMs, lagMs, binMs);
  const lag = (name: string, share: number) => ({
    name,
    x: bins.map((_, bin) => ((bin + 0.5) * binMs) / 1_000),
    y: bins.map((sorted) => (sorted.length === 0 ? null : quantile(sorted, share))),
  });
  const over = { xTitle: 'seconds', xScale: 'linear' } as const;
  return [
    {
      ...over,
      title: 'Memory of the service',
      yTitle: 'MiB',
      yScale: 'linear',
      series: [
        { name: 'resident', x: shown.map(({ atS }) => atS), y: shown.map(({ rssMiB }) => rssMiB) },
        { name: 'held', x: held.map(({ atS }) => atS), y: held.map(({ miB }) => miB) },
      ],
    },
    {
      ...over,
      title: 'Lag',
      yTitle: 'ms',
      yScale: 'log',
      series: [lag('p50', 0.5), lag('p99', 0.99), lag('largest', 1)],
    },
  ];
}
