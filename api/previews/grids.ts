// The starting grid until the race history has it: the result of the qualifying session, once that is over, before
// penalties.

import { ApiError } from '#api/http/api-error.ts';
import type { LiveOutcomes } from '#api/outcomes/live-outcomes.ts';
import type { RecordedOutcomes } from '#api/outcomes/recorded-outcomes.ts';
import type { RaceKind } from '#engine/racing/race-kind.ts';
import { sessionIdOf } from '#engine/racing/session-slug.ts';

export interface Grids {
  /** Slugs of the drivers, pole position first; null if there is no result. */
  of(eventId: string, race: RaceKind): Promise<readonly string[] | null>;
}

export class QualifyingGrids implements Grids {
  readonly #live: Pick<LiveOutcomes, 'of'>;
  readonly #recorded: Pick<RecordedOutcomes, 'of'>;

  constructor(live: Pick<LiveOutcomes, 'of'>, recorded: Pick<RecordedOutcomes, 'of'>) {
    this.#live = live;
    this.#recorded = recorded;
  }

  async of(eventId: string, race: RaceKind): Promise<readonly string[] | null> {
    const type = race === 'sprint' ? 'Sprint Qualifying' : 'Qualifying';
    const sessionId = sessionIdOf(eventId, type, type);
    const outcome = this.#live.of(sessionId) ?? (await this.#recorded.of(sessionId));
    if (outcome === 'busy') throw new ApiError('unavailable', undefined, { 'retry-after': '1' });
    if (outcome?.phase !== 'finished') return null;
    const drivers = new Set(outcome.cars.flatMap(({ driver }) => driver ?? []));
    return drivers.size === 0 ? null : [...drivers];
  }
}
