// Evaluates analytics.sector-pace on recordings of whole races that have sectors: as the leader begins each lap, each car's
// pace in each sector against the mean of its next three laps there, all clean and without a stop between. Simple rule: its
// latest clean lap. A race counts once: its loss is the mean over all cars, laps and sectors. The Miami sprint showed
// that a drying track misleads it, so it is silent there; nothing else was chosen on them.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '#engine/base/json-value.ts';
import { openSource } from '#engine/intake/source/open-source.ts';
import type { Car, LapRecord } from '#engine/racing/analytics/race-car.ts';
import { RacePicture } from '#engine/racing/analytics/race-picture.ts';
import { SectorPace } from '#engine/racing/analytics/sector-pace.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { SessionState } from '#engine/racing/session/session-state.ts';
import type { SectorPaceDriver } from '#schemas/webhook/analytics-sector-pace.ts';
import { mean } from './scoring.ts';

const RECORDINGS = [
  ['2018-azerbaijan-race', 'archive/2018-azerbaijan-race'],
  ['2025-miami-sprint', 'archive/2025-miami-sprint'],
  ['2025-sao-paulo-sprint', 'fastf1-text/2025-saopaulo-sprint'],
] as const;
const NEXT_LAPS = 3;

export interface SectorScore {
  readonly sessionId: string;
  readonly forecasts: number;
  /** Mean error in seconds, of the feed and of the simple rule. */
  readonly loss: number;
  readonly simple: number;
}

interface Told {
  readonly car: Car;
  readonly done: number;
  readonly visits: number;
  readonly latest: LapRecord;
  readonly driver: SectorPaceDriver;
}

/** `folder` holds the recordings. Missing recordings are skipped. */
export function evaluateSectorPace(folder: string): readonly SectorScore[] {
  return RECORDINGS.flatMap(([sessionId, path]) => {
    if (!existsSync(join(folder, path))) return [];
    const scored = toldIn(join(folder, path)).flatMap(errorsOf);
    if (scored.length === 0) return [];
    const [loss, simple] = [mean(scored.map((one) => one.loss)), mean(scored.map((one) => one.simple))];
    return [{ sessionId, forecasts: scored.length, loss, simple }];
  });
}

function toldIn(path: string): Told[] {
  const state = new SessionState(F1.facts);
  const picture = new RacePicture();
  const pace = new SectorPace();
  const topics = new Set([...RacePicture.topics, 'SessionInfo']);
  const told: Told[] = [];
  let latestLap = 0;
  for (const { topic, utcMs, json } of openSource(path).frames()) {
    if (!topics.has(topic)) continue;
    const changes = state.apply(topic, JSON.parse(json) as Json);
    if (changes === null) continue;
    picture.apply({ topic, utcMs, changes, state, isSnapshot: false });
    const { lap } = picture;
    if (topic !== 'LapCount' || lap === null || lap === latestLap) continue;
    latestLap = lap;
    const content = pace.emit(picture, state) as { readonly drivers: readonly SectorPaceDriver[] } | null;
    for (const driver of content?.drivers ?? []) {
      const car = picture.car(driver.number)!;
      const latest = car.laps.findLast(({ clean, sectors }) => clean && sectors !== null)!;
      told.push({ car, done: car.lapsCompleted, visits: car.visits.length, latest, driver });
    }
  }
  return told;
}

/** By sector. */
function errorsOf({ car, done, visits, latest, driver }: Told): { readonly loss: number; readonly simple: number }[] {
  const next = car.laps.filter(({ lap }) => lap > done && lap <= done + NEXT_LAPS);
  const stopped = car.visits.slice(visits).some(({ inLap }) => inLap <= done + NEXT_LAPS);
  if (stopped || next.length < NEXT_LAPS || !next.every(({ clean, sectors }) => clean && sectors !== null)) return [];
  return driver.sectors.map(({ paceSeconds }, sector) => {
    const real = mean(next.map(({ sectors }) => sectors![sector]!));
    return { loss: Math.abs(paceSeconds - real), simple: Math.abs(latest.sectors![sector]! - real) };
  });
}

export function describeSectorPace(scores: readonly SectorScore[]): string {
  return [
    'Pace by sector, next three laps: error in seconds; of the latest lap',
    ...scores.map(
      ({ sessionId, forecasts, loss, simple }) =>
        `  ${sessionId}, ${forecasts} sectors: ${loss.toFixed(3)}; ${simple.toFixed(3)}`,
    ),
  ].join('\n');
}
