// Scores a race or sprint of the history.

import { driverSlug } from '#engine/racing/driver-slug.ts';
import { Q3_PLACES } from '#engine/racing/outcome/knockout-qualifying.ts';
import type { Classification, Participant, QualifyingResult } from '#engine/seasons/history/history.ts';
import type { NamedWeekend } from '#engine/seasons/history/history-store.ts';
import { teamName } from '#engine/seasons/history/team-name.ts';
import type { FantasyRules, FantasySessionType } from '#schemas/fantasy/fantasy-rules.ts';
import { type Contestant, type FantasyScore, type Finish, fantasyScores } from './fantasy-scores.ts';

/** In the first two races of 2016 cars were eliminated one by one, which left eight for the last part. */
const ELIMINATION_Q3_PLACES = 8;
const ELIMINATION_EVENTS = ['2016-australia', '2016-bahrain'];
/** Drivers who took part in the last part and were disqualified, of whom the history has no times. */
const DISQUALIFIED_WITHOUT_TIMES: Readonly<Record<string, number>> = { '2024-netherlands': 1 };

/** Empty if the session was not held or is not known. */
export function raceScores(
  rules: FantasyRules,
  { weekend, drivers, constructors }: NamedWeekend,
  sessionType: FantasySessionType,
): readonly FantasyScore[] {
  const isSprint = sessionType === 'sprint';
  const results = isSprint ? weekend.sprintResults : weekend.results;
  const grid = isSprint ? weekend.sprintGrid : weekend.grid;
  if (results.length === 0) return [];
  const qualifying = byDriver(weekend.qualifying);
  const inQ3 = reachedQ3(weekend.qualifying, weekend.eventId);
  const gridPlaces = new Map(grid.map(({ driverId, position }, index) => [driverId, position ?? index + 1]));
  const fastest = weekend.fastestLaps.find(({ rank }) => rank === 1)?.driverId;
  const contestant = ({ driverId, constructorId }: Participant, finish: Finish): Contestant => ({
    driver: driverSlug(driverId),
    name: drivers.get(driverId)?.name ?? driverId,
    tla: drivers.get(driverId)?.tla ?? '',
    ...teamName(constructors, constructorId, weekend.season),
    finish,
    gridPlace: gridPlaces.get(driverId) ?? null,
    qualifyingPlace: placeIn(qualifying.get(driverId)?.classification),
    reachedQ3: inQ3.has(driverId),
    fastestLap: driverId === fastest,
  });
  const raced = byDriver(results);
  const others = isSprint ? [] : weekend.qualifying.filter(({ driverId }) => !raced.has(driverId));
  return fantasyScores(rules[sessionType], [
    ...results.map((result) => contestant(result, finishOf(result.classification))),
    ...others.map((qualifier) => contestant(qualifier, { kind: 'did_not_start' })),
  ]);
}

function byDriver<Of extends Participant>(list: readonly Of[]): ReadonlyMap<string, Of> {
  return new Map(list.map((participant) => [participant.driverId, participant]));
}

function placeIn(classification: Classification | undefined): number | null {
  return classification?.kind === 'classified' ? classification.position : null;
}

function finishOf(classification: Classification): Finish {
  if (classification.kind === 'classified') return classification;
  switch (classification.reason) {
    case 'DNF':
    case 'NC':
      return { kind: 'did_not_finish' };
    case 'DSQ':
    case 'EX':
      return { kind: 'disqualified' };
    default:
      return { kind: 'did_not_start' };
  }
}

/**
 * The classified drivers who took part in the last part of qualifying: those with a time in it, then the best of the
 * others until the part is full. Empty if that part was not held. A driver who was disqualified has no part in it, and
 * nobody moves into his place.
 */
function reachedQ3(qualifying: readonly QualifyingResult[], eventId: string): ReadonlySet<string> {
  const timed = qualifying.filter(({ q3Ms }) => q3Ms !== null).length;
  if (timed === 0) return new Set();
  const places = ELIMINATION_EVENTS.includes(eventId) ? ELIMINATION_Q3_PLACES : Q3_PLACES;
  const disqualified = DISQUALIFIED_WITHOUT_TIMES[eventId] ?? 0;
  let untimedPlaces = places - timed - disqualified;
  const classified = qualifying.filter(({ classification }) => classification.kind === 'classified');
  return new Set(classified.filter(({ q3Ms }) => q3Ms !== null || untimedPlaces-- > 0).map(({ driverId }) => driverId));
}
