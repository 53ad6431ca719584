// A result file as one self-contained HTML page: the newest run in full, each measurement with its trend over the
// earlier runs, then those runs, collapsed.

import { escapeHtml } from '#engine/base/html-escape.ts';
import { median } from '#engine/base/median.ts';
import { figure } from './figure.ts';
import { drawable, plotFigure } from './plot-figure.ts';
import type { BenchResult, Measurement, Plot } from './result.ts';
import { hasFaults } from './result-text.ts';
import type { SuiteFile, SuiteRun } from './suite-file.ts';
import { targetMet } from './target.ts';
import { trendLine, trendOf } from './trend.ts';
import { uplotPage } from './uplot-page.ts';

/** State shared by the parts of the page. */
interface Page {
  readonly runs: readonly SuiteRun[];
  /** Filled while the page is built; figures refer to their plot by its index here. */
  readonly plots: Plot[];
}

export function htmlReport({ runs }: SuiteFile): string {
  const page: Page = { runs, plots: [] };
  const newest = runs.at(-1);
  const title = `Slipstream benches${newest === undefined ? '' : `, ${timeOf(newest)}`}`;
  const body = [
    `<header><h1>${escapeHtml(title)}</h1>`,
    newest === undefined ? '<p>The file holds no run.</p>' : environment(newest),
    '</header><main>',
    ...(newest === undefined ? [] : [overview(newest), runSections(newest, page, 2)]),
    ...(runs.length > 1 ? [earlierRuns(page)] : []),
    '</main><noscript><p>Drawing the plots needs JavaScript. The tables do not.</p></noscript>',
  ];
  return uplotPage(title, body.join('\n'), page.plots);
}

function timeOf({ startedAt }: SuiteRun): string {
  return `${startedAt.slice(0, 16).replace('T', ' ')} UTC`;
}

function environment({ machine, versions, seconds }: SuiteRun): string {
  const { cpu, cores, memoryMiB, os } = machine;
  return definitions({
    machine: `${cores} cores of ${cpu}, ${(memoryMiB / 1_024).toFixed(1)} GiB, ${os}`,
    versions: Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
    took: seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`,
  });
}

function definitions(entries: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(entries).map(
    ([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`,
  );
  return `<dl>${pairs.join('')}</dl>`;
}

function overview({ results, failed }: SuiteRun): string {
  const rows = results.map((result, index) => [
    `<th scope="row"><a href="#bench-${index}">${escapeHtml(result.bench)}</a></th>`,
    `<td class="words">${faultsInWords(result)}</td>`,
    `<td class="words">${targetsInWords(result)}</td>`,
  ]);
  const failures = failed.map(({ bench, message }) => [
    `<th scope="row">${escapeHtml(bench)}</th>`,
    `<td class="words" colspan="2"><span class="bad">failed: ${escapeHtml(message)}</span></td>`,
  ]);
  const heads = ['<th scope="col">Bench</th>', ...['Faults', 'Targets'].map((head) => wordsHead(head))];
  return table('Benches of this run', heads, [...rows, ...failures]);
}

const wordsHead = (text: string): string => `<th scope="col" class="words">${text}</th>`;
const numberHead = (text: string): string => `<th scope="col">${text}</th>`;

/** `label` names the scrollable region for screen readers. */
function table(label: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [
    `<div class="wide" role="region" tabindex="0" aria-label="${escapeHtml(label)}"><table>`,
    `<thead><tr>${heads.join('')}</tr></thead>`,
    `<tbody>${rows.map((cells) => `<tr>${cells.join('')}</tr>`).join('\n')}</tbody></table></div>`,
  ].join('\n');
}

function faultsInWords(result: BenchResult): string {
  const entries = Object.entries(result.faults);
  const wrong = hasFaults(result);
  const shown = entries.map(([name, count]) => `${escapeHtml(name)} ${count}`).join(', ');
  if (wrong) return `<span class="bad">wrong: ${shown}</span>`;
  return `<span class="good">none</span>${entries.length === 0 ? '' : ` <span class="faint">(${shown})</span>`}`;
}

function targetsInWords({ measurements }: BenchResult): string {
  const outcomes = measurements.map(targetMet).filter((met) => met !== null);
  const met = outcomes.filter((one) => one).length;
  if (outcomes.length === 0) return '<span class="faint">none set</span>';
  return `<span class="${met === outcomes.length ? 'good' : 'bad'}">${met} of ${outcomes.length} met</span>`;
}

/** `level` is the heading level. Only the newest run, at level 2, has anchors and shows trends. */
function runSections({ results }: SuiteRun, page: Page, level: 2 | 4): string {
  return results
    .map((result, index) =>
      [
        `<section${level === 2 ? ` id="bench-${index}"` : ''}>`,
        `<h${level}>${escapeHtml(result.bench)}</h${level}>`,
        parametersInWords(result),
        `<p>Faults: ${faultsInWords(result)}</p>`,
        ...(result.measurements.length > 0 ? [measurementTable(result, level === 2 ? page.runs : [])] : []),
        ...(result.notes.length > 0
          ? [`<ul>${result.notes.map((note) => `<li>${escapeHtml(note)}</li>`).join('')}</ul>`]
          : []),
        ...result.plots.map((plot) => {
          const shown = drawable(plot);
          return plotFigure(shown, page.plots.push(shown.plot) - 1);
        }),
        '</section>',
      ].join('\n'),
    )
    .join('\n');
}

function parametersInWords({ parameters }: BenchResult): string {
  const settings = Object.entries(parameters).map(([name, value]) => `${name} ${value}`);
  return settings.length === 0 ? '' : `<p>Run with ${escapeHtml(settings.join(', '))}.</p>`;
}

function measurementTable(result: BenchResult, runs: readonly SuiteRun[]): string {
  const withTrend = runs.length > 1;
  const heads = [
    '<th scope="col">Measurement</th>',
    ...['Median', 'Min', 'Max', 'Rounds'].map(numberHead),
    ...['Target', ...(withTrend ? [`Runs 1 to ${runs.length}`] : [])].map(wordsHead),
  ];
  const rows = result.measurements.map((measurement) => {
    const { name, unit, samples } = measurement;
    return [
      `<th scope="row">${escapeHtml(name)}</th>`,
      ...[median(samples), Math.min(...samples), Math.max(...samples)].map(
        (value) => `<td>${figure(value, unit)}</td>`,
      ),
      `<td>${samples.length}</td>`,
      `<td class="words">${targetInWords(measurement)}</td>`,
      ...(withTrend ? [`<td class="words">${trendCell(measurement, result, runs)}</td>`] : []),
    ];
  });
  return table(`Measurements of ${result.bench}`, heads, rows);
}

function targetInWords(measurement: Measurement): string {
  const { target, better, unit } = measurement;
  if (target === undefined) return '';
  const met = targetMet(measurement);
  const bound = `${better === 'higher' ? 'at least' : 'at most'} ${figure(target, unit)}`;
  return `${bound}: <span class="${met ? 'good' : 'bad'}">${met ? 'met' : 'not met'}</span>`;
}

function trendCell({ name, unit }: Measurement, result: BenchResult, runs: readonly SuiteRun[]): string {
  const medians = trendOf(name, result, runs);
  if (medians.filter((value) => value !== null).length < 2) return '<span class="faint">no other run</span>';
  const words = medians.map((value) => (value === null ? 'not measured' : figure(value, unit))).join(', ');
  return `${trendLine(medians, `Median in each run: ${words}`)}`;
}

function earlierRuns(page: Page): string {
  const earlier = page.runs
    .slice(0, -1)
    .map((run, index) =>
      [
        `<details><summary><h3>Run ${index + 1}, ${escapeHtml(timeOf(run))}</h3></summary>`,
        environment(run),
        ...run.failed.map(({ bench, message }) => `<p class="bad">${escapeHtml(`${bench} failed: ${message}`)}</p>`),
        runSections(run, page, 4),
        '</details>',
      ].join('\n'),
    );
  return `<section><h2>Earlier runs</h2>\n${earlier.reverse().join('\n')}</section>`;
}
