// What each plan includes, and the way to another one.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import type { Account } from '../../data/account.ts';
import { ask } from '../../data/service.ts';
import { asError } from '../../data/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/loaded.tsx';
import { language, text } from '../../text/text.ts';
import { PLAN_NAMES, PLANS, type ShownTerms } from './plans.ts';

const t = text.usage;
const numbers = new Intl.NumberFormat(language);

const count = (value: number | null): string => (value === null ? t.unlimited : numbers.format(value));
const perMonth = (value: number | null): string => (value === null ? t.unlimited : t.perMonth(numbers.format(value)));
const yesNo = (value: boolean): string => (value ? t.yes : t.no);

const ROWS: readonly (readonly [keyof ShownTerms, (terms: ShownTerms) => string])[] = [
  ['feeds', ({ feeds }) => feeds.map((feed) => t.feedClasses[feed]).join(', ')],
  ['endpoints', ({ endpoints }) => count(endpoints)],
  ['feedsPerEndpoint', ({ feedsPerEndpoint }) => count(feedsPerEndpoint)],
  ['deliveries', ({ deliveries }) => perMonth(deliveries)],
  ['past', ({ past, deliveries }) => (deliveries === null ? '–' : t.pastShort[past])],
  ['demoDeliveries', ({ demoDeliveries }) => perMonth(demoDeliveries)],
  ['streams', ({ streams }) => count(streams)],
  ['grpc', ({ grpc }) => yesNo(grpc)],
  ['requests', ({ requests }) => t.perHour(count(requests))],
  ['slots', ({ slots }) => count(slots)],
  ['currentSeasonOnly', ({ currentSeasonOnly }) => (currentSeasonOnly ? t.seasons.current : t.seasons.all)],
  ['previews', ({ previews }) => t.previews[previews]],
  ['fantasy', ({ fantasy }) => yesNo(fantasy)],
  ['punctual', ({ punctual }) => (punctual ? t.promise : t.no)],
];

export function Plans({ account }: { readonly account: Account }) {
  return (
    <section class="stack tight" id="plans">
      <h2>{t.plansTitle}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="table-scroll" tabIndex={0} aria-label={t.plansTitle}>
        <table class="table plans">
          <caption class="sr-only">{t.plansTitle}</caption>
          <thead>
            <tr>
              <th scope="col">{t.included}</th>
              {PLAN_NAMES.map((plan) => (
                <th key={plan} scope="col" class={plan === account.plan ? 'is-own' : undefined}>
                  {t.plans[plan]} {plan === account.plan && <span class="badge good">{t.yourPlan}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ROWS.map(([row, say]) => (
              <tr key={row}>
                <th scope="row">{t.rows[row]}</th>
                {PLAN_NAMES.map((plan) => (
                  <td key={plan} class={plan === account.plan ? 'is-own' : undefined}>
                    {say(PLANS[plan])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Change account={account} />
    </section>
  );
}

function Change({ account: { plan, sellsPlans } }: { readonly account: Account }) {
  if (plan === 'custom') return <p>{t.custom}</p>;
  if (!sellsPlans) return <p class="notice">{t.notSold}</p>;
  return plan === 'free' ? (
    <ToPayment path="/console/billing/checkout" label={t.upgrade} hint={t.upgradeHint} primary>
      <p class="small soft">{t.toCustom}</p>
    </ToPayment>
  ) : (
    <ToPayment path="/console/billing/portal" label={t.portal} hint={t.portalHint}>
      <p class="small soft">{t.toCustom}</p>
    </ToPayment>
  );
}

interface ToPaymentProps {
  readonly path: '/console/billing/checkout' | '/console/billing/portal';
  readonly label: string;
  readonly hint: string;
  readonly primary?: boolean;
  readonly children: ComponentChildren;
}

/** Asks for a page of the payment provider, and opens it in this window. */
function ToPayment({ path, label, hint, primary, children }: ToPaymentProps) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<SlipstreamError | null>(null);
  const open = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      const { data } = await ask<{ readonly data: { readonly url: string } }>('POST', path);
      location.assign(data.url);
    } catch (error) {
      setFailure(asError(error));
      setBusy(false);
    }
  };
  return (
    <div class="stack tight">
      <div class="row">
        <Button kind={primary === true ? 'primary' : 'plain'} disabled={busy} onClick={() => void open()}>
          {label}
        </Button>
        <span class="small soft">{hint}</span>
      </div>
      {failure !== null && <Problem error={failure} />}
      {children}
    </div>
  );
}
