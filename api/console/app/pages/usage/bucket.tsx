// The month's deliveries: how many are used, where that leads, and what it costs.

import type { GetUsageAnswer } from '#api/client/calls.ts';
import type { Account } from '../../data/account.ts';
import { monthUse } from '../../data/month.ts';
import { Time } from '../../parts/time.tsx';
import { language, text } from '../../text/text.ts';
import { countedOf, emptyAt, monthEndMs, overageForecast, warningOf } from './figures.ts';

const t = text.usage;
const numbers = new Intl.NumberFormat(language);
const dollars = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const days = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long', timeZone: 'UTC' });
const months = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' });

interface BucketProps {
  readonly account: Account;
  readonly usage: GetUsageAnswer;
}

export function Bucket({ account, usage }: BucketProps) {
  const { includedDeliveries: included, deliveryLimit, overage, windowStart } = usage;
  const nowMs = Date.now();
  const { used, share, forecast } = monthUse(countedOf(usage), included, windowStart, nowMs);
  const runsOut = included === null ? null : emptyAt(used, included, windowStart, nowMs);
  const warning = warningOf(used, included, deliveryLimit);
  const shown = numbers.format(used);
  return (
    <section class="card">
      <h2>{t.bucketTitle}</h2>
      <strong class="usage-figure">
        {included === null ? t.bucketAll(shown) : t.bucketOf(shown, numbers.format(included))}
      </strong>
      {share !== null && (
        <span class="progress" aria-hidden="true">
          <span style={{ width: `${100 * share}%` }} />
        </span>
      )}
      <p class="small soft">
        {t.window(days.format(new Date(windowStart)), days.format(new Date(monthEndMs(windowStart) - 1)))}
      </p>
      {warning !== null && (
        <p class="usage-warning" role="status">
          {t.warnings[warning]} {warning === 'used' && account.terms.past === 'billed' && t.billedNow}
        </p>
      )}
      {forecast === null ? (
        <p>{t.forecastNotYet}</p>
      ) : (
        <p>
          {t.forecast(numbers.format(forecast), months.format(new Date(windowStart)))}{' '}
          <span class="small soft">{t.forecastHow}</span>
        </p>
      )}
      {runsOut !== null && (
        <p class="usage-warning">
          {t.emptyBefore} <Time at={runsOut} />. {t.past[account.terms.past]}
        </p>
      )}
      <p class="small soft">{t.what}</p>
      {included !== null && overage.spendCap !== null && (
        <Overage overage={overage} forecast={overageForecast(forecast ?? used, included, overage.spendCap)} />
      )}
    </section>
  );
}

interface OverageProps {
  readonly overage: GetUsageAnswer['overage'];
  /** In US dollars. */
  readonly forecast: number;
}

function Overage({ overage: { count, cost, reportedCount, spendCap }, forecast }: OverageProps) {
  const money = (amount: number): string => t.dollars(dollars.format(amount));
  const figures: readonly (readonly [string, string])[] = [
    [t.overageCount, numbers.format(count)],
    [t.overageCost, money(cost)],
    [t.overageForecast, money(forecast)],
    [t.overageReported, numbers.format(reportedCount)],
    [t.spendCap, money(spendCap ?? 0)],
  ];
  return (
    <>
      <h3>{t.overageTitle}</h3>
      <Figures figures={figures} />
      <p class="small soft">{t.capHint}</p>
    </>
  );
}

/** Names and values in two columns. */
export function Figures({ figures }: { readonly figures: readonly (readonly [string, string])[] }) {
  return (
    <dl class="figures">
      {figures.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
