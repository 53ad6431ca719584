// Limits failed sign-ins to an account, without letting a stranger lock its owner out.
//
// LG1 Only failures count. An attempt counts while it is under way, so attempts made at once do not slip through.
// LG2 Failures from one network count for that network: they keep out nobody else.
// LG3 Against guessing from many networks, failures from all of them count together. At that limit, networks from which
//     the account's owner has signed in before are still admitted.
// LG4 Accounts that do not exist count in the same way, so a refusal reveals nothing.

import type { CountedLimit, EventCounts } from '#api/http/event-counts.ts';
import { rateExceeded } from '#api/http/rate-exceeded.ts';
import { LOGIN_FAILURES_MAX, LOGIN_NETWORK_FAILURES_MAX } from '#engine/base/limits.ts';
import type { EmailAddress } from './email-address.ts';

/** An admitted attempt. It counts as a failure until it is discounted. */
export interface LoginAttempt {
  discount(): Promise<void>;
}

const BY_NETWORK: CountedLimit = {
  name: 'failed sign-ins per account and network',
  rate: LOGIN_NETWORK_FAILURES_MAX,
};
const BY_ACCOUNT: CountedLimit = { name: 'failed sign-ins per account', rate: LOGIN_FAILURES_MAX };

export class LoginGuard {
  readonly #counts: EventCounts;

  constructor(counts: EventCounts) {
    this.#counts = counts;
  }

  /**
   * Admits an attempt. `isKnown`: whether the account's owner has signed in from this network before. Rejects with
   * `rate_limit_exceeded` at a limit.
   */
  async admit(email: EmailAddress, network: string, isKnown: boolean): Promise<LoginAttempt> {
    const account = email.toLowerCase();
    const taken = await this.#counts.take([
      { limit: BY_NETWORK, key: `${account} ${network}` },
      { limit: BY_ACCOUNT, key: account, ...(isKnown && { always: true }) },
    ]);
    if (taken.kind === 'counted') return taken;
    const { rate, name } = taken.wish.limit;
    throw rateExceeded(rate, name, taken.waitMs);
  }
}
