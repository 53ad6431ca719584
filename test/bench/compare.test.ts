// The regression guard on simulated result files, whose true difference is known: how often it is wrong, what it
// detects.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compareFiles, compareSuites } from '#bench/suite/compare.ts';
import type { BenchResult, Measurement } from '#bench/suite/result.ts';
import { studentAbove, studentQuantile } from '#bench/suite/student-t.ts';
import type { SuiteFile, SuiteRun } from '#bench/suite/suite-file.ts';
import type { Verdict } from '#bench/suite/verdict.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { benchResult, type SimulatedSuites, simulatedSuites, suiteRun } from './simulated-suites.ts';

/** In how many of `seeds` simulations the guard calls anything worse, and the measurement that `change` applies to. */
function countWorse(seeds: number, options: Omit<SimulatedSuites, 'seed'>): { anything: number; changed: number } {
  const count = { anything: 0, changed: 0 };
  for (let seed = 1; seed <= seeds; seed++) {
    const { a, b } = simulatedSuites({ ...options, seed });
    const comparison = compareSuites(a, b);
    if (comparison.worse) count.anything++;
    if (comparison.benches[0]!.measurements.find(({ name }) => name === 'time 0')!.verdict === 'worse') count.changed++;
  }
  return count;
}

const NOISY_SINGLE_RUNS = { runs: 1, rounds: 5, measurements: 20, noise: 0.03 };
const DRIFTING_PAIRS = { runs: 8, rounds: 5, measurements: 20, noise: 0.02, drift: 0.15 };

test('at most 10 of 200 comparisons of identical versions, 20 measurements each, report anything worse', () => {
  for (const noise of [{}, { spikes: 1 }, { noise: 0.3, spikes: 3 }]) {
    const { anything } = countWorse(200, { ...NOISY_SINGLE_RUNS, ...noise });
    assert.ok(anything <= 10, `${anything} false alarms with ${JSON.stringify(noise)}`);
  }
});

test('at most 10 of 200 comparisons of pairs of identical versions on a drifting machine report anything worse', () => {
  const { anything } = countWorse(200, { ...DRIFTING_PAIRS, spikes: 1 });
  assert.ok(anything <= 10, `${anything} false alarms`);
});

test('a slowdown of 10 % under 3 % noise is detected nearly always: 5 rounds of 5 measurements, 10 rounds of 20', () => {
  const few = countWorse(200, { ...NOISY_SINGLE_RUNS, measurements: 5, change: 1.1 });
  assert.ok(few.changed >= 174, `${few.changed} of 200`);
  const many = countWorse(200, { ...NOISY_SINGLE_RUNS, rounds: 10, change: 1.1 });
  assert.ok(many.changed >= 190, `${many.changed} of 200`);
});

test('pairs of runs detect 5 % while the machine drifts by 15 % from run to run; the same runs unpaired do not', () => {
  const paired = countWorse(100, { ...DRIFTING_PAIRS, change: 1.05 });
  assert.ok(paired.changed >= 88, `${paired.changed} of 100`);
  let unpaired = 0;
  for (let seed = 1; seed <= 100; seed++) {
    const { a, b } = simulatedSuites({ ...DRIFTING_PAIRS, change: 1.05, seed });
    const [verdict] = verdictsOf(compareSuites(asOneRun(a), asOneRun(b)).benches[0]!.measurements);
    if (verdict === 'worse') unpaired++;
  }
  assert.ok(unpaired <= 20, `${unpaired} of 100`);
});

/** All runs of a file as if they were the rounds of one. */
function asOneRun({ runs }: SuiteFile): SuiteFile {
  const measurements = runs[0]!.results[0]!.measurements.map((measurement, index) => ({
    ...measurement,
    samples: runs.flatMap(({ results }) => results[0]!.measurements[index]!.samples),
  }));
  return file(suiteRun(0, [benchResult(measurements)]));
}

function file(...runs: SuiteRun[]): SuiteFile {
  return { format: 1, runs };
}

const one = (samples: readonly number[], more: Partial<Measurement> = {}): Measurement => ({
  name: 'bytes',
  unit: 'B',
  better: 'lower',
  samples,
  ...more,
});

const verdictsOf = (measurements: readonly { readonly verdict: Verdict }[]): Verdict[] =>
  measurements.map(({ verdict }) => verdict);

/** The verdict on one measurement in two files of one run each. */
function verdictOn(a: readonly number[], b: readonly number[], more: Partial<Measurement> = {}): Verdict {
  const sides = [a, b].map((samples) => file(suiteRun(0, [benchResult([one(samples, more)])])));
  return compareSuites(sides[0]!, sides[1]!).benches[0]!.measurements[0]!.verdict;
}

test('counts without noise get a verdict, also if one side is zero', () => {
  assert.equal(verdictOn([16, 16, 16], [16, 16, 16]), 'no difference shown');
  assert.equal(verdictOn([0, 0, 0], [0, 0, 0]), 'no difference shown');
  assert.equal(verdictOn([16, 16, 16], [24, 24, 24]), 'worse');
  assert.equal(verdictOn([0, 0, 0], [16, 16, 16]), 'worse');
  assert.equal(verdictOn([16, 16, 16], [0, 0, 0]), 'better');
  assert.equal(verdictOn([16, 16, 16], [24, 24, 24], { better: 'higher' }), 'better');
});

test('a single round and a few erratic rounds are too noisy to say, not equal', () => {
  assert.equal(verdictOn([10], [20]), 'too noisy to say');
  assert.equal(verdictOn([10], [10]), 'no difference shown');
  assert.equal(verdictOn([10, 20, 15, 30, 12], [14, 26, 11, 17, 19]), 'too noisy to say');
  assert.equal(verdictOn([-3, 5, 2, -4, 1], [4, -5, 1, 3, -2]), 'too noisy to say');
});

const measured = (more: Partial<BenchResult>, minute = 0): SuiteRun =>
  suiteRun(minute, [{ ...benchResult([one([100, 101, 99, 100, 102])]), ...more }]);

test('results with different parameters are listed, not compared; files with nothing in common are refused', async (t) => {
  const [a, b] = [
    file(measured({ parameters: { endpoints: 50 } })),
    file(measured({ parameters: { endpoints: 100 } })),
  ];
  assert.deepEqual(compareSuites(a, b).leftOut, [
    'invented: not compared, parameters differ: endpoints is 50 in A and 100 in B',
  ]);
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'a.json'), JSON.stringify(a));
  writeFileSync(join(folder, 'b.json'), JSON.stringify(b));
  await assert.rejects(compareFiles(join(folder, 'a.json'), join(folder, 'b.json')), /nothing|endpoints is 50 in A/);
});

test('differences in machine and versions are warnings, except for the version under comparison', () => {
  const run = measured({});
  const other = {
    ...run,
    machine: { ...run.machine, cores: 64 },
    versions: { node: 'v24.0.0', slipstream: 'def5678' },
  };
  assert.deepEqual(compareSuites(file(run), file(other)).warnings, [
    'cores is 2 in A and 64 in B',
    'node is v22.0.0 in A and v24.0.0 in B',
  ]);
});

test('benches and measurements in only one file, or with a changed unit, are listed as not compared', () => {
  const [common, old, fresh] = ['common', 'old', 'fresh'].map((name) => one([1, 1], { name }));
  const a = measured({ measurements: [common!, old!, one([1], { name: 'size', unit: 'KiB' })] });
  const b = measured({ measurements: [common!, fresh!, one([1], { name: 'size', unit: 'MiB' })] });
  const added = { ...b, results: [...b.results, { ...benchResult([common!]), bench: 'added' }] };
  const comparison = compareSuites(file(a), file(added));
  assert.deepEqual(comparison.leftOut, [
    'invented, old: only in A',
    'invented, size: not compared, its unit or its better direction changed',
    'invented, fresh: only in B',
    'added: only in B',
  ]);
  assert.deepEqual(
    comparison.benches[0]!.measurements.map(({ name }) => name),
    ['common'],
  );
});

test('faults and failed benches in B are worse, whatever the measurements say; those in A are warnings', () => {
  const faultless = measured({});
  const faulty = measured({ faults: { lost: 3, doubled: 0 } });
  assert.deepEqual(compareSuites(file(faultless), file(faulty)).broken, ['invented: 3 lost in B']);
  assert.equal(compareSuites(file(faultless), file(faulty)).worse, true);
  const failed = { ...faultless, failed: [{ bench: 'soak', message: 'no room' }] };
  assert.deepEqual(compareSuites(file(faultless), file(failed)).broken, ['soak: failed in B: no room']);
  assert.equal(compareSuites(file(faultless), file(failed)).worse, true);
  const healed = compareSuites(file(faulty), file(faultless));
  assert.deepEqual([healed.warnings, healed.worse], [['invented: 3 lost in A'], false]);
});

test('runs that do not alternate, and runs without a counterpart, are warnings', () => {
  const runs = [0, 1, 2, 3].map((minute) => measured({}, minute));
  const inTurn = compareSuites(file(runs[0]!, runs[2]!), file(runs[1]!, runs[3]!));
  assert.deepEqual([inTurn.warnings, inTurn.benches[0]!.pairs], [[], 2]);
  const [apart] = compareSuites(file(runs[0]!, runs[1]!), file(runs[2]!, runs[3]!)).warnings;
  assert.match(apart!, /do not alternate/);
  const [left] = compareSuites(file(runs[0]!, runs[2]!, runs[3]!), file(runs[1]!)).warnings;
  assert.equal(left, 'invented: A has 3 runs and B 1; only the first of each is used');
});

test('the text lists ratios within a run first, with medians, ratio, interval, verdict and advice', async (t) => {
  const folder = temporaryFolder(t);
  const run = (factor: number) =>
    measured({
      measurements: [
        one(
          [100, 101, 99, 100, 102].map((value) => value * factor),
          { name: 'rate', unit: '/s', better: 'higher' },
        ),
        one([5, 9, 2, 7, 4], { name: 'p99', unit: 'ms' }),
        one([0.5, 0.51, 0.5, 0.49, 0.5], { name: 'share', unit: 'share', better: 'higher' }),
      ],
    });
  writeFileSync(join(folder, 'a.json'), JSON.stringify(file(run(1))));
  writeFileSync(join(folder, 'b.json'), JSON.stringify(file(run(0.8))));
  const { text, worse } = await compareFiles(join(folder, 'a.json'), join(folder, 'b.json'));
  assert.equal(worse, true);
  assert.ok(text.indexOf('\n  share') < text.indexOf('\n  rate'));
  assert.match(text, /rate +100\/s +80(\.0)?\/s +0\.800 +0\.78\d to 0\.81\d +worse\n/);
  assert.match(text, /p99 .* too noisy to say\n/);
  assert.match(text, /worse 1, better 0, no difference shown 1, too noisy to say 1/);
  assert.match(text, /Too noisy to say: measure more \(--rounds\)/);
});

test("Student's t agrees with the tables", () => {
  for (const [probability, degrees, t] of [
    [0.025, 1, 12.706],
    [0.025, 4, 2.776],
    [0.0005, 4, 8.61],
    [0.025, 8, 2.306],
    [0.025, 1.5, 6.017],
    [0.025, 1e6, 1.96],
  ] as const) {
    assert.ok(Math.abs(studentQuantile(probability, degrees) / t - 1) < 0.015, `${degrees} degrees`);
  }
  assert.ok(Math.abs(studentAbove(2.132, 4) - 0.05) < 1e-4);
  assert.ok(Math.abs(studentAbove(-2.132, 4) - 0.95) < 1e-4);
});
