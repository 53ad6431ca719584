// Serves calls that come over another protocol than HTTP: they pass the checks of a request, and count against the same
// quota. In a cluster they are served at the home of their account alone: they are not passed on, and the refusal says so.

import { type PlanTerms, TERMS } from '#api/plans/plan.ts';
import { assert } from '#engine/base/assert.ts';
import {
  ACCOUNT_REQUESTS_MAX,
  ACCOUNT_TURNS_MAX,
  ADDRESS_QUESTIONS_MAX,
  ADDRESS_QUESTIONS_WAITING_MAX,
  REQUESTS_IN_PROGRESS_MAX,
} from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { ApiError } from './api-error.ts';
import { busy, insufficientTier, quotaExceeded, tooManyAtOnce } from './common-refusals.ts';
import { isDatabaseOutage } from './database-outage.ts';
import { ALONE, type Homes } from './homes.ts';
import type { Caller, Operation } from './operation.ts';
import type { RequestQuota } from './request-quota.ts';
import { schemaCheck } from './schema-check.ts';
import { Shares } from './shares.ts';
import { Turns } from './turns.ts';
import { refuseViolations } from './violations.ts';

export interface CallDeskParts {
  /** The caller with this Authorization header, or how to look the caller up. Both throw an ApiError if there is none. */
  readonly authenticate: (authorization: string) => Caller | (() => Promise<Caller>);
  readonly quota: RequestQuota;
  /** Default: everybody is at home here. */
  readonly homes?: Homes;
  readonly log: Log;
}

export interface DeskCall {
  readonly method: string;
  readonly authorization: string;
  /** The group of addresses that it comes from. */
  readonly address: string;
  /** Whether a plan includes calls like this. */
  readonly included: (terms: PlanTerms) => boolean;
}

/** Does an operation for a call; `params` and `query` are as of its route. Resolves with the body of the answer. */
export type DeskOperation = (
  call: DeskCall,
  params: Readonly<Record<string, string>>,
  query: Readonly<Record<string, unknown>>,
) => Promise<unknown>;

const ELSEWHERE =
  'This account is at home on another node of the cluster: call again, until a proxy that takes calls to the nodes in turn, or a connection to another node, gets there.';

export class CallDesk {
  readonly #parts: CallDeskParts;
  readonly #homes: Homes;
  readonly #accountShares = new Shares(ACCOUNT_REQUESTS_MAX);
  readonly #accountTurns = new Turns(ACCOUNT_TURNS_MAX, ACCOUNT_REQUESTS_MAX);
  /** Questions to the database on behalf of unknown senders, by address. */
  readonly #turns = new Turns(ADDRESS_QUESTIONS_MAX, ADDRESS_QUESTIONS_WAITING_MAX);
  #inProgress = 0;

  constructor(parts: CallDeskParts) {
    this.#parts = parts;
    this.#homes = parts.homes ?? ALONE;
  }

  /** Lets the caller of a call do some work. Rejects with an ApiError. */
  async serve<Result>(call: DeskCall, work: (caller: Caller) => Promise<Result>): Promise<Result> {
    let caller: Caller | null = null;
    let holdsShare = false;
    let isHome = false;
    this.#inProgress++;
    try {
      if (this.#inProgress > REQUESTS_IN_PROGRESS_MAX) throw busy();
      caller = await this.#callerOf(call);
      isHome = this.#homes.homeOf(caller.accountId).kind === 'here';
      if (!isHome) throw new ApiError('unavailable', ELSEWHERE, { 'retry-after': '1' });
      this.#homes.begun(caller.accountId);
      this.#countForQuota(caller);
      holdsShare = this.#accountShares.take(caller.accountId);
      if (!holdsShare) throw tooManyAtOnce();
      if (!call.included(TERMS[caller.plan])) throw insufficientTier(caller.plan, call.included);
      return await work(caller);
    } catch (error) {
      throw this.#asRefusal(error, call, caller);
    } finally {
      this.#inProgress--;
      if (isHome) this.#homes.ended(caller!.accountId);
      if (holdsShare) this.#accountShares.give(caller!.accountId);
    }
  }

  /** Prepares an operation for bearers. Its result checks a query of values, not of texts. */
  operation(operation: Operation): DeskOperation {
    assert(operation.auth === 'bearer', 'a call comes with a token');
    const { shape, handle } = operation;
    const check = shape.query === undefined ? () => [] : schemaCheck(shape.query, 'the query');
    return (call, params, query) =>
      this.serve(call, async (caller) => {
        refuseViolations('invalid_query', check(query));
        const request = { requestId: '', params, query: query as never, body: undefined as never, headers: {}, caller };
        const work = () => handle(request);
        const reply = await (shape.takesTurns === true ? inTurn(this.#accountTurns, caller.accountId, work) : work());
        assert(reply.kind === 'json' || reply.kind === 'text', 'an operation for calls answers with JSON');
        return reply.kind === 'json' ? reply.body : JSON.parse(reply.text);
      });
  }

  async #callerOf({ authorization, address }: DeskCall): Promise<Caller> {
    const known = this.#parts.authenticate(authorization);
    return typeof known === 'function' ? inTurn(this.#turns, address, known) : known;
  }

  #countForQuota(caller: Caller): void {
    const state = this.#parts.quota.take(caller);
    if (state.exceeded) throw quotaExceeded(state);
  }

  #asRefusal(error: unknown, { method }: DeskCall, caller: Caller | null): ApiError {
    const { log } = this.#parts;
    const details = { method, ...(caller !== null && { accountId: caller.accountId }) };
    if (error instanceof ApiError) {
      log.info({ ...details, code: error.code }, 'refused');
      return error;
    }
    if (isDatabaseOutage(error)) {
      log.warn({ ...details, err: error as Error }, 'the database cannot be reached');
      return busy();
    }
    log.error({ ...details, err: error as Error }, 'a call failed unexpectedly');
    return new ApiError('internal_error');
  }
}

function inTurn<Result>(turns: Turns, holder: string, work: () => Promise<Result>): Promise<Result> {
  const result = turns.run(holder, work);
  if (result === null) throw busy();
  return result;
}
