// Limits failed sign-ins to an account, without letting a stranger lock its owner out.
//
// LG1 Only failures count. An attempt counts while it is under way, so attempts made at once do not slip through.
// LG2 Failures from one network count for that network: they keep out nobody else.
// LG3 Against guessing from many networks, failures from all of them count together. At that limit, networks from which
//     the account's owner has signed in before are still admitted.
// LG4 Accounts that do not exist count in the same way, so a refusal reveals nothing.

import { rateExceeded } from '#api/http/rate-exceeded.ts';
import { RecentEvents } from '#api/http/recent-events.ts';
import type { Clock } from '#engine/base/clock.ts';
import { LOGIN_FAILURES_MAX, LOGIN_NETWORK_FAILURES_MAX } from '#engine/base/limits.ts';
import type { EmailAddress } from './email-address.ts';

/** An admitted attempt. It counts as a failure until it is discounted. */
export interface LoginAttempt {
  discount(): void;
}

export class LoginGuard {
  readonly #byNetwork: RecentEvents;
  readonly #byAccount: RecentEvents;

  constructor(clock: Clock) {
    this.#byNetwork = new RecentEvents(LOGIN_NETWORK_FAILURES_MAX, clock);
    this.#byAccount = new RecentEvents(LOGIN_FAILURES_MAX, clock);
  }

  /**
   * Admits an attempt. `isKnown`: whether the account's owner has signed in from this network before. Throws
   * `rate_limit_exceeded` at a limit.
   */
  admit(email: EmailAddress, network: string, isKnown: boolean): LoginAttempt {
    const account = email.toLowerCase();
    const accountAndNetwork = `${account} ${network}`;
    const networkWaitMs = this.#byNetwork.waitMs(accountAndNetwork);
    if (networkWaitMs > 0)
      throw rateExceeded(this.#byNetwork.rate, 'failed sign-ins per account and network', networkWaitMs);
    const accountWaitMs = isKnown ? 0 : this.#byAccount.waitMs(account);
    if (accountWaitMs > 0) throw rateExceeded(this.#byAccount.rate, 'failed sign-ins per account', accountWaitMs);
    const ofNetworkMs = this.#byNetwork.add(accountAndNetwork);
    const ofAccountMs = this.#byAccount.add(account);
    return {
      discount: () => {
        this.#byNetwork.remove(accountAndNetwork, ofNetworkMs);
        this.#byAccount.remove(account, ofAccountMs);
      },
    };
  }
}
