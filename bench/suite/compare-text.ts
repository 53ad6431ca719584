// A comparison as a person reads it: what to know first, then what is worse, then every number with its verdict.

import { alignedTable } from './aligned-table.ts';
import type { ComparedBench, ComparedMeasurement, Comparison } from './comparison.ts';
import { figure } from './figure.ts';
import { FALSE_ALARMS, PAIRED_MATTERS, UNPAIRED_MATTERS, type Verdict, WOULD_BE_SEEN } from './verdict.ts';

const VERDICTS: readonly Verdict[] = ['worse', 'better', 'no difference shown', 'too noisy to say'];

/** The columns of the name and of the verdict. */
const WORDS = new Set([0, 5]);

const percent = (share: number): string => `${Math.round(share * 100)} %`;

export function comparisonText(comparison: Comparison): string {
  const { warnings, broken, benches, leftOut } = comparison;
  return [
    ...listed('Mind:', warnings),
    ...listed('Broken in B, which is worse than any number:', broken),
    ...benches.flatMap(benchLines),
    ...listed('Not compared:', leftOut),
    ...summaryLines(comparison),
  ].join('\n');
}

function listed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), ''];
}

function benchLines({ bench, parameters, pairs, measurements }: ComparedBench): string[] {
  const settings = Object.entries(parameters).map(([name, value]) => `${name} ${value}`);
  const kind = pairs === 1 ? 'rounds of one run each' : `${pairs} pairs of runs`;
  const rows = [['', 'A', 'B', 'B/A', 'in 95 of 100 cases', ''], ...measurements.map(cells)];
  return [`${bench} (${[...settings, kind].join(', ')})`, ...alignedTable(rows, WORDS).map((line) => `  ${line}`), ''];
}

function cells({ name, unit, medianA, medianB, difference, verdict }: ComparedMeasurement): string[] {
  const { ratio, low, high } = difference;
  const known = ratio !== null && Number.isFinite(low);
  return [
    name,
    figure(medianA, unit),
    figure(medianB, unit),
    ratio === null ? '-' : ratio.toFixed(3),
    known ? `${Math.exp(low).toFixed(3)} to ${Math.exp(high).toFixed(3)}` : '-',
    verdict,
  ];
}

function summaryLines({ benches, broken }: Comparison): string[] {
  const all = benches.flatMap(({ measurements }) => measurements.map(({ verdict }) => verdict));
  const counts = VERDICTS.map((verdict) => `${verdict} ${all.filter((one) => one === verdict).length}`);
  const paired = benches.some(({ pairs }) => pairs > 1);
  const single = benches.some(({ pairs }) => pairs === 1);
  return [
    `${broken.length > 0 ? `broken ${broken.length}, ` : ''}${counts.join(', ')}`,
    '',
    `Worse or better: chance makes even one such verdict in ${percent(FALSE_ALARMS)} of comparisons (Holm), and the medians differ`,
    `by what matters: ${[
      ...(paired ? [`${percent(PAIRED_MATTERS)} in pairs of runs`] : []),
      ...(single ? [`${percent(UNPAIRED_MATTERS)}, or as much as the rounds of A differ, in single runs`] : []),
    ].join('; ')}.`,
    `No difference shown: a change of ${percent(WOULD_BE_SEEN)} would have been seen.`,
    ...(all.includes('too noisy to say')
      ? [
          'Too noisy to say: measure more (--rounds), or make 5 to 10 runs of each version in turn (old, new, old, new ...).',
        ]
      : []),
    ...(single
      ? [
          'Rounds of single runs: a busier hour of the machine looks like a slower program; runs made in turn do not mind it.',
        ]
      : []),
  ];
}
