// `npm run simulate`: plays seeds on all cores. For the first one that fails it prints how to repeat it, and the
// smallest scenario that still fails.

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { isUsageError, refuseRepeated, UsageError, usageText } from '#bench/suite/usage-error.ts';
import { drawScenario } from './draw-scenario.ts';
import { minimise } from './minimise.ts';
import { scenarioText } from './scenario-text.ts';
import type { PlayedSeed } from './simulate-thread.ts';
import { simulate } from './simulation.ts';

const HELP = `npm run simulate -- [--seeds N] [--from S] [--seed S] [--trace]

  --seeds N   how many seeds to play (200)
  --from S    the first seed (0)
  --seed S    play only this seed, and minimise its scenario if it fails
  --trace     print every event of the seed that --seed names
  --help      print this text

A step is one timer of the simulated clock.

Exit code 0: no seed failed. 1: a seed failed, or could not be played. 2: the command line is invalid. 130: Ctrl-C.

Examples:
  npm run simulate -- --seeds 1000
  npm run simulate -- --seed 17 --trace
`;
const THREADS_MAX = 16;
const PROGRESS_EVERY = 20;

interface Sums {
  seeds: number;
  steps: number;
  attempts: number;
  simulatedMs: number;
}

async function main(): Promise<number> {
  refuseRepeated(process.argv.slice(2));
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string' },
      from: { type: 'string' },
      seed: { type: 'string' },
      trace: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const { seed, seeds = '200', from = '0', trace } = values;
  if (trace && seed === undefined) throw new UsageError('--trace needs --seed: it prints one seed only');
  if (seed !== undefined) {
    if (values.seeds !== undefined || values.from !== undefined)
      throw new UsageError('--seed plays one seed: leave out --seeds and --from');
    return playOne(wholeNumber('--seed', seed), trace);
  }
  const count = wholeNumber('--seeds', seeds);
  if (count === 0) throw new UsageError('--seeds must be at least 1');
  return playMany(wholeNumber('--from', from), count);
}

function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 0xffffffff) throw new UsageError(`${option}: "${text}" is not a whole number`);
  return value;
}

async function playOne(seed: number, traced: boolean): Promise<number> {
  const scenario = drawScenario(seed);
  const { violations, trace, steps, attempts, simulatedMs } = await simulate(scenario, traced);
  for (const line of trace) process.stdout.write(`${line}\n`);
  if (violations.length === 0) {
    const seconds = Math.round(simulatedMs / 1_000);
    process.stdout.write(`seed ${seed}: nothing wrong in ${steps} steps, ${attempts} attempts, ${seconds} s\n`);
    return 0;
  }
  await reportFailure(seed, violations);
  return 1;
}

async function reportFailure(seed: number, violations: readonly string[]): Promise<void> {
  process.stdout.write(`seed ${seed} fails:\n${violations.map((text) => `  ${text}\n`).join('')}`);
  process.stdout.write(`to see every event: npm run simulate -- --seed ${seed} --trace\n`);
  const smallest = await minimise(drawScenario(seed), violations);
  process.stdout.write(`the smallest scenario after ${smallest.tries} tries:\n${scenarioText(smallest.scenario)}\n`);
  process.stdout.write(`it fails with:\n${smallest.violations.map((text) => `  ${text}\n`).join('')}`);
}

async function playMany(from: number, count: number): Promise<number> {
  const startMs = performance.now();
  const sums: Sums = { seeds: 0, steps: 0, attempts: 0, simulatedMs: 0 };
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt);
  let failed: PlayedSeed | null = null;
  await playOnThreads(from, count, stop, (played) => {
    sums.seeds++;
    sums.steps += played.steps;
    sums.attempts += played.attempts;
    sums.simulatedMs += played.simulatedMs;
    if (played.violations.length > 0 && (failed === null || played.seed < failed.seed)) failed = played;
    if (failed !== null) stop.abort();
    if (sums.seeds % PROGRESS_EVERY === 0) showProgress(sums, count, startMs);
  });
  process.removeListener('SIGINT', interrupt);
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  process.stdout.write(`${sumText(sums, startMs)}\n`);
  if (failed === null) return stop.signal.aborted ? 130 : 0;
  const { seed, violations } = failed as PlayedSeed;
  await reportFailure(seed, violations);
  return 1;
}

async function playOnThreads(
  from: number,
  count: number,
  stop: AbortController,
  played: (result: PlayedSeed) => void,
): Promise<void> {
  let next = from;
  const threads = Math.min(THREADS_MAX, availableParallelism(), count);
  await Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(new URL('./simulate-thread.ts', import.meta.url));
      try {
        while (next < from + count && !stop.signal.aborted) {
          const result = resultOf(worker);
          worker.postMessage(next++);
          played(await result);
        }
      } finally {
        await worker.terminate();
      }
    }),
  );
}

function resultOf(worker: Worker): Promise<PlayedSeed> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners();
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

function sumText({ seeds, steps, attempts, simulatedMs }: Sums, startMs: number): string {
  const seconds = (performance.now() - startMs) / 1_000;
  const rate = Math.round(steps / seconds).toLocaleString('en');
  const hours = (simulatedMs / 3_600_000).toFixed(1);
  return `${seeds} seeds, ${steps} steps (${rate}/s), ${attempts} attempts, ${hours} simulated hours in ${seconds.toFixed(1)} s`;
}

function showProgress(sums: Sums, count: number, startMs: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${sums.seeds}/${count}: ${sumText(sums, startMs)}`);
}

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage = isUsageError(error);
  const text = isUsage ? `${usageText(error)}\nFor help: npm run simulate -- --help` : (error as Error).stack;
  process.stderr.write(`${text}\n`);
  process.exitCode = isUsage ? 2 : 1;
}
