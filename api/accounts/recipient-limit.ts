// Limits the emails that strangers can have sent to one address. It counts the address whether or not it has an
// account, so a refusal reveals nothing. What follows a `+` does not make it another mailbox.

import type { CountedLimit, EventCounts } from '#api/http/event-counts.ts';
import { rateExceeded } from '#api/http/rate-exceeded.ts';
import { MAILS_TO_ADDRESS_MAX } from '#engine/base/limits.ts';
import type { EmailAddress } from './email-address.ts';

const MAILS: CountedLimit = { name: 'emails to one address', rate: MAILS_TO_ADDRESS_MAX };

export class RecipientLimit {
  readonly #counts: EventCounts;

  constructor(counts: EventCounts) {
    this.#counts = counts;
  }

  /** Counts an email. Rejects with `rate_limit_exceeded` at the limit. */
  async admit(email: EmailAddress): Promise<void> {
    const mailbox = email.toLowerCase().replace(/\+[^@]*@/, '@');
    const taken = await this.#counts.take([{ limit: MAILS, key: mailbox }]);
    if (taken.kind === 'full') throw rateExceeded(MAILS.rate, MAILS.name, taken.waitMs);
  }
}
