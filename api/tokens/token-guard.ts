// Limits token requests, so that a flood of them cannot occupy the database.
//
// Wrong secrets count against the address that they come from, never against the client id: anyone can know a client
// id, and its owner must get tokens from elsewhere. Guessing a secret of 256 bits needs no limit. A request counts as
// wrong while it is under way, so requests sent at once do not slip through.
//
// Right secrets count against their account, wherever they come from. So clients that share an address, such as those
// behind a proxy, are limited by nothing that others do right.

import { AddressLimit, type AdmittedRequest } from '#api/http/address-limit.ts';
import { MemoryEventCounts } from '#api/http/memory-event-counts.ts';
import { rateExceeded } from '#api/http/rate-exceeded.ts';
import { RecentEvents } from '#api/http/recent-events.ts';
import type { Clock } from '#engine/base/clock.ts';
import { CONSOLE_TOKEN_RATE_MAX, TOKEN_FAILURES_MAX, TOKEN_RATE_MAX } from '#engine/base/limits.ts';

export class TokenGuard {
  readonly #failures: AddressLimit;
  readonly #issued: RecentEvents;
  readonly #issuedForConsole: RecentEvents;

  constructor(clock: Clock) {
    this.#failures = new AddressLimit(
      new MemoryEventCounts(clock),
      'failed token requests',
      TOKEN_FAILURES_MAX,
      'failed token requests',
    );
    this.#issued = new RecentEvents(TOKEN_RATE_MAX, clock);
    this.#issuedForConsole = new RecentEvents(CONSOLE_TOKEN_RATE_MAX, clock);
  }

  /** Counts a request as failed until it is discounted. Rejects with `rate_limit_exceeded` at the address's limit. */
  admit(clientIp: string): Promise<AdmittedRequest> {
    return this.#failures.admit(clientIp);
  }

  /** Counts a token for an account whose secret was right. Throws `rate_limit_exceeded` at the account's limit. */
  issue(accountId: string): void {
    count(this.#issued, accountId, 'tokens per account');
  }

  /** The same for a page of the console. */
  issueForConsole(accountId: string): void {
    count(this.#issuedForConsole, accountId, 'tokens of the console per account');
  }
}

function count(issued: RecentEvents, accountId: string, what: string): void {
  const waitMs = issued.waitMs(accountId);
  if (waitMs > 0) throw rateExceeded(issued.rate, what, waitMs);
  issued.add(accountId);
}
