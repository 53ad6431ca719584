// The HTML report: it is self-contained, shows every value, and escapes every name.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { htmlReport } from '#bench/suite/html-report.ts';
import type { BenchResult, Plot } from '#bench/suite/result.ts';
import type { SuiteFile } from '#bench/suite/suite-file.ts';
import { benchResult, suiteRun } from './simulated-suites.ts';

const LATENCY: Plot = {
  title: 'Latency',
  xTitle: 'one in so many',
  yTitle: 'latency, ms',
  xScale: 'log',
  yScale: 'log',
  series: [{ name: 'alone', x: [1, 10, 100], y: [0.5, null, 4321.5] }],
};

const RESULT: BenchResult = {
  ...benchResult([
    { name: 'rate', unit: '/s', better: 'higher', samples: [27_000, 31_234, 29_111], target: 30_000 },
    { name: 'p99', unit: 'ms', better: 'lower', samples: [4.25, 3.75, 9.5], target: 5 },
  ]),
  parameters: { endpoints: 50 },
  plots: [LATENCY],
  faults: { lost: 0, doubled: 0 },
  notes: ['The other one was skipped.'],
};

const file = (...results: BenchResult[]): SuiteFile => ({ format: 1, runs: [suiteRun(0, results)] });

/** The page without its scripts and styles. */
const visible = (page: string): string => page.replaceAll(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/g, '');

function plotsIn(page: string): Plot[] {
  const [, json] = /<script type="application\/json" id="plots">([\s\S]*?)<\/script>/.exec(page)!;
  return JSON.parse(json!) as Plot[];
}

test('a report loads no external resource, and its policy forbids them', () => {
  const page = htmlReport(file(RESULT));
  const reference = /(?:\b(?:src|srcset|href|action|data|poster)\s*=\s*["']?|url\(\s*["']?)(?!#)[^\s"'>)]+/gi;
  assert.deepEqual(visible(page).match(reference) ?? [], []);
  const [, style] = /<style>([\s\S]*?)<\/style>/.exec(page)!;
  assert.doesNotMatch(style!, /url\(|@import/);
  assert.doesNotMatch(page, /<(?:link|img|iframe|object|embed|base)\b/i);
  const [, policy] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)!;
  assert.match(policy!, /^default-src 'none'; script-src 'sha256-/);
  assert.doesNotMatch(policy!, /unsafe|https?:/);
});

test('the policy allows exactly the scripts and the style of the page', () => {
  const page = htmlReport(file(RESULT));
  const inlined = [...page.matchAll(/<(?:script|style)>([\s\S]*?)<\/(?:script|style)>/g)].map(([, text]) => text!);
  const hashes = inlined.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  const [, policy] = /content="(default-src[^"]*)"/.exec(page)!;
  assert.equal(hashes.length, 3);
  assert.deepEqual([...policy!.matchAll(/'sha256-[^']*'/g)].map(([hash]) => hash).sort(), hashes.sort());
});

test('a report shows machine, versions, parameters, medians and their range, targets, faults, notes and plots', () => {
  const page = htmlReport(file(RESULT));
  const text = visible(page)
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
  for (const part of [
    '2026-01-01 12:00 UTC',
    '2 cores of a processor, 7.8 GiB, an os',
    'node v22.0.0, slipstream abc1234',
    'Run with endpoints 50.',
    'Faults: none (lost 0, doubled 0)',
    '1 of 2 met',
    'rate 29,111/s 27,000/s 31,234/s 3 at least 30,000/s: not met',
    'The other one was skipped.',
  ])
    assert.ok(text.includes(part), `${part} in ${text}`);
  assert.match(text, /p99 4\.25 ms 3\.75 ms 9\.50? ms 3 at most 5(\.00)? ms: met/);
  assert.deepEqual(plotsIn(page), [LATENCY]);
  assert.match(
    page,
    /<figure data-plot="0">.*aria-label="Plot: Latency\. latency, ms over one in so many\. alone: 3 points/,
  );
});

test('a report says at the top which benches had faults or failed', () => {
  const run = suiteRun(0, [{ ...RESULT, faults: { lost: 2 } }]);
  const page = htmlReport({ format: 1, runs: [{ ...run, failed: [{ bench: 'soak', message: 'no room' }] }] });
  assert.equal(page.match(/<span class="bad">wrong: lost 2<\/span>/g)?.length, 2);
  assert.match(page, /<span class="bad">failed: no room<\/span>/);
});

test('hostile names stay text in the page, its attributes and its data', () => {
  const hostile = `</script><img src=x onerror="alert(1)">'&\u2028<!--`;
  const plot: Plot = { ...LATENCY, title: hostile, xTitle: hostile, yTitle: hostile };
  const result: BenchResult = {
    bench: hostile,
    parameters: { [hostile]: hostile },
    measurements: [{ name: hostile, unit: 'ms', better: 'lower', samples: [1], target: 2 }],
    plots: [{ ...plot, series: [{ name: hostile, x: [1], y: [1] }] }],
    faults: { [hostile]: 0 },
    notes: [hostile],
  };
  const run = { ...suiteRun(0, [result]), failed: [{ bench: hostile, message: hostile }] };
  const named = { ...run, versions: { [hostile]: hostile }, machine: { ...run.machine, cpu: hostile, os: hostile } };
  const page = htmlReport({ format: 1, runs: [named, named] });
  const plain = htmlReport({ format: 1, runs: [suiteRun(0, [RESULT]), suiteRun(0, [RESULT])] });
  assert.doesNotMatch(page, /<img|<!--/);
  assert.doesNotMatch(/id="plots">(.*)<\/script>/.exec(page)![1]!, /[<\u2028]/);
  const scripts = (text: string) => text.match(/<\/?script/g)?.length;
  assert.equal(scripts(page), scripts(plain));
  assert.doesNotMatch(visible(page).replaceAll(/"[^"]*"/g, '""'), /<[^>]*\son\w+=/i);
  assert.equal(plotsIn(page)[0]!.title, hostile);
});

test('plots without points, and points that a logarithmic axis cannot show, are mentioned and break nothing', () => {
  const plots: Plot[] = [
    { ...LATENCY, series: [] },
    { ...LATENCY, series: [{ name: 'nothing', x: [], y: [] }] },
    { ...LATENCY, series: [{ name: 'zero', x: [0, 1, 2], y: [1, 0, 5] }] },
    { ...LATENCY, yScale: 'linear', series: [{ name: 'falls', x: [1, 2], y: [-1, 0] }] },
  ];
  const page = htmlReport(file({ ...RESULT, plots }));
  assert.equal(page.match(/There are no points to draw/g)?.length, 2);
  assert.match(page, /Not shown: 2 points at or below zero/);
  assert.deepEqual(
    plotsIn(page).map(({ series }) => series.map(({ x, y }) => [x, y])),
    [
      [],
      [],
      [[[2], [5]]],
      [
        [
          [1, 2],
          [-1, 0],
        ],
      ],
    ],
  );
});

test('a report shows the newest run in full, with trends over runs with equal parameters, and collapses the others', () => {
  const earlier = { ...RESULT, measurements: [{ ...RESULT.measurements[0]!, samples: [20_000] }] };
  const other = { ...earlier, parameters: { endpoints: 1_000 } };
  const runs = [suiteRun(0, [earlier]), suiteRun(1, [other]), suiteRun(2, [RESULT])];
  const page = htmlReport({ format: 1, runs });
  assert.match(page, /aria-label="Median in each run: 20,000\/s, not measured, 29,111\/s"/);
  assert.match(page, /no other run/);
  assert.equal(page.match(/<details><summary><h3>Run [12], /g)?.length, 2);
  assert.equal(page.match(/id="bench-0"/g)?.length, 1);
});

test('a file without runs and a run without results still make a page', () => {
  assert.match(htmlReport({ format: 1, runs: [] }), /holds no run/);
  assert.match(htmlReport({ format: 1, runs: [suiteRun(0, [])] }), /<h1>Slipstream benches, 2026/);
});
