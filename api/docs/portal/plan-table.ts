// The table of what each plan includes, on the page about plans: from the terms that the service keeps.

import { OVERAGE_CENTS_PER_1000, PLANS, type PlanTerms, TERMS } from '#api/plans/plan.ts';
import { grouped } from '#engine/base/number-text.ts';
import type { PortalPage } from './portal-page.ts';

const PAGE = 'accounts';
const HEADING = { id: 'what-each-plan-includes', text: 'What each plan includes', depth: 2 };

const PRICE = `${OVERAGE_CENTS_PER_1000 / 100} USD per 1,000`;

const ROWS: readonly (readonly [what: string, value: (terms: PlanTerms) => string])[] = [
  ['feeds', ({ opens }) => [...opens].join(', ')],
  ['webhook endpoints', ({ endpoints }) => count(endpoints)],
  ['feeds per endpoint', ({ feedsPerEndpoint }) => count(feedsPerEndpoint)],
  ['deliveries per month', ({ deliveriesPerMonth }) => count(deliveriesPerMonth)],
  ['past them', ({ deliveriesPerMonth, past }) => pastText(deliveriesPerMonth, past)],
  ['deliveries of the demo session per month', ({ demoDeliveriesPerMonth }) => count(demoDeliveriesPerMonth)],
  ['streams at once', ({ streams }) => count(streams)],
  ['API requests per hour', ({ requestsPerHour }) => count(requestsPerHour)],
  ['different sessions to replay', ({ simulateSlots }) => count(simulateSlots)],
  ['sessions to replay', ({ currentSeasonOnly }) => (currentSeasonOnly ? 'current season' : 'all')],
  ['previews', ({ previews }) => previews],
  ['fantasy scores', ({ fantasy }) => (fantasy ? 'yes' : 'no')],
];

/** Adds the table to the page about plans, and leaves others as they are. */
export function withPlanTable(page: PortalPage): PortalPage {
  if (page.path !== PAGE) return page;
  return { ...page, headings: [...page.headings, HEADING], content: (root) => page.content(root) + tableHtml() };
}

function tableHtml(): string {
  const head = PLANS.map((plan) => `<th>${plan.slice(0, 1).toUpperCase()}${plan.slice(1)}</th>`).join('');
  const rows = ROWS.map(
    ([what, value]) =>
      `<tr><th scope="row">${what}</th>${PLANS.map((plan) => `<td>${value(TERMS[plan])}</td>`).join('')}</tr>`,
  );
  return `<h2 id="${HEADING.id}"><a href="#${HEADING.id}">${HEADING.text}</a></h2>
<div class="table" tabindex="0"><table><thead><tr><th></th>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>\n`;
}

function count(value: number): string {
  return value === Number.POSITIVE_INFINITY ? 'unlimited' : grouped(value);
}

function pastText(deliveriesPerMonth: number, past: PlanTerms['past']): string {
  if (deliveriesPerMonth === Number.POSITIVE_INFINITY) return '';
  return past === 'billed' ? PRICE : past;
}
