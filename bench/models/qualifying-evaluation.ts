// How good the odds of qualifying are: the chances of elimination that were told in the middle of each part of recorded
// sessions, held against who took part in the next one. Beside them the order of the moment, taken for certain. (Half of the time
// between a part's start and its end, interruptions included.)

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openSource } from '#engine/intake/source/open-source.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { mean, type PairedDifference, pairedDifference } from './scoring.ts';

/** The recordings of qualifying that say that they are one, and where they are in a folder of recordings. */
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

interface Told {
  readonly feed: string;
  readonly utc: string;
  readonly event?: string;
  readonly data: { readonly part?: number };
  readonly session: { readonly part: number; readonly cutOffPosition: number | null };
  readonly drivers: readonly { readonly number: string; readonly eliminationProbability: number | null }[];
}

/** `folder` holds the recordings; those that are not there are left out. */
export function evaluateQualifyingOdds(folder: string): QualifyingEvaluation {
  const cells = RECORDINGS.flatMap(([sessionId, path]) => {
    if (!existsSync(join(folder, path))) return [];
    const frames = openSource(join(folder, path)).frames();
    return cellsOf(sessionId, toldBy(deriveTimeline({ sessionId, seriesId: 'f1' }, frames)));
  });
  const [odds, order] = [cells.map(({ oddsBrier }) => oddsBrier), cells.map(({ orderBrier }) => orderBrier)];
  return { cells, difference: cells.length < 2 ? null : pairedDifference(odds, order) };
}

function toldBy(timeline: Timeline): readonly Told[] {
  const decoder = new TextDecoder();
  const told: Told[] = [];
  for (let position = 0; position < timeline.length; position++) {
    const feed = timeline.feedId(position);
    if (feed !== 'analytics.qualifying' && feed !== 'events.race') continue;
    told.push(JSON.parse(decoder.decode(timeline.body(position))) as Told);
  }
  return told;
}

function cellsOf(sessionId: string, told: readonly Told[]): QualifyingCell[] {
  const odds = told.filter(({ feed }) => feed === 'analytics.qualifying');
  return [1, 2].flatMap((part) => {
    const [start, end] = ['segment_start', 'segment_end'].map((event) =>
      told.find((one) => one.event === event && one.data.part === part),
    );
    const next = odds.findLast(({ session }) => session.part === part + 1);
    if (start === undefined || end === undefined || next === undefined) return [];
    const halfUtcMs = (Date.parse(start.utc) + Date.parse(end.utc)) / 2;
    const at = odds.findLast(({ utc, session }) => session.part === part && Date.parse(utc) <= halfUtcMs);
    if (at === undefined) return [];
    const wentOn = new Set(next.drivers.map(({ number }) => number));
    const errors = (chanceOf: (index: number) => number) =>
      mean(at.drivers.map(({ number }, index) => (chanceOf(index) - (wentOn.has(number) ? 0 : 1)) ** 2));
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
    'Chances of elimination in the middle of each part, Brier score; lower is better',
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
