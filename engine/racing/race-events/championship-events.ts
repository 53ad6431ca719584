// championship_change: as the race stands, another driver or team would lead the championship than was told or known
// before, and this has held for 30 seconds. Only the lead is told: the places behind it change with every pass.
// Who leads when the first message comes is known; so is, after a gap, who leads then.

import { integerOf, numberOf, objectOf, textOf } from '#engine/base/json-value.ts';
import { isRacingNumber, type SessionState } from '#engine/racing/session/session-state.ts';
import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';

/** How long another leader of a predicted championship must have held. */
const CHAMPIONSHIP_HOLD_MS = 30_000;

interface Lead {
  leader: string | null;
  rival: string | null;
  sinceUtcMs: number;
}

export class ChampionshipEvents implements RaceEventRule {
  /** The timing tells the time between two predictions. */
  readonly topics = ['ChampionshipPrediction', 'TimingData'];
  readonly #drivers: Lead = { leader: null, rival: null, sinceUtcMs: 0 };
  readonly #teams: Lead = { leader: null, rival: null, sinceUtcMs: 0 };

  apply({ topic, state, utcMs, complete }: MergedFrame): readonly RaceEvent[] {
    if (topic === 'ChampionshipPrediction') {
      follow(this.#drivers, leaderOf(state.topic(topic).Drivers, isRacingNumber), utcMs, complete);
      follow(this.#teams, leaderOf(state.topic(topic).Teams), utcMs, complete);
    }
    if (this.#drivers.rival === null && this.#teams.rival === null) return NO_EVENTS;
    const events: RaceEvent[] = [];
    if (isDue(this.#drivers, utcMs)) events.push(this.#tellDrivers(state));
    if (isDue(this.#teams, utcMs)) events.push(this.#tellTeams(state));
    return events;
  }

  #tellDrivers(state: SessionState): RaceEvent {
    const [leader, previous] = settle(this.#drivers);
    const points = pointsOf(objectOf(state.topic('ChampionshipPrediction').Drivers)[leader]);
    return {
      type: 'championship_change',
      numbers: [leader, previous],
      data: { championship: 'drivers', previousLeaderNumber: previous, ...points },
    };
  }

  #tellTeams(state: SessionState): RaceEvent {
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
        ...pointsOf(teams[leader]),
      },
    };
  }
}

function follow(lead: Lead, leader: string | null, utcMs: number, complete: boolean): void {
  if (leader === null) return;
  if (lead.leader === null || complete) lead.leader = leader;
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

/** The new leader and the one before. */
function settle(lead: Lead): [leader: string, previous: string] {
  const previous = lead.leader!;
  const leader = lead.rival!;
  lead.leader = leader;
  lead.rival = null;
  return [leader, previous];
}

/** The only one who would be first; null when none or, between two messages of one change, several would. */
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
