// The payment provider's meter of overage, as the reporter sees it. The binding is stripe-usage-meter.ts.

import type { Month } from '#engine/delivery/usage/month.ts';

export interface MeterEvent {
  /** Makes the event count once, however often it is sent within a day. */
  readonly identifier: string;
  readonly customerId: string;
  /** Attempts. */
  readonly value: number;
  readonly occurredAt: Date;
}

/** The provider's answer is missing, or says nothing about the event. */
export interface MeterUnavailable {
  readonly kind: 'unavailable';
  readonly reason: string;
  /** Whether the request may have had its effect all the same. */
  readonly perhaps: boolean;
}

/** The provider has understood the request and does not want it. It had no effect. */
export interface MeterRefusal {
  readonly kind: 'refused';
  readonly reason: string;
}

/** `accepted`: the provider has the event, by this request or an earlier one. */
export type MeterAnswer = { readonly kind: 'accepted' } | MeterRefusal | MeterUnavailable;

export type MeterTotal = { readonly kind: 'counted'; readonly attempts: number } | MeterRefusal | MeterUnavailable;

/** Neither rejects. No reason holds a secret. */
export interface UsageMeter {
  report(event: MeterEvent): Promise<MeterAnswer>;
  /** What the provider has counted of the customer in this month, until `now`. It may lag behind what it has accepted. */
  total(customerId: string, month: Month, now: Date): Promise<MeterTotal>;
}
