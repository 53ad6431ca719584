// The regression guard on made-up files of results, whose truth is known: how often it is wrong, and what it finds.

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

/** In how many of `seeds` simulations the guard calls anything worse, and the measurement that `change` is about. */
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

test('of 200 comparisons of alike runs, 20 measurements in each, hardly any says worse', () => {
  for (const noise of [{}, { spikes: 1 }, { noise: 0.3, spikes: 3 }]) {
    const { anything } = countWorse(200, { ...NOISY_SINGLE_RUNS, ...noise });
    assert.ok(anything <= 10, `${anything} false alarms with ${JSON.stringify(noise)}`);
  }
});

test('of 200 comparisons of alike pairs of runs on a drifting machine, hardly any says worse', () => {
  const { anything } = countWorse(200, { ...DRIFTING_PAIRS, spikes: 1 });
  assert.ok(anything <= 10, `${anything} false alarms`);
});

test('a slowdown of 10 % under noise of 3 % is found nearly always: 5 rounds of 5 measurements, 10 rounds of 20', () => {
  const few = countWorse(200, { ...NOISY_SINGLE_RUNS, measurements: 5, change: 1.1 });
  assert.ok(few.changed >= 174, `${few.changed} of 200`);
  const many = countWorse(200, { ...NOISY_SINGLE_RUNS, rounds: 10, change: 1.1 });
  assert.ok(many.changed >= 190, `${many.changed} of 200`);
});

test('pairs of runs find 5 % while the machine drifts by 15 % from run to run; the same runs one by one do not', () => {
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

/** The verdict on one measurement that was made once in each file. */
function verdictOn(a: readonly number[], b: readonly number[], more: Partial<Measurement> = {}): Verdict {
  const sides = [a, b].map((samples) => file(suiteRun(0, [benchResult([one(samples, more)])])));
  return compareSuites(sides[0]!, sides[1]!).benches[0]!.measurements[0]!.verdict;
}

test('what is counted rather than timed needs no noise to be judged, also from or to zero', () => {
  assert.equal(verdictOn([16, 16, 16], [16, 16, 16]), 'no difference shown');
  assert.equal(verdictOn([0, 0, 0], [0, 0, 0]), 'no difference shown');
  assert.equal(verdictOn([16, 16, 16], [24, 24, 24]), 'worse');
  assert.equal(verdictOn([0, 0, 0], [16, 16, 16]), 'worse');
  assert.equal(verdictOn([16, 16, 16], [0, 0, 0]), 'better');
  assert.equal(verdictOn([16, 16, 16], [24, 24, 24], { better: 'higher' }), 'better');
});

test('a single round says nothing of noise, and few or wild rounds are too noisy rather than alike', () => {
  assert.equal(verdictOn([10], [20]), 'too noisy to say');
  assert.equal(verdictOn([10], [10]), 'no difference shown');
  assert.equal(verdictOn([10, 20, 15, 30, 12], [14, 26, 11, 17, 19]), 'too noisy to say');
  assert.equal(verdictOn([-3, 5, 2, -4, 1], [4, -5, 1, 3, -2]), 'too noisy to say');
});

const measured = (more: Partial<BenchResult>, minute = 0): SuiteRun =>
  suiteRun(minute, [{ ...benchResult([one([100, 101, 99, 100, 102])]), ...more }]);

test('other parameters are named and not compared; with nothing in common there is no answer', async (t) => {
  const [a, b] = [
    file(measured({ parameters: { endpoints: 50 } })),
    file(measured({ parameters: { endpoints: 100 } })),
  ];
  assert.deepEqual(compareSuites(a, b).leftOut, [
    'invented: not compared, other parameters: endpoints is 50 in A and 100 in B',
  ]);
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'a.json'), JSON.stringify(a));
  writeFileSync(join(folder, 'b.json'), JSON.stringify(b));
  await assert.rejects(compareFiles(join(folder, 'a.json'), join(folder, 'b.json')), /nothing|endpoints is 50 in A/);
});

test('machine and versions that differ are told; the version that is compared is no difference', () => {
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

test('measurements and benches of only one file are listed, and those whose unit changed', () => {
  const [common, old, fresh] = ['common', 'old', 'fresh'].map((name) => one([1, 1], { name }));
  const a = measured({ measurements: [common!, old!, one([1], { name: 'size', unit: 'KiB' })] });
  const b = measured({ measurements: [common!, fresh!, one([1], { name: 'size', unit: 'MiB' })] });
  const added = { ...b, results: [...b.results, { ...benchResult([common!]), bench: 'added' }] };
  const comparison = compareSuites(file(a), file(added));
  assert.deepEqual(comparison.leftOut, [
    'invented, old: only in A',
    'invented, size: not compared, its unit or which way is better is not the same',
    'invented, fresh: only in B',
    'added: only in B',
  ]);
  assert.deepEqual(
    comparison.benches[0]!.measurements.map(({ name }) => name),
    ['common'],
  );
});

test('faults of B and benches that failed there are worse, whatever the numbers say; those of A are told', () => {
  const sound = measured({});
  const faulty = measured({ faults: { lost: 3, doubled: 0 } });
  assert.deepEqual(compareSuites(file(sound), file(faulty)).broken, ['invented: 3 lost in B']);
  assert.equal(compareSuites(file(sound), file(faulty)).worse, true);
  const failed = { ...sound, failed: [{ bench: 'soak', message: 'no room' }] };
  assert.deepEqual(compareSuites(file(sound), file(failed)).broken, ['soak: failed in B: no room']);
  assert.equal(compareSuites(file(sound), file(failed)).worse, true);
  const healed = compareSuites(file(faulty), file(sound));
  assert.deepEqual([healed.warnings, healed.worse], [['invented: 3 lost in A'], false]);
});

test('pairs: runs that were not made in turn, and runs without a counterpart, are told', () => {
  const runs = [0, 1, 2, 3].map((minute) => measured({}, minute));
  const inTurn = compareSuites(file(runs[0]!, runs[2]!), file(runs[1]!, runs[3]!));
  assert.deepEqual([inTurn.warnings, inTurn.benches[0]!.pairs], [[], 2]);
  const [apart] = compareSuites(file(runs[0]!, runs[1]!), file(runs[2]!, runs[3]!)).warnings;
  assert.match(apart!, /not made in turn/);
  const [left] = compareSuites(file(runs[0]!, runs[2]!, runs[3]!), file(runs[1]!)).warnings;
  assert.equal(left, 'invented: A has 3 runs and B 1; only the first of each is used');
});

test('ratios within a run come first, and the text tells medians, ratio, interval, verdict and what to do', async (t) => {
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
