// The trend of a measurement over the runs of a file: its medians, and a sparkline of them that needs no script.

import { escapeHtml } from '#engine/base/html-escape.ts';
import { median } from '#engine/base/median.ts';
import type { BenchResult } from './result.ts';
import type { SuiteRun } from './suite-file.ts';

const WIDTH = 96;
const HEIGHT = 24;
const MARGIN = 3;

/** The height of a line covers at least this share of the value, so small noise looks flat. */
const SPAN_MIN = 0.1;

/** The median in each run; null if the run did not measure it with the same parameters. */
export function trendOf(
  name: string,
  { bench, parameters }: BenchResult,
  runs: readonly SuiteRun[],
): (number | null)[] {
  const settings = JSON.stringify(parameters);
  return runs.map(({ results }) => {
    const result = results.find((one) => one.bench === bench && JSON.stringify(one.parameters) === settings);
    const measurement = result?.measurements.find((one) => one.name === name);
    return measurement === undefined ? null : median(measurement.samples);
  });
}

/** An SVG element. `words` describe it to screen readers. */
export function trendLine(medians: readonly (number | null)[], words: string): string {
  const values = medians.filter((value) => value !== null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = Math.max(high - low, SPAN_MIN * Math.abs(high)) || 1;
  const middle = (low + high) / 2;
  const at = (index: number) => MARGIN + (index / Math.max(1, medians.length - 1)) * (WIDTH - 2 * MARGIN);
  const up = (value: number) => HEIGHT / 2 - ((value - middle) / span) * (HEIGHT - 2 * MARGIN);
  const points = medians.flatMap((value, index) =>
    value === null ? [] : [{ x: at(index).toFixed(1), y: up(value).toFixed(1) }],
  );
  const last = points.at(-1)!;
  return [
    `<svg class="trend" role="img" aria-label="${escapeHtml(words)}" width="${WIDTH}" height="${HEIGHT}">`,
    `<polyline fill="none" stroke="currentColor" stroke-width="1.5" points="${points.map(({ x, y }) => `${x},${y}`).join(' ')}"/>`,
    `<circle fill="currentColor" cx="${last.x}" cy="${last.y}" r="2.5"/></svg>`,
  ].join('');
}
