// What sectors are worth to analytics.qualifying: the same recordings with them and without, at the same moments.
//
// Each recording is scored with numbers that were fitted to the others. Scored are the odds of elimination in the first two
// parts, and those of pole in the last one, every ten seconds from the start of the part until two minutes after its end, when
// the last laps are over. A part counts once in each phase, and differences are paired part by part.

import { QualifyingOdds } from '#engine/racing/analytics/qualifying-odds.ts';
import { QUALIFYING_SETTINGS, type SectorSettings } from '#engine/racing/analytics/qualifying-settings.ts';
import { QualifyingAnalytics } from '#engine/racing/analytics/session-analytics.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { QualifyingDriver } from '#schemas/webhook/analytics-qualifying.ts';
import { followQualifying } from './followed-qualifying.ts';
import { updatesOf } from './qualifying-evaluation.ts';
import { recordedQualifying } from './qualifying-recordings.ts';
import { mean, type PairedDifference, pairedDifference } from './scoring.ts';
import { type SectorCase, sectorCases, sectorSettingsOf } from './sector-cases.ts';

const STEP_MS = 10_000;
const AFTER_MS = 120_000;
const PARTS = [1, 2, 3] as const;
/** Chances are clipped to 0.1 and 99.9 %, which bounds the cost of one surprise. */
const CERTAIN = 0.999;
/** Told less than this, a driver is safe. */
const SAFE = 0.05;

const PHASES = ['first half', '50 to 80 %', '80 % to the end', 'last laps'] as const;
type Phase = (typeof PHASES)[number];

interface Told {
  readonly utcMs: number;
  readonly part: number;
  readonly drivers: readonly QualifyingDriver[];
}

interface Moment {
  readonly key: string;
  readonly phase: Phase;
  readonly isPole: boolean;
  readonly withSectors: readonly Chance[];
  readonly without: readonly Chance[];
}

interface Chance {
  readonly told: number;
  readonly happened: boolean;
}

interface Losses {
  readonly logLoss: number;
  readonly brier: number;
}

export interface SectorsScore {
  readonly what: 'elimination' | 'pole';
  readonly phase: Phase;
  readonly parts: number;
  readonly withSectors: Losses;
  readonly without: Losses;
  readonly logLoss: PairedDifference;
  readonly brier: PairedDifference;
}

export interface SafeDrivers {
  readonly count: number;
  readonly told: number;
  readonly wentOut: number;
}

export interface SectorsEvaluation {
  readonly scores: readonly SectorsScore[];
  /** Drivers told less than 5 % in the first two parts, at all moments: with sectors, and without. */
  readonly safe: { readonly withSectors: SafeDrivers; readonly without: SafeDrivers };
}

/** `folder` holds the recordings. Null: fewer than two are there. */
export function evaluateSectors(folder: string): SectorsEvaluation | null {
  const recordings = recordedQualifying(folder).map((recording) => ({ recording, cases: sectorCases(recording) }));
  if (recordings.length < 2) return null;
  const moments = recordings.flatMap(({ recording: { sessionId, frames } }) => {
    const others: SectorCase[] = recordings.flatMap((one) => (one.recording.sessionId === sessionId ? [] : one.cases));
    return momentsOf(sessionId, frames, sectorSettingsOf(others));
  });
  const scores = [false, true].flatMap((isPole) =>
    PHASES.flatMap((phase) => {
      const own = moments.filter((one) => one.phase === phase && one.isPole === isPole);
      const parts = [...Map.groupBy(own, ({ key }) => key).values()];
      return parts.length < 2 ? [] : [scoreOf(isPole ? 'pole' : 'elimination', phase, parts)];
    }),
  );
  const eliminations = moments.filter(({ isPole }) => !isPole);
  return {
    scores,
    safe: {
      withSectors: safeOf(eliminations.flatMap((one) => one.withSectors)),
      without: safeOf(eliminations.flatMap((one) => one.without)),
    },
  };
}

function momentsOf(sessionId: string, frames: readonly Frame[], sectors: SectorSettings): Moment[] {
  const withSectors = toldIn(frames, true, sectors);
  const without = toldIn(frames, false, sectors);
  const events = updatesOf(deriveTimeline({ sessionId, seriesId: 'f1' }, frames));
  const last = without.at(-1);
  return PARTS.flatMap((part) => {
    const [start, end] = ['segment_start', 'segment_end'].map((event) => {
      const found = events.find((one) => one.event === event && one.data.part === part);
      return found === undefined ? undefined : Date.parse(found.utc);
    });
    const next = without.findLast((one) => one.part === part + 1);
    if (start === undefined || end === undefined || last === undefined || (part < 3 && next === undefined)) return [];
    const through = part === 3 ? last.drivers.slice(0, 1) : next!.drivers;
    const chosen = new Set(through.map(({ number }) => number));
    const moments: Moment[] = [];
    for (let utcMs = start; utcMs <= end + AFTER_MS; utcMs += STEP_MS) {
      const [one, other] = [withSectors, without].map((told) =>
        told.findLast((update) => update.part === part && update.utcMs <= utcMs),
      );
      if (one === undefined || other === undefined) continue;
      const over = (utcMs - start) / (end - start);
      const phase =
        over > 1 ? 'last laps' : over >= 0.8 ? '80 % to the end' : over >= 0.5 ? '50 to 80 %' : 'first half';
      const isPole = part === 3;
      const chances = ({ drivers }: Told): Chance[] =>
        drivers.map(({ number, poleProbability, eliminationProbability }) => ({
          told: isPole ? poleProbability : eliminationProbability!,
          happened: chosen.has(number) === isPole,
        }));
      moments.push({ key: `${sessionId} ${part}`, phase, isPole, withSectors: chances(one), without: chances(other) });
    }
    return moments;
  });
}

function toldIn(frames: readonly Frame[], withSectors: boolean, sectors: SectorSettings): readonly Told[] {
  const analytics = new QualifyingAnalytics([new QualifyingOdds(QUALIFYING_SETTINGS, sectors)]);
  const told: Told[] = [];
  followQualifying(frames, withSectors, (merged) => {
    const content = analytics.apply(merged)?.content as unknown as
      | { readonly session: { readonly part: number }; readonly drivers: Told['drivers'] }
      | undefined;
    if (content !== undefined) told.push({ utcMs: merged.utcMs, part: content.session.part, drivers: content.drivers });
  });
  return told;
}

function scoreOf(what: SectorsScore['what'], phase: Phase, parts: readonly (readonly Moment[])[]): SectorsScore {
  const lossesOf = (which: 'withSectors' | 'without', loss: (chances: readonly Chance[]) => number) =>
    parts.map((part) => mean(part.map((moment) => loss(moment[which]))));
  const logLoss = (chances: readonly Chance[]): number =>
    what === 'pole'
      ? Math.min(...chances.filter(({ happened }) => happened).map(clippedLogLoss))
      : mean(chances.map(clippedLogLoss));
  const brier = (chances: readonly Chance[]): number =>
    mean(chances.map(({ told, happened }) => (told - (happened ? 1 : 0)) ** 2));
  const [logWith, logWithout] = [lossesOf('withSectors', logLoss), lossesOf('without', logLoss)];
  const [brierWith, brierWithout] = [lossesOf('withSectors', brier), lossesOf('without', brier)];
  return {
    what,
    phase,
    parts: parts.length,
    withSectors: { logLoss: mean(logWith), brier: mean(brierWith) },
    without: { logLoss: mean(logWithout), brier: mean(brierWithout) },
    logLoss: pairedDifference(logWith, logWithout),
    brier: pairedDifference(brierWith, brierWithout),
  };
}

function clippedLogLoss({ told, happened }: Chance): number {
  return -Math.log(Math.min(CERTAIN, Math.max(1 - CERTAIN, happened ? told : 1 - told)));
}

function safeOf(chances: readonly Chance[]): SafeDrivers {
  const safe = chances.filter(({ told }) => told < SAFE);
  return {
    count: safe.length,
    told: mean(safe.map(({ told }) => told)),
    wentOut: safe.filter(({ happened }) => happened).length,
  };
}

export function describeSectors({ scores, safe }: SectorsEvaluation): string {
  const number = (value: number): string => value.toFixed(4);
  const difference = ({ mean: value, standardError }: PairedDifference) =>
    `${number(value)} (${number(standardError)})`;
  return [
    'Sectors in qualifying, each recording told by numbers of the others: with, without; paired difference (SE) by part',
    ...scores.map(
      ({ what, phase, parts, withSectors, without, logLoss, brier }) =>
        `  ${what}, ${phase}, ${parts} parts: log-loss ${number(withSectors.logLoss)}, ${number(without.logLoss)}; ` +
        `${difference(logLoss)}; Brier ${number(withSectors.brier)}, ${number(without.brier)}; ${difference(brier)}`,
    ),
    ...[['with', safe.withSectors] as const, ['without', safe.without] as const].map(
      ([name, { count, told, wentOut }]) =>
        `  told less than ${SAFE * 100} %, ${name}: ${count}, ${(told * 100).toFixed(1)} %; ` +
        `went out ${((wentOut / count) * 100).toFixed(1)} % (${wentOut})`,
    ),
  ].join('\n');
}
