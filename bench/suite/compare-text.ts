// A comparison as text: warnings first, then what broke, then every measurement with its verdict.

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
    ...listed('Warnings:', warnings),
    ...listed('Broken in B, which outweighs every measurement:', broken),
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
  const rows = [['', 'A', 'B', 'B/A', '95 % interval', ''], ...measurements.map(cells)];
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
    `Worse or better: at most ${percent(FALSE_ALARMS)} of comparisons report any such verdict by chance (Holm), and the medians`,
    `differ by enough to matter: ${[
      ...(paired ? [`${percent(PAIRED_MATTERS)} in pairs of runs`] : []),
      ...(single ? [`${percent(UNPAIRED_MATTERS)}, or the spread of A's rounds if larger, in single runs`] : []),
    ].join('; ')}.`,
    `No difference shown: a change of ${percent(WOULD_BE_SEEN)} would have been detected.`,
    ...(all.includes('too noisy to say')
      ? [
          'Too noisy to say: measure more (--rounds), or alternate 5 to 10 runs of each version (old, new, old, new ...).',
        ]
      : []),
    ...(single
      ? ['Single runs: a busier hour of the machine looks like a slower program. Alternating runs avoids this.']
      : []),
  ];
}
