// Which sessions an account may replay: the season rule and the lifetime slots of its plan.

import { ApiError } from '#api/http/api-error.ts';
import type { Caller } from '#api/http/operation.ts';
import type { Plan } from '#api/plans/plan.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';

export const UNLIMITED = -1;

const SLOTS: Readonly<Record<Plan, number>> = { free: 5, developer: 10, custom: UNLIMITED };

const SESSION_ID = /^[a-z0-9][a-z0-9-]{0,99}$/;

export class SessionAccess {
  readonly #store: SessionStore;
  readonly #season: number;

  /** `season` is the current one. */
  constructor(store: SessionStore, season: number) {
    this.#store = store;
    this.#season = season;
  }

  /** The session, if there is one. */
  async find(sessionId: string): Promise<SessionRecord> {
    const session = SESSION_ID.test(sessionId) ? await this.#store.find(sessionId) : null;
    if (session === null)
      throw new ApiError('not_found', 'There is no such session: GET /v1/simulate/sessions lists them.');
    return session;
  }

  /** The session, if this plan may replay it in this season. */
  async findInSeason(sessionId: string, { plan }: Caller): Promise<SessionRecord> {
    const session = await this.find(sessionId);
    if (currentSeasonOnly(plan) && !session.demo && session.season !== this.#season) {
      throw new ApiError(
        'out_of_season',
        `${sessionId} is of season ${session.season}; this plan replays season ${this.#season} and the demo session.`,
      );
    }
    return session;
  }

  /** Refuses when replaying the session would take a slot and none is left. */
  async requireSlot(session: SessionRecord, { accountId, plan }: Caller): Promise<void> {
    const limit = SLOTS[plan];
    if (session.demo || limit === UNLIMITED) return;
    const unlocked = await this.#store.unlocked(accountId);
    if (unlocked.length < limit || unlocked.includes(session.sessionId)) return;
    throw new ApiError('simulate_quota_reached', `All ${limit} simulate sessions of this plan are used.`);
  }

  async quota({ accountId, plan }: Caller): Promise<{
    limit: number;
    used: number;
    remaining: number;
    unlocked: string[];
    currentSeasonOnly: boolean;
  }> {
    const limit = SLOTS[plan];
    const unlocked = await this.#store.unlocked(accountId);
    const used = unlocked.length;
    const remaining = limit === UNLIMITED ? UNLIMITED : Math.max(0, limit - used);
    return { limit, used, remaining, unlocked, currentSeasonOnly: currentSeasonOnly(plan) };
  }
}

function currentSeasonOnly(plan: Plan): boolean {
  return plan !== 'custom';
}
