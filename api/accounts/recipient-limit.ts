// Limits the emails that strangers can have sent to one address. It counts the address whether or not it has an
// account, so a refusal reveals nothing. What follows a `+` does not make it another mailbox.

import { rateExceeded } from '#api/http/rate-exceeded.ts';
import { RecentEvents } from '#api/http/recent-events.ts';
import type { Clock } from '#engine/base/clock.ts';
import { MAILS_TO_ADDRESS_MAX } from '#engine/base/limits.ts';
import type { EmailAddress } from './email-address.ts';

export class RecipientLimit {
  readonly #mails: RecentEvents;

  constructor(clock: Clock) {
    this.#mails = new RecentEvents(MAILS_TO_ADDRESS_MAX, clock);
  }

  /** Counts an email. Throws `rate_limit_exceeded` at the limit. */
  admit(email: EmailAddress): void {
    const mailbox = email.toLowerCase().replace(/\+[^@]*@/, '@');
    const waitMs = this.#mails.waitMs(mailbox);
    if (waitMs > 0) throw rateExceeded(this.#mails.rate, 'emails to one address', waitMs);
    this.#mails.add(mailbox);
  }
}
