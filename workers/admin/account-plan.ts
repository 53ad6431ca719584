// `account plan`: changes the plan of an account and its monthly spend cap.

import { AccountRefused } from '#api/accounts/account-creation.ts';
import { OVERAGE_CENTS_PER_1000, PLANS, type Plan, SPEND_CAP_USD_MAX, TERMS } from '#api/plans/plan.ts';
import { postgresPlanStore } from '#api/plans/postgres-plan-store.ts';
import { grouped } from '#engine/base/number-text.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import { type Command, UsageError } from './command.ts';
import { readArguments } from './command-line.ts';
import { withService } from './service-database.ts';
import { textTable } from './text-table.ts';

const HELP = `Changes the plan of an account. A running service follows at once; the owner need not sign in again.

Usage: npm run admin -- account plan EMAIL PLAN [--spend-cap USD]

  EMAIL             Address of the account's owner
  PLAN              ${PLANS.join(', ')}
  --spend-cap USD   The most that deliveries beyond the included ones may cost in a month, in whole dollars,
                    0 to ${SPEND_CAP_USD_MAX} (unchanged); 1,000 cost $${OVERAGE_CENTS_PER_1000 / 100} on developer

Prints {"accountId", "email", "plan", "spendCap"}.

${terms()}

Example: npm run admin -- account plan ada@example.com developer --spend-cap 200`;

function terms(): string {
  return textTable(
    ['', ...PLANS],
    [
      ['feeds', ...each(({ opens }) => [...opens].join(', '))],
      ['webhook endpoints', ...each(({ endpoints }) => amount(endpoints))],
      ['feeds per endpoint', ...each(({ feedsPerEndpoint }) => amount(feedsPerEndpoint))],
      ['deliveries per month', ...each(({ deliveriesPerMonth }) => amount(deliveriesPerMonth))],
      ['past them', ...each((row) => (row.deliveriesPerMonth === Number.POSITIVE_INFINITY ? '' : row.past))],
      ['streams at once', ...each(({ streams }) => amount(streams))],
      ['requests per hour', ...each(({ requestsPerHour }) => amount(requestsPerHour))],
      ['simulate sessions', ...each(({ simulateSlots }) => amount(simulateSlots))],
      ['replay archive', ...each(({ currentSeasonOnly }) => (currentSeasonOnly ? 'current season' : 'all'))],
      ['previews', ...each(({ previews }) => previews)],
      ['fantasy scores', ...each(({ fantasy }) => (fantasy ? 'yes' : 'no'))],
    ],
  );
}

function each(cell: (terms: (typeof TERMS)[Plan]) => string): string[] {
  return PLANS.map((plan) => cell(TERMS[plan]));
}

function amount(count: number): string {
  return count === Number.POSITIVE_INFINITY ? 'unlimited' : grouped(count);
}

export const accountPlan: Command = {
  words: 'account plan',
  summary: 'Change the plan of an account',
  help: HELP,

  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { 'spend-cap': { type: 'string' } }, ['EMAIL', 'PLAN']);
    const [email, planName] = positionals as [string, string];
    const plan = PLANS.find((known) => known === planName);
    if (plan === undefined)
      throw new UsageError(`PLAN: "${planName}" is not a plan; the plans are ${PLANS.join(', ')}`);
    const cap = values['spend-cap'] === undefined ? null : dollars(values['spend-cap']);
    const changed = await withService(terminal, 'used', ({ sql }) =>
      postgresPlanStore(sql).change(email.trim(), plan, cap === null ? null : cap * 100),
    );
    if (changed === null)
      throw new AccountRefused(`there is no account for ${quoted(email)}: "account create" makes one`);
    const { spendCapCents, ...account } = changed;
    terminal.print(JSON.stringify({ ...account, spendCap: spendCapCents / 100 }));
  },
};

function dollars(text: string): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= SPEND_CAP_USD_MAX) return value;
  throw new UsageError(`--spend-cap: "${text}" is not a number of whole dollars between 0 and ${SPEND_CAP_USD_MAX}`);
}
