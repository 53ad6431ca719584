// The regression guard: compares the result files of two versions of the program.
//
// With one run in each file, it compares the rounds of B with the rounds of A. With several alternating runs (old, new,
// old, new ...), it compares run 1 of A with run 1 of B and so on, by the medians of their rounds, so a slow hour of
// the machine affects both versions alike. It lists what cannot be compared: benches whose parameters differ,
// measurements that only one file has.
//
// How much it detects, in simulations with 20 measurements and 3 % noise: 5 rounds detect a change of 10 % in 78 % of
// cases, 10 rounds nearly always. While the machine drifts by 15 % from pair to pair, 8 pairs of runs detect 5 % in 95
// % of cases, 5 pairs in half. Identical versions are called worse in 1 to 3 %. It cannot see a shift of the whole
// machine between two single runs: a shift of 2 % caused a false "worse" in 13 % of simulations.
// test/bench/compare.test.ts runs such simulations.

import { comparisonText } from './compare-text.ts';
import {
  areAlternating,
  type ComparedSamples,
  comparedSamples,
  evened,
  type Sides,
  sidesOf,
  whyNotCompared,
} from './compared-sides.ts';
import type { Comparison } from './comparison.ts';
import { readSuiteFile, type SuiteFile } from './suite-file.ts';
import { verdicts } from './verdict.ts';

/** Rejects if a file cannot be read or the two share no measurement. */
export async function compareFiles(pathA: string, pathB: string): Promise<{ text: string; worse: boolean }> {
  const [a, b] = [await readSuiteFile(pathA), await readSuiteFile(pathB)];
  const comparison = compareSuites(a, b);
  if (comparison.benches.length === 0 && !comparison.worse) {
    const reasons = [...comparison.leftOut, ...comparison.warnings].map((reason) => `\n  ${reason}`).join('');
    throw new Error(`${pathA} and ${pathB} have no comparable measurement in common${reasons}`);
  }
  const heading = `A: ${origin(pathA, a)}\nB: ${origin(pathB, b)}\n`;
  return { text: `${heading}\n${comparisonText(comparison)}`, worse: comparison.worse };
}

export function compareSuites(a: SuiteFile, b: SuiteFile): Comparison {
  const warnings = [...environmentDifferences(a, b), ...problems('A', a)];
  const broken = problems('B', b);
  const leftOut: string[] = [];
  const found: { readonly sides: Sides; readonly compared: readonly ComparedSamples[] }[] = [];
  for (const all of sidesOf(a, b)) {
    const reason = whyNotCompared(all);
    if (reason !== null) {
      leftOut.push(`${all.bench}: ${reason}`);
      continue;
    }
    const sides = evened(all);
    const samples = comparedSamples(sides);
    warnings.push(...doubtfulPairs(all, sides));
    leftOut.push(...samples.leftOut.map((line) => `${all.bench}, ${line}`));
    if (samples.compared.length > 0) found.push({ sides, compared: samples.compared });
  }
  const judged = verdicts(
    found.flatMap(({ sides, compared }) => compared.map((one) => ({ ...one, paired: sides.a.length > 1 }))),
  ).values();
  const benches = found.map(({ sides, compared }) => ({
    bench: sides.bench,
    parameters: sides.a[0]!.result.parameters,
    pairs: sides.a.length,
    measurements: compared.map((one) => ({ ...one, verdict: judged.next().value! })),
  }));
  const worse =
    broken.length > 0 || benches.some(({ measurements }) => measurements.some(({ verdict }) => verdict === 'worse'));
  return { warnings, broken, benches, leftOut, worse };
}

function origin(path: string, { runs }: SuiteFile): string {
  const versions = [...new Set(runs.map((run) => run.versions.slipstream ?? 'of unknown version'))];
  const first = runs[0]?.startedAt ?? 'never';
  return `${path}, ${runs.length === 1 ? '1 run' : `${runs.length} runs`} from ${first}, slipstream ${versions.join(', ')}`;
}

/** Differences in machine and versions, except for the version of slipstream, which is what is being compared. */
function environmentDifferences(a: SuiteFile, b: SuiteFile): string[] {
  const [inA, inB] = [environment(a), environment(b)];
  return [...new Set([...inA.keys(), ...inB.keys()])]
    .filter((name) => name !== 'slipstream')
    .map((name) => ({ name, a: inA.get(name) ?? 'none', b: inB.get(name) ?? 'none' }))
    .filter((one) => one.a !== one.b)
    .map((one) => `${one.name} is ${one.a} in A and ${one.b} in B`);
}

function environment({ runs }: SuiteFile): Map<string, string> {
  const values = new Map<string, string>();
  for (const { machine, versions } of runs) {
    for (const [name, value] of Object.entries({ ...machine, ...versions })) {
      const before = values.get(name);
      if (before === undefined) values.set(name, String(value));
      else if (!before.split(' or ').includes(String(value))) values.set(name, `${before} or ${value}`);
    }
  }
  return values;
}

function problems(name: 'A' | 'B', { runs }: SuiteFile): string[] {
  return runs.flatMap(({ results, failed }, index) => {
    const where = runs.length === 1 ? name : `run ${index + 1} of ${name}`;
    const faults = results.flatMap(({ bench, faults }) =>
      Object.entries(faults)
        .filter(([, count]) => count !== 0)
        .map(([fault, count]) => `${bench}: ${count} ${fault} in ${where}`),
    );
    return [...faults, ...failed.map(({ bench, message }) => `${bench}: failed in ${where}: ${message}`)];
  });
}

function doubtfulPairs(all: Sides, sides: Sides): string[] {
  const { bench, a, b } = all;
  const doubts: string[] = [];
  if (a.length !== b.length) {
    const used =
      sides.a.length === 1 ? 'only the first of each is used' : `the first ${sides.a.length} of each are used`;
    doubts.push(`${bench}: A has ${a.length} runs and B ${b.length}; ${used}`);
  }
  if (!areAlternating(sides)) {
    doubts.push(`${bench}: the runs do not alternate (old, new, old, new ...), so the two of a pair ran far apart`);
  }
  return doubts;
}
