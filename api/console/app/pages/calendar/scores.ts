// What the fantasy page works out: which races can be chosen, what a score is made of, and how stops compare.

import type { GetLiveScoresAnswer, GetPitTimesAnswer, Session } from '#api/client/calls.ts';
import { type CalendarEvent, type Scored, sessionsOf } from './season.ts';

export interface Choice extends Scored {
  readonly sessionId: string;
  readonly name: string;
  readonly live: boolean;
}

/** One address for each choice; also the value of its option. */
export const keyOf = ({ raceId, kind }: Scored): string => `${kind} ${raceId}`;

/**
 * Races and sprints that have begun, the latest first; then recorded ones that the calendar does not show. One that was
 * asked for is always among them.
 */
export function choicesOf(
  events: readonly CalendarEvent[],
  recorded: readonly Session[],
  asked: Scored | null,
): readonly Choice[] {
  const choices = new Map<string, Choice>();
  const add = (choice: Choice): void => {
    if (!choices.has(keyOf(choice))) choices.set(keyOf(choice), choice);
  };
  for (const { event, session } of [...sessionsOf(events)].reverse()) {
    const { type, status, sessionId } = session;
    if (type !== 'Race' && type !== 'Sprint') continue;
    if (status !== 'live' && status !== 'finished') continue;
    const kind = type === 'Sprint' ? 'sprint' : 'race';
    add({ raceId: event.eventId, kind, sessionId, name: event.name, live: status === 'live' });
  }
  for (const { sessionId, name, demo, season } of recorded) {
    const [, raceId, kind] = /^(.+)-(race|sprint)$/.exec(sessionId) ?? [];
    if (demo || raceId === undefined) continue;
    const shown = `${name.replace(/, (?:Race|Sprint)$/, '')} ${season}`;
    add({ raceId, kind: kind as Scored['kind'], sessionId, name: shown, live: false });
  }
  if (asked !== null) add({ ...asked, sessionId: `${asked.raceId}-${asked.kind}`, name: asked.raceId, live: false });
  return [...choices.values()];
}

/** What is shown before somebody chooses: a race that certainly has scores, since it runs or was recorded. */
export function firstOf(choices: readonly Choice[], recorded: readonly Session[]): Choice | null {
  const ids = new Set(recorded.map(({ sessionId }) => sessionId));
  return choices.find(({ live }) => live) ?? choices.find(({ sessionId }) => ids.has(sessionId)) ?? null;
}

export type Score = GetLiveScoresAnswer['scores'][number];
export type Line = Exclude<keyof Score['breakdown'], 'positionsGained' | 'total'>;

/** What adds up to the total, in the order of the weekend. */
export const LINES: readonly Line[] = [
  'qualiPosPoints',
  'q3Bonus',
  'beatTeammateQuali',
  'racePosPoints',
  'positionsGainedPoints',
  'fastestLapPoints',
  'beatTeammateRace',
  'dnfPenalty',
];

/** A sprint has no points for these. */
const NOT_IN_SPRINTS: ReadonlySet<Line> = new Set([
  'qualiPosPoints',
  'q3Bonus',
  'beatTeammateQuali',
  'fastestLapPoints',
]);

export function linesFor(kind: Scored['kind']): readonly Line[] {
  return kind === 'race' ? LINES : LINES.filter((line) => !NOT_IN_SPRINTS.has(line));
}

/** `+3`, `-15`, `0`; null is not known yet. */
export function signed(points: number | null): string {
  if (points === null) return '–';
  return points > 0 ? `+${points}` : points < 0 ? `−${-points}` : '0';
}

/** The bar of each total: its length beside the largest one, and whether it is a loss. */
export function totalBars(totals: readonly number[]): readonly { readonly share: number; readonly loss: boolean }[] {
  const most = Math.max(1, ...totals.map(Math.abs));
  return totals.map((total) => ({ share: Math.abs(total) / most, loss: total < 0 }));
}

export type Stop = GetPitTimesAnswer['stops'][number];

/** Stops with their distance to the fastest one, and their bars: the slowest fills its place. */
export function comparedStops(stops: readonly Stop[]) {
  const fastest = stops[0]?.seconds ?? 0;
  const slowest = Math.max(fastest, ...stops.map(({ seconds }) => seconds));
  return stops.map((stop) => {
    const gap = stop.seconds - fastest;
    return { stop, gap, share: gap === 0 ? 0 : gap / (slowest - fastest) };
  });
}
