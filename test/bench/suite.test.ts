import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BENCHES } from '#bench/benches.ts';
import type { BenchResult, Measurement } from '#bench/suite/result.ts';
import { resultErrors } from '#bench/suite/result-check.ts';
import { describeResult } from '#bench/suite/result-text.ts';
import { readSuiteFile, type SuiteRun } from '#bench/suite/suite-file.ts';
import { runBenches, type SuiteRunParts } from '#bench/suite/suite-run.ts';
import { UsageError } from '#bench/suite/usage-error.ts';
import { isAlive } from '#engine/storage/embedded/process-identity.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ENTRY_POINT = fileURLToPath(new URL('../../bench/bench.ts', import.meta.url));
const QUICK = ['derive', '--recordings', 'demo', '--rounds', '1'];

function startBench(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [ENTRY_POINT, ...args], { env: { ...process.env, ...env } });
  let out = '';
  let err = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, out, err }));
  });
  return { child, ended };
}

function bench(...args: string[]) {
  return startBench(args).ended;
}

test('the entry point lists every bench and shows the help of each', async () => {
  const { code, out } = await bench();
  assert.equal(code, 0);
  for (const name of Object.keys(BENCHES)) assert.match(out, new RegExp(`^ +\\*? +${name} +\\w`, 'm'));
  for (const [name, { load }] of Object.entries(BENCHES)) {
    const { help, smoke } = await load();
    assert.ok(help.startsWith(`npm run bench -- ${name}`), name);
    assert.ok(smoke.length > 0, name);
  }
  const { out: help, code: helpCode } = await bench('derive', '--help');
  assert.deepEqual([helpCode, help.trim()], [0, (await BENCHES.derive!.load()).help]);
});

test('an invalid command line exits with 2 and says what is wrong', async (t) => {
  const folder = temporaryFolder(t);
  const other = join(folder, 'other.json');
  writeFileSync(other, '{"format":1,"runs":[{"startedAt":5}]}');
  const wrong: readonly [string[], RegExp][] = [
    [['nothing'], /There is no bench "nothing"; npm run bench lists them/],
    [['derive', '--rounds', 'x'], /--rounds: "x" is not a whole number/],
    [['derive', '--round', '1'], /--round'/],
    [['derive', '--rounds', '1', '--rounds', '2'], /--rounds is given more than once/],
    [['report', other, '--html', 'a.html', '--html', 'b.html'], /--html is given more than once/],
    [['derive', '--json'], /--json needs a file name/],
    [['derive', '--html', '--rounds', '1'], /--html needs a file name/],
    [['derive', '--json', join(folder, 'no', 'file.json')], /--json: .* cannot be written/],
    [['derive', '--json', other], /other\.json is not a file of results: runs\[0\]\.seconds is required/],
    [['all', '--rounds', '1'], /--rounds'/],
    [['compare', other], /compare takes two result files/],
    [['compare', other, join(folder, 'none.json')], /none\.json|other\.json/],
    [['report', join(folder, 'none.json'), '--html', other], /none\.json: there is no such file; .* writes one/],
    [['report', other], /report takes a result file/],
  ];
  const outcomes = await Promise.all(wrong.map(([args]) => bench(...args)));
  for (const [index, { code, out, err }] of outcomes.entries()) {
    const [args, message] = wrong[index]!;
    assert.equal(code, 2, `${args}: ${err}`);
    assert.match(err, message);
    assert.doesNotMatch(out, /median/);
  }
});

test('a bench is run, printed, saved and drawn; a second run is appended to the same file', async (t) => {
  const folder = temporaryFolder(t);
  const [json, html] = [join(folder, 'a.json'), join(folder, 'a.html')];
  const { code, out, err } = await bench(...QUICK, '--json', json);
  assert.equal(code, 0, err);
  assert.match(out, /^demo-race +[\d,.]+ .*ms/m);
  assert.match(out, /^differing 0$/m);
  const again = await bench(...QUICK, `--json=${json}`, '--html', html);
  assert.equal(again.code, 0, again.err);
  assert.match(again.err, /^run 2 of /m);
  const { runs } = await readSuiteFile(json);
  assert.equal(runs.length, 2);
  for (const { results, failed, machine, versions, seconds } of runs) {
    assert.deepEqual([results.map((result) => result.bench), failed], [['derive'], []]);
    assert.ok(machine.cores > 0 && seconds > 0 && versions.node === process.versions.node);
    assert.match(versions.undici!, /^\d/);
  }
  assert.match(readFileSync(html, 'utf8'), /demo-race/);
  assert.deepEqual(readdirSync(folder).sort(), ['a.html', 'a.json']);
});

test('Ctrl-C stops a bench and every process that it started, and leaves no file behind', async (t) => {
  const folder = temporaryFolder(t);
  // PostgreSQL runs as another user and must be able to traverse the folder.
  chmodSync(folder, 0o711);
  const tmp = join(folder, 'tmp');
  mkdirSync(tmp, { mode: 0o711 });
  const json = join(folder, 'a.json');
  const { child, ended } = startBench(['live', '--seconds', '60', '--json', json], { TMPDIR: tmp });
  t.after(() => child.kill('SIGINT'));
  const clusters = () => globSync('*/*/postgres/data/postmaster.pid', { cwd: tmp });
  while (clusters().length === 0 && child.exitCode === null) await pause(50);
  const server = Number(readFileSync(join(tmp, clusters()[0]!), 'utf8').split('\n')[0]);
  assert.ok(isAlive(server));
  child.kill('SIGINT');
  const { code, err } = await ended;
  assert.equal(code, 130, err);
  assert.match(err, /stopping the running bench/);
  assert.deepEqual(readdirSync(tmp), []);
  assert.ok(!isAlive(server));
  assert.ok(!existsSync(json), 'nothing was finished');
});

test('a failed bench is recorded and the next one runs; finished results survive an interrupted run', async () => {
  const interrupt = new AbortController();
  const saved: SuiteRun[] = [];
  const lines: string[] = [];
  const parts: SuiteRunParts = {
    runBench: async (name) => {
      if (name === 'broken') throw new Error('it broke');
      if (name === 'ended') {
        interrupt.abort();
        throw interrupt.signal.reason;
      }
      return { ...RESULT, bench: name };
    },
    say: (line) => lines.push(line),
    print() {},
    save: async (run) => void saved.push(structuredClone(run)),
    signal: interrupt.signal,
  };
  const planned = ['first', 'broken', 'third', 'ended', 'fifth'].map((name) => ({ name, args: [] }));
  const run = await runBenches(planned, CONTEXT, parts);
  assert.deepEqual(
    run.results.map((result) => result.bench),
    ['first', 'third'],
  );
  assert.deepEqual(run.failed, [{ bench: 'broken', message: 'it broke' }]);
  assert.deepEqual(
    saved.map(({ results, failed }) => results.length + failed.length),
    [1, 2, 3],
  );
  assert.ok(lines.some((line) => /^\[2 of 5\] broken: FAILED after .* it broke$/.test(line)));
});

test('invalid arguments end a run of one bench; in a run of several they count as a failure', async () => {
  const parts: SuiteRunParts = {
    runBench: () => Promise.reject(new UsageError('--rounds: "x"')),
    say() {},
    print() {},
    save: async () => {},
    signal: new AbortController().signal,
  };
  const one = { name: 'one', args: ['--rounds', 'x'] };
  await assert.rejects(runBenches([one], CONTEXT, parts), UsageError);
  assert.equal((await runBenches([one, one], CONTEXT, parts)).failed.length, 2);
});

test('an invalid result is reported with the field at fault', () => {
  const [measurement] = RESULT.measurements as [Measurement];
  assert.deepEqual(resultErrors(RESULT), []);
  const errorsOf = (changed: Partial<BenchResult>) => resultErrors({ ...RESULT, ...changed }).join('; ');
  assert.match(
    errorsOf({ measurements: [{ ...measurement, samples: [1, Number.NaN] }] }),
    /measurements\[0\]\.samples\[1\] must be a number/,
  );
  assert.match(errorsOf({ measurements: [{ ...measurement, samples: [] }] }), /samples must not be empty/);
  assert.match(errorsOf({ measurements: [measurement, measurement] }), /two measurements "rate"/);
  assert.match(errorsOf({ faults: { lost: Number.NaN } }), /faults\.lost must be a number/);
  const plot = { title: 'p', xTitle: 'x', yTitle: 'y', xScale: 'linear', yScale: 'log' } as const;
  for (const [x, y] of [
    [[1, 2], [1]],
    [
      [2, 1],
      [1, 1],
    ],
  ] as const) {
    assert.match(errorsOf({ plots: [{ ...plot, series: [{ name: 'c', x, y }] }] }), /plot "p", curve "c"/);
  }
});

test('the table shows medians, missed targets and faults', () => {
  const text = describeResult(RESULT);
  assert.match(text, /^fake, rounds 3$/m);
  assert.match(text, /^rate +12,000 +11,000 +99,000 +\/s +3 +at least 20,000: MISSED$/m);
  assert.match(text, /^lost 0, doubled 0$/m);
  assert.match(text, /\n\nto be known$/);
  assert.match(describeResult({ ...RESULT, faults: { lost: 2 } }), /^WRONG: lost 2$/m);
});

const CONTEXT: Pick<SuiteRun, 'machine' | 'versions'> = {
  machine: { cpu: 'a', cores: 1, memoryMiB: 1, os: 'b' },
  versions: {},
};

const RESULT: BenchResult = {
  bench: 'fake',
  parameters: { rounds: 3 },
  measurements: [{ name: 'rate', unit: '/s', better: 'higher', samples: [11_000, 99_000, 12_000], target: 20_000 }],
  plots: [],
  faults: { lost: 0, doubled: 0 },
  notes: ['to be known'],
};
