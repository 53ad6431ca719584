// The demo's summary: a row of figures for each receiver, and the problems found.

import { textTable } from '#workers/admin/text-table.ts';
import type { ReplayOutcome } from './demo-replay.ts';
import { streamProblems } from './followed-stream.ts';
import type { Screen } from './screen.ts';
import { judge, skippedCount } from './verdict.ts';

const HEAD = [
  '#',
  'OVER',
  'ASKED FOR',
  'EXPECTED',
  'RECEIVED',
  'LOST',
  'TWICE',
  'BAD SIGNATURE',
  'REORDERED',
  'RETRIES',
  'SKIPPED',
  'ARRIVAL P50',
  'P99',
  'MAX',
];

export function summaryText(
  outcome: ReplayOutcome,
  screen: Screen,
): { readonly text: string; readonly passed: boolean } {
  const { participants, figures, streams, updateCount, whole, outageMs, deliveries, durationMs, startLag } = outcome;
  const { lost, problems: receiverProblems } = judge(figures, whole, outageMs !== null);
  const problems = [...receiverProblems, ...streamProblems(streams, whole ? updateCount : null)];
  const rows = figures.map((receiver, index) => {
    const { wish, receiver: server, lag } = participants[index]!;
    const skipped = Object.entries(receiver.service.skipped).map(([reason, count]) => `${count} ${reason}`);
    return [
      String(receiver.number),
      server.scheme,
      wish.label,
      String(receiver.expected),
      String(receiver.received),
      String(lost[index]!),
      String(receiver.duplicates),
      String(receiver.badSignatures),
      String(server.counts.reordered),
      String(server.counts.retries),
      skipped.join(', ') || '-',
      `${lag.quantileMs(0.5)} ms`,
      `${lag.quantileMs(0.99)} ms`,
      `${lag.maxMs} ms`,
    ];
  });
  const rate = Math.round((deliveries * 1000) / durationMs);
  const lines = [
    '',
    textTable(HEAD, rows),
    '',
    `${deliveries.toLocaleString('en')} updates delivered in ${(durationMs / 1000).toFixed(1)} s, ${rate.toLocaleString('en')} a second`,
  ];
  lines.push('lag from due time to the start of the attempt (the table shows the lag at arrival, receiver included):');
  for (const [scheme, lag] of startLag) {
    lines.push(`  over ${scheme}: p50 ${lag.quantileMs(0.5)} ms, p99 ${lag.quantileMs(0.99)} ms, max ${lag.maxMs} ms`);
  }
  const same = streams.filter(({ different }) => different === 0);
  for (const { protocol, last } of same)
    lines.push(
      `a stream over ${protocol} had ${last.toLocaleString('en')} updates, byte for byte those of the webhooks`,
    );
  const paused = figures.find((receiver) => receiver.goesDown && outageMs !== null);
  if (paused?.breakerOpened && paused.breakerClosedAgain) {
    const seconds = Math.round(outageMs! / 1000);
    lines.push(
      `receiver ${paused.number} was down for ${seconds} s: paused, ${skippedCount(paused.service)} updates skipped, probed, resumed`,
    );
  }
  if (outageMs === null)
    lines.push(
      'no receiver was switched off: an outage needs two receivers, 20 s of replay and a steady flow of updates',
    );
  lines.push(...problems.map((problem) => screen.bad(problem)), '');
  return { text: lines.join('\n'), passed: problems.length === 0 };
}
