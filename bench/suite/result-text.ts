// A result as text for a terminal: a table of measurements (median, minimum and maximum of the rounds), then faults and
// notes.

import { median } from '#engine/base/median.ts';
import { alignedTable } from './aligned-table.ts';
import type { BenchResult, Measurement } from './result.ts';
import type { SuiteRun } from './suite-file.ts';
import { targetMet } from './target.ts';

const COLUMNS = ['', 'median', 'min', 'max', 'unit', 'rounds', 'target'];
/** The columns of names, units and targets. */
const WORDS = new Set([0, 4, 6]);

export function describeRun({ machine, versions }: Pick<SuiteRun, 'machine' | 'versions'>): string {
  const { cpu, cores, memoryMiB, os } = machine;
  const gib = (memoryMiB / 1_024).toFixed(1);
  return `${cores} cores of ${cpu}, ${gib} GiB, ${os}; Node ${versions.node}, slipstream ${versions.slipstream}`;
}

export function describeResult(result: BenchResult): string {
  const { bench, parameters, measurements, faults, notes } = result;
  const settings = Object.entries(parameters).map(([name, value]) => `${name} ${value}`);
  const counts = Object.entries(faults).map(([name, count]) => `${name} ${count}`);
  return [
    [bench, ...settings].join(', '),
    ...(measurements.length > 0 ? [alignedTable([COLUMNS, ...measurements.map(cells)], WORDS).join('\n')] : []),
    ...(counts.length > 0 ? [`${hasFaults(result) ? 'WRONG: ' : ''}${counts.join(', ')}`] : []),
    ...notes,
  ].join('\n\n');
}

export function hasFaults({ faults }: BenchResult): boolean {
  return Object.values(faults).some((count) => count !== 0);
}

function cells(measurement: Measurement): string[] {
  const { name, unit, samples } = measurement;
  return [
    name,
    formatValue(median(samples)),
    formatValue(Math.min(...samples)),
    formatValue(Math.max(...samples)),
    unit === 'count' || unit === 'share' ? '' : unit,
    String(samples.length),
    describeTarget(measurement),
  ];
}

function describeTarget(measurement: Measurement): string {
  const { target, better } = measurement;
  if (target === undefined) return '';
  const bound = `${better === 'higher' ? 'at least' : 'at most'} ${formatValue(target)}`;
  return `${bound}: ${targetMet(measurement) ? 'met' : 'MISSED'}`;
}

/** Three significant digits, or every digit before the decimal point if there are more. */
export function formatValue(value: number): string {
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US');
  if (size >= 0.001) return value.toPrecision(3);
  return value.toExponential(2);
}
