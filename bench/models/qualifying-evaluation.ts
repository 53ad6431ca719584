// Evaluates the qualifying odds: the chances of elimination halfway through each part of recorded sessions against the
// drivers who took part in the next part. The baseline is the current order taken as certain. Halfway means half the
// time between start and end of the part, including interruptions.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openSource } from '#engine/intake/source/open-source.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { mean, type PairedDifference, pairedDifference } from './scoring.ts';

/** The recordings that identify themselves as qualifying, with their paths in the folder of recordings. */
const RECORDINGS: readonly (readonly [sessionId: string, path: string])[] = [
  ['2023-azerbaijan-qualifying', 'archive/2023-azerbaijan-qualifying'],
  ['2025-mexico-qualifying', 'archive/2025-mexico-qualifying'],
  ['2026-austria-qualifying', 'signalr-core/2026-austria-qualifying/frames.ndjson'],
];

export interface QualifyingCell {
  readonly sessionId: string;
  readonly part: number;
  readonly drivers: number;
  /** Mean squared errors over the drivers. */
  readonly oddsBrier: number;
  readonly orderBrier: number;
}

export interface QualifyingEvaluation {
  readonly cells: readonly QualifyingCell[];
  readonly difference: PairedDifference | null;
}

interface Update {
  readonly feed: string;
  readonly utc: string;
  readonly event?: string;
  readonly data: { readonly part?: number };
  readonly session: { readonly part: number; readonly cutOffPosition: number | null };
  readonly drivers: readonly { readonly number: string; readonly eliminationProbability: number | null }[];
}

/** `folder` holds the recordings. Missing recordings are skipped. */
export function evaluateQualifyingOdds(folder: string): QualifyingEvaluation {
  const cells = RECORDINGS.flatMap(([sessionId, path]) => {
    if (!existsSync(join(folder, path))) return [];
    const frames = openSource(join(folder, path)).frames();
    return cellsOf(sessionId, updatesOf(deriveTimeline({ sessionId, seriesId: 'f1' }, frames)));
  });
  const [odds, order] = [cells.map(({ oddsBrier }) => oddsBrier), cells.map(({ orderBrier }) => orderBrier)];
  return { cells, difference: cells.length < 2 ? null : pairedDifference(odds, order) };
}

function updatesOf(timeline: Timeline): readonly Update[] {
  const decoder = new TextDecoder();
  const updates: Update[] = [];
  for (let position = 0; position < timeline.length; position++) {
    const feed = timeline.feedId(position);
    if (feed !== 'analytics.qualifying' && feed !== 'events.race') continue;
    updates.push(JSON.parse(decoder.decode(timeline.body(position))) as Update);
  }
  return updates;
}

function cellsOf(sessionId: string, updates: readonly Update[]): QualifyingCell[] {
  const odds = updates.filter(({ feed }) => feed === 'analytics.qualifying');
  return [1, 2].flatMap((part) => {
    const [start, end] = ['segment_start', 'segment_end'].map((event) =>
      updates.find((one) => one.event === event && one.data.part === part),
    );
    const next = odds.findLast(({ session }) => session.part === part + 1);
    if (start === undefined || end === undefined || next === undefined) return [];
    const halfUtcMs = (Date.parse(start.utc) + Date.parse(end.utc)) / 2;
    const at = odds.findLast(({ utc, session }) => session.part === part && Date.parse(utc) <= halfUtcMs);
    if (at === undefined) return [];
    const advanced = new Set(next.drivers.map(({ number }) => number));
    const errors = (chanceOf: (index: number) => number) =>
      mean(at.drivers.map(({ number }, index) => (chanceOf(index) - (advanced.has(number) ? 0 : 1)) ** 2));
    return [
      {
        sessionId,
        part,
        drivers: at.drivers.length,
        oddsBrier: errors((index) => at.drivers[index]!.eliminationProbability!),
        orderBrier: errors((index) => (index < at.session.cutOffPosition! ? 0 : 1)),
      },
    ];
  });
}

export function describeQualifyingOdds({ cells, difference }: QualifyingEvaluation): string {
  return [
    'Chances of elimination halfway through each part, Brier score; lower is better',
    `${''.padEnd(48)} odds   order as certain`,
    ...cells.map(
      ({ sessionId, part, drivers, oddsBrier, orderBrier }) =>
        `${sessionId.padEnd(28)} part ${part}, ${drivers} drivers ${oddsBrier.toFixed(4).padStart(8)} ${orderBrier.toFixed(4).padStart(18)}`,
    ),
    ...(difference === null
      ? []
      : [
          `odds - order: ${difference.mean.toFixed(4)} (SE ${difference.standardError.toFixed(4)}), n ${cells.length} parts`,
        ]),
  ].join('\n');
}
