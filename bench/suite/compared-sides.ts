// Pairs the runs of one bench in two files: run 1 of A with run 1 of B, and so on. Or says why they cannot be compared.
// A file may hold runs of several benches; each bench's runs are numbered separately.

import { median } from '#engine/base/median.ts';
import { type Difference, pairedDifference, unpairedDifference } from './difference.ts';
import type { BenchResult, Measurement } from './result.ts';
import type { SuiteFile } from './suite-file.ts';

/** One bench in both files. */
export interface Sides {
  readonly bench: string;
  readonly a: readonly BenchRun[];
  readonly b: readonly BenchRun[];
}

export interface BenchRun {
  readonly startedAt: string;
  readonly result: BenchResult;
}

export interface ComparedSamples {
  readonly name: string;
  readonly unit: Measurement['unit'];
  readonly better: Measurement['better'];
  readonly medianA: number;
  readonly medianB: number;
  readonly difference: Difference;
}

/** Every bench in either file, in the order of A. */
export function sidesOf(a: SuiteFile, b: SuiteFile): Sides[] {
  const names = new Set([...a.runs, ...b.runs].flatMap(({ results }) => results.map(({ bench }) => bench)));
  return [...names].map((bench) => ({ bench, a: runsOf(bench, a), b: runsOf(bench, b) }));
}

function runsOf(bench: string, { runs }: SuiteFile): BenchRun[] {
  return runs.flatMap(({ startedAt, results }) =>
    results.filter((result) => result.bench === bench).map((result) => ({ startedAt, result })),
  );
}

/** Drops the surplus runs of the side that has more. */
export function evened({ bench, a, b }: Sides): Sides {
  const pairs = Math.min(a.length, b.length);
  return { bench, a: a.slice(0, pairs), b: b.slice(0, pairs) };
}

/** Why a bench cannot be compared, or null if it can. */
export function whyNotCompared({ a, b }: Sides): string | null {
  if (a.length === 0 || b.length === 0) return `only in ${a.length > 0 ? 'A' : 'B'}`;
  const names = new Set([...a, ...b].flatMap(({ result }) => Object.keys(result.parameters)));
  const different = [...names].flatMap((name) => {
    const inA = parameterValues(name, a);
    const inB = parameterValues(name, b);
    return inA === inB && !inA.includes(', ') ? [] : [`${name} is ${inA} in A and ${inB} in B`];
  });
  return different.length === 0 ? null : `not compared, parameters differ: ${different.join('; ')}`;
}

function parameterValues(name: string, runs: readonly BenchRun[]): string {
  return [...new Set(runs.map(({ result }) => String(result.parameters[name] ?? 'not set')))].join(', ');
}

/** Whether the runs of the two versions alternated, so that the two runs of each pair were close in time. */
export function areAlternating({ a, b }: Sides): boolean {
  return a.every((run, index) => {
    const next = index + 1;
    return next === a.length || (run.startedAt < b[next]!.startedAt && b[index]!.startedAt < a[next]!.startedAt);
  });
}

/** The measurements that all runs have, ratios within a run first; and why the others are left out. */
export function comparedSamples({ a, b }: Sides): { compared: ComparedSamples[]; leftOut: string[] } {
  const compared: ComparedSamples[] = [];
  const leftOut: string[] = [];
  const names = new Set([...a, ...b].flatMap(({ result }) => result.measurements.map(({ name }) => name)));
  for (const name of names) {
    const inA = measurementsOf(name, a);
    const inB = measurementsOf(name, b);
    const all = [...inA, ...inB];
    const { unit, better } = all[0]!;
    if (all.length < a.length + b.length) leftOut.push(`${name}: ${whereFound(inA.length, inB.length)}`);
    else if (all.some((one) => one.unit !== unit || one.better !== better))
      leftOut.push(`${name}: not compared, its unit or its better direction changed`);
    else compared.push({ name, unit, better, ...differenceOf(inA, inB) });
  }
  return { compared: [...compared.filter(isRatio), ...compared.filter((one) => !isRatio(one))], leftOut };
}

function measurementsOf(name: string, runs: readonly BenchRun[]): Measurement[] {
  return runs.flatMap(({ result }) => result.measurements.filter((one) => one.name === name));
}

function whereFound(inA: number, inB: number): string {
  if (inB === 0) return 'only in A';
  return inA === 0 ? 'only in B' : 'not in every run';
}

/** A slow machine slows both sides of a ratio alike. */
function isRatio({ unit }: ComparedSamples): boolean {
  return unit === 'share' || unit === 'x';
}

function differenceOf(a: readonly Measurement[], b: readonly Measurement[]) {
  if (a.length === 1) {
    const [from, to] = [a[0]!.samples, b[0]!.samples];
    return { medianA: median(from), medianB: median(to), difference: unpairedDifference(from, to) };
  }
  const [from, to] = [a, b].map((runs) => runs.map(({ samples }) => median(samples))) as [number[], number[]];
  return { medianA: median(from), medianB: median(to), difference: pairedDifference(from, to) };
}
