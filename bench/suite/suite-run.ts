// Runs benches one after the other. A bench that fails is recorded, and the next one runs.

import { errorText } from '#engine/storage/storage-error.ts';
import type { BenchResult } from './result.ts';
import { describeResult } from './result-text.ts';
import type { SuiteRun } from './suite-file.ts';
import { UsageError } from './usage-error.ts';

export interface PlannedBench {
  readonly name: string;
  readonly args: readonly string[];
}

export interface SuiteRunParts {
  readonly runBench: (
    name: string,
    args: readonly string[],
    progress: (line: string) => void,
    signal: AbortSignal,
  ) => Promise<BenchResult>;
  /** `say` reports progress, `print` results. */
  readonly say: (line: string) => void;
  readonly print: (text: string) => void;
  /** Called after every bench, so an interrupted run keeps its finished results. */
  readonly save: (run: SuiteRun) => Promise<void>;
  /** Stops the run; finished results are kept. */
  readonly signal: AbortSignal;
}

/** Rejects with a UsageError only if a single bench was requested and its arguments are invalid. */
export async function runBenches(
  planned: readonly PlannedBench[],
  context: Pick<SuiteRun, 'machine' | 'versions'>,
  { runBench, say, print, save, signal }: SuiteRunParts,
): Promise<SuiteRun> {
  const startedAt = new Date().toISOString();
  const startMs = performance.now();
  const results: BenchResult[] = [];
  const failed: { bench: string; message: string }[] = [];
  const runSoFar = (): SuiteRun => ({ startedAt, seconds: secondsSince(startMs), ...context, results, failed });
  for (const [index, { name, args }] of planned.entries()) {
    const title = planned.length > 1 ? `[${index + 1} of ${planned.length}] ${name}` : name;
    const benchStartMs = performance.now();
    say([title, ...args].join(' '));
    try {
      const result = await runBench(name, args, (line) => say(`  ${line}`), signal);
      results.push(result);
      print(`\n${describeResult(result)}\n`);
      say(`${title}: done after ${secondsSince(benchStartMs)} s`);
    } catch (error) {
      if (signal.aborted) break;
      if (error instanceof UsageError && planned.length === 1) throw error;
      failed.push({ bench: name, message: errorText(error) });
      say(`${title}: FAILED after ${secondsSince(benchStartMs)} s: ${errorText(error)}`);
    }
    await save(runSoFar());
  }
  return runSoFar();
}

function secondsSince(startMs: number): number {
  return Math.round((performance.now() - startMs) / 100) / 10;
}
