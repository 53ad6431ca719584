// championship_change: as the race stands, another driver or team would now lead the championship, and this has held
// for 30 seconds. The rule reports the lead only: the places behind it change with every pass. The leader in the first
// message is not news, and neither is the leader that a snapshot shows after a gap.

import { integerOf, numberOf, objectOf, textOf } from '#engine/base/json-value.ts';
import { isRacingNumber, type SessionState } from '#engine/racing/session/session-state.ts';
import { slugOf } from '#engine/racing/slug.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';

/** How long a new leader of the predicted championship must keep the lead. */
const CHAMPIONSHIP_HOLD_MS = 30_000;

interface Lead {
  leader: string | null;
  rival: string | null;
  sinceUtcMs: number;
}

export class ChampionshipEvents implements RaceEventRule {
  /** TimingData is the rule's clock between two predictions. */
  readonly topics = ['ChampionshipPrediction', 'TimingData'];
  readonly #drivers: Lead = { leader: null, rival: null, sinceUtcMs: 0 };
  readonly #teams: Lead = { leader: null, rival: null, sinceUtcMs: 0 };

  apply({ topic, state, utcMs, isSnapshot }: MergedFrame): readonly RaceEvent[] {
    if (topic === 'ChampionshipPrediction') {
      follow(this.#drivers, leaderOf(state.topic(topic).Drivers, isRacingNumber), utcMs, isSnapshot);
      follow(this.#teams, leaderOf(state.topic(topic).Teams), utcMs, isSnapshot);
    }
    if (this.#drivers.rival === null && this.#teams.rival === null) return NO_EVENTS;
    const events: RaceEvent[] = [];
    if (isDue(this.#drivers, utcMs)) events.push(this.#emitDrivers(state));
    if (isDue(this.#teams, utcMs)) events.push(this.#emitTeams(state));
    return events;
  }

  #emitDrivers(state: SessionState): RaceEvent {
    const [leader, previous] = settle(this.#drivers);
    const points = pointsOf(objectOf(state.topic('ChampionshipPrediction').Drivers)[leader]);
    return {
      type: 'championship_change',
      numbers: [leader, previous],
      data: { championship: 'drivers', previousLeaderNumber: previous, ...points },
    };
  }

  #emitTeams(state: SessionState): RaceEvent {
    const [leader, previous] = settle(this.#teams);
    const teams = objectOf(state.topic('ChampionshipPrediction').Teams);
    const nameOf = (key: string) => textOf(objectOf(teams[key]).TeamName) ?? key;
    return {
      type: 'championship_change',
      numbers: [],
      data: {
        championship: 'teams',
        team: nameOf(leader),
        previousTeam: nameOf(previous),
        constructorId: slugOf(nameOf(leader)),
        previousConstructorId: slugOf(nameOf(previous)),
        ...pointsOf(teams[leader]),
      },
    };
  }
}

function follow(lead: Lead, leader: string | null, utcMs: number, isSnapshot: boolean): void {
  if (leader === null) return;
  if (lead.leader === null || isSnapshot) lead.leader = leader;
  if (leader === lead.leader) {
    lead.rival = null;
  } else if (leader !== lead.rival) {
    lead.rival = leader;
    lead.sinceUtcMs = utcMs;
  }
}

function isDue(lead: Lead, utcMs: number): boolean {
  return lead.rival !== null && utcMs - lead.sinceUtcMs >= CHAMPIONSHIP_HOLD_MS;
}

/** Makes the rival the leader. Returns the new leader and the previous one. */
function settle(lead: Lead): [leader: string, previous: string] {
  const previous = lead.leader!;
  const leader = lead.rival!;
  lead.leader = leader;
  lead.rival = null;
  return [leader, previous];
}

/** Returns the predicted leader; null if there is none, or several, as between the two messages of one change. */
function leaderOf(entries: unknown, isEntrant: (key: string) => boolean = () => true): string | null {
  const all = objectOf(entries);
  let leader: string | null = null;
  for (const key of Object.keys(all)) {
    if (!isEntrant(key) || integerOf(objectOf(all[key]).PredictedPosition) !== 1) continue;
    if (leader !== null) return null;
    leader = key;
  }
  return leader;
}

function pointsOf(entry: unknown): { points?: number } {
  const points = numberOf(objectOf(entry).PredictedPoints);
  return points === null ? {} : { points };
}
