// Overage on Stripe's billing meters. One setting names the metered price of an attempt. The price names its meter, and
// the meter the name of its events, so what is reported is what is invoiced.

import Stripe from 'stripe';
import { OVERAGE_CENTS_PER_1000 } from '#api/plans/plan.ts';
import { OVERAGE_SUMS_MAX, PAYMENT_TRY_MS } from '#engine/base/limits.ts';
import type { Month } from '#engine/delivery/usage/month.ts';
import type { MeterAnswer, MeterEvent, MeterRefusal, MeterTotal, MeterUnavailable, UsageMeter } from './usage-meter.ts';

export interface StripeMeterSettings {
  readonly secretKey: string;
  /** Id of the metered price of an attempt beyond the included ones. */
  readonly overagePriceId: string;
}

export interface StripeMeterParts {
  /** The address of the API. Default: Stripe's. */
  readonly api?: { readonly protocol: 'http' | 'https'; readonly host: string; readonly port: number };
}

interface Meter {
  readonly id: string;
  readonly eventName: string;
  readonly customerKey: string;
  readonly valueKey: string;
}

const DUPLICATE = /^An event already exists with identifier /;
const MINUTE_S = 60;

/** The price or its meter would not invoice what we show to customers. */
class UnfitPrice extends Error {
  override readonly name = 'UnfitPrice';
}

export class StripeUsageMeter implements UsageMeter {
  readonly #stripe: Stripe;
  readonly #overagePriceId: string;
  #meter: Meter | null = null;

  constructor({ secretKey, overagePriceId }: StripeMeterSettings, { api }: StripeMeterParts = {}) {
    this.#overagePriceId = overagePriceId;
    // The reporter repeats requests itself, at a pace of its own.
    this.#stripe = new Stripe(secretKey, { timeout: PAYMENT_TRY_MS, maxNetworkRetries: 0, telemetry: false, ...api });
  }

  async report({ identifier, customerId, value, occurredAt }: MeterEvent): Promise<MeterAnswer> {
    return this.#asked(async ({ eventName, customerKey, valueKey }) => {
      try {
        await this.#stripe.billing.meterEvents.create({
          event_name: eventName,
          identifier,
          timestamp: Math.floor(occurredAt.getTime() / 1_000),
          payload: { [customerKey]: customerId, [valueKey]: String(value) },
        });
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
      return { kind: 'accepted' } as const;
    });
  }

  async total(customerId: string, month: Month, now: Date): Promise<MeterTotal> {
    const start = month.startsMs / 1_000;
    // Both must be whole minutes.
    const end = Math.min(month.endsMs / 1_000, Math.floor(now.getTime() / 1_000 / MINUTE_S) * MINUTE_S);
    if (end <= start) return { kind: 'counted', attempts: 0 };
    return this.#asked(async ({ id }) => {
      const sums = await this.#stripe.billing.meters.listEventSummaries(id, {
        customer: customerId,
        start_time: start,
        end_time: end,
        limit: OVERAGE_SUMS_MAX,
      });
      // The library takes any JSON without an error for an answer.
      if (!Array.isArray(sums.data)) throw new Error('the response has no sums');
      return { kind: 'counted', attempts: sums.data.reduce((sum, row) => sum + row.aggregated_value, 0) } as const;
    });
  }

  async #asked<Answer>(ask: (meter: Meter) => Promise<Answer>): Promise<Answer | MeterRefusal | MeterUnavailable> {
    try {
      this.#meter ??= await this.#findMeter();
    } catch (error) {
      // Without a meter nothing was asked, and no account is at fault.
      return { kind: 'unavailable', reason: reasonOf(error), perhaps: false };
    }
    try {
      return await ask(this.#meter);
    } catch (error) {
      return failure(error);
    }
  }

  async #findMeter(): Promise<Meter> {
    const price = await this.#stripe.prices.retrieve(this.#overagePriceId);
    const meterId = price.recurring?.meter;
    if (typeof meterId !== 'string') throw new UnfitPrice('the price of STRIPE_OVERAGE_PRICE_ID has no meter');
    const cents = OVERAGE_CENTS_PER_1000 * (price.transform_quantity?.divide_by ?? 1);
    if (price.currency !== 'usd' || Number(price.unit_amount_decimal) * 1_000 !== cents)
      throw new UnfitPrice(
        `the price of STRIPE_OVERAGE_PRICE_ID is not ${OVERAGE_CENTS_PER_1000 / 100} US dollars for 1,000 attempts`,
      );
    const meter = await this.#stripe.billing.meters.retrieve(meterId);
    if (meter.default_aggregation.formula !== 'sum' || (meter.event_time_window ?? null) !== null)
      throw new UnfitPrice('the meter of STRIPE_OVERAGE_PRICE_ID must sum up single events');
    return {
      id: meter.id,
      eventName: meter.event_name,
      customerKey: meter.customer_mapping.event_payload_key,
      valueKey: meter.value_settings.event_payload_key,
    };
  }
}

function isDuplicate(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && DUPLICATE.test(error.message);
}

function failure(error: unknown): MeterRefusal | MeterUnavailable {
  const reason = reasonOf(error);
  const { errors } = Stripe;
  // A conflict with a request that is under way is no refusal.
  if (error instanceof errors.StripeInvalidRequestError && error.statusCode !== 409) return { kind: 'refused', reason };
  // The key or the rate is wrong, not the event. It was not looked at.
  const unseen =
    error instanceof errors.StripeRateLimitError ||
    error instanceof errors.StripeAuthenticationError ||
    error instanceof errors.StripePermissionError;
  return { kind: 'unavailable', reason, perhaps: !unseen };
}

/** In a few words. The error itself holds the whole response. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Stripe.errors.StripeError)) return error instanceof Error ? error.message : String(error);
  const { type, code, statusCode, message } = error;
  return [type, code, statusCode, message].filter((part) => part !== undefined).join(' ');
}
