// Fast laps in recordings of qualifying, as their first and second sectors end: what the lap should take, and what it took;
// and the numbers that follow from them.

import { objectOf } from '#engine/base/json-value.ts';
import { median } from '#engine/base/median.ts';
import { QualifyingPicture } from '#engine/racing/analytics/qualifying-picture.ts';
import type { SectorSettings } from '#engine/racing/analytics/qualifying-settings.ts';
import { isFast } from '#engine/racing/analytics/sector-shares.ts';
import { racingNumbers } from '#engine/racing/session/session-state.ts';
import { lapTimeOf } from '#engine/racing/timing-text.ts';
import { followQualifying } from './followed-qualifying.ts';
import type { QualifyingRecording } from './qualifying-recordings.ts';

export interface SectorCase {
  readonly sessionId: string;
  readonly sectors: 1 | 2;
  readonly projectedSeconds: number;
  /** Null: the lap was given up. */
  readonly seconds: number | null;
}

/** The deviation of a normal distribution is so many times the median distance from its middle. */
const NORMAL = 1.4826;

interface OpenLap {
  readonly firstSeconds: number;
  readonly bestSeconds: number;
  readonly cases: Omit<SectorCase, 'seconds'>[];
}

/** Of cars that have a time in this part or an earlier one. */
export function sectorCases({ sessionId, frames }: QualifyingRecording): SectorCase[] {
  const cases: SectorCase[] = [];
  const open = new Map<string, OpenLap>();
  const close = (number: string, lapSeconds: number | null): void => {
    const lap = open.get(number);
    open.delete(number);
    if (lap === undefined) return;
    const seconds = lapSeconds !== null && isFast(lapSeconds, lap.bestSeconds) ? lapSeconds : null;
    cases.push(...lap.cases.map((one) => ({ ...one, seconds })));
  };
  const picture = new QualifyingPicture();
  followQualifying(frames, true, (merged) => {
    picture.apply(merged);
    if (merged.topic !== 'TimingData') return;
    const lines = objectOf(merged.changes.Lines);
    for (const number of racingNumbers(lines)) {
      if (objectOf(lines[number]).Sectors === undefined) continue;
      const [first, second, third] = timesOf(merged.state.timing(number).Sectors);
      if (first != null && second != null && third != null) close(number, first + second + third);
      const entry = picture.entries().find((one) => one.number === number);
      const lap = entry?.lap ?? null;
      const bestSeconds = entry?.bestSeconds ?? entry?.earlier?.bestSeconds;
      if (first == null || lap === null || bestSeconds === undefined) continue;
      if (!isFast(lap.projectedSeconds, bestSeconds)) continue;
      if (open.get(number)?.firstSeconds !== first) close(number, null);
      const known = open.get(number) ?? { firstSeconds: first, bestSeconds, cases: [] };
      open.set(number, known);
      if (known.cases.every(({ sectors }) => sectors !== lap.sectors)) known.cases.push({ sessionId, ...lap });
    }
  });
  for (const number of open.keys()) close(number, null);
  return cases;
}

export function sectorSettingsOf(cases: readonly SectorCase[]): SectorSettings {
  return [1, 2].map((sectors) => {
    const own = cases.filter((one) => one.sectors === sectors);
    const ended = own.flatMap(({ seconds, projectedSeconds }) => (seconds === null ? [] : seconds / projectedSeconds));
    const scatter = NORMAL * median(ended.map((part) => Math.abs(part - 1)));
    return { scatter: Number(scatter.toPrecision(3)), chance: Number((ended.length / own.length).toFixed(3)) };
  });
}

function timesOf(sectors: unknown): readonly (number | null)[] {
  return [0, 1, 2].map((sector) => {
    const ms = lapTimeOf(objectOf(objectOf(sectors)[sector]).Value)?.ms ?? null;
    return ms === null ? null : ms / 1000;
  });
}
