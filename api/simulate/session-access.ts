// Which sessions an account may replay: the season rule and the lifetime slots of its plan.

import { ApiError } from '#api/http/api-error.ts';
import type { Caller } from '#api/http/operation.ts';
import { type Plan, TERMS } from '#api/plans/plan.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';

/** The quota's value for a plan without a limit. */
const UNLIMITED = -1;

const SESSION_ID = /^[a-z0-9][a-z0-9-]{0,99}$/;

export class SessionAccess {
  readonly #store: SessionStore;
  readonly #season: () => number;

  /** `season` is the current one. */
  constructor(store: SessionStore, season: () => number) {
    this.#store = store;
    this.#season = season;
  }

  /** The session. Rejects with `not_found`. */
  async find(sessionId: string): Promise<SessionRecord> {
    const session = SESSION_ID.test(sessionId) ? await this.#store.find(sessionId) : null;
    if (session === null)
      throw new ApiError('not_found', 'There is no such session: GET /v1/simulate/sessions lists them.');
    return session;
  }

  /** The session, if the plan may replay it in this season. Rejects with `not_found` or `out_of_season`. */
  async findInSeason(sessionId: string, { plan }: Caller): Promise<SessionRecord> {
    const session = await this.find(sessionId);
    if (TERMS[plan].currentSeasonOnly && !session.demo && session.season !== this.#season()) {
      throw new ApiError(
        'out_of_season',
        `${sessionId} is of season ${session.season}; this plan replays season ${this.#season()} and the demo session.`,
      );
    }
    return session;
  }

  async quota({ accountId, plan }: Caller): Promise<{
    limit: number;
    used: number;
    remaining: number;
    unlocked: string[];
    currentSeasonOnly: boolean;
  }> {
    const slots = slotsOf(plan);
    const limit = slots ?? UNLIMITED;
    const unlocked = await this.#store.unlocked(accountId);
    const used = unlocked.length;
    const remaining = slots === null ? UNLIMITED : Math.max(0, slots - used);
    return { limit, used, remaining, unlocked, currentSeasonOnly: TERMS[plan].currentSeasonOnly };
  }
}

/** How many sessions an account on this plan may ever unlock; null if there is no limit. */
export function slotsOf(plan: Plan): number | null {
  const { simulateSlots } = TERMS[plan];
  return Number.isFinite(simulateSlots) ? simulateSlots : null;
}
