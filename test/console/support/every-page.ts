// Every page of the console, with its dialogs, tabs and parts further down that are views of their own, and what must hold
// on each: nothing goes wrong, nothing is wider than the window, and no rule of accessibility is violated.

import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';
import { PASSWORD, someEmail } from '#test/support/people.ts';
import type { ConsoleScene, Window, WindowOptions } from './console-scene.ts';
import type { LivedIn } from './lived-in.ts';

export interface ShownPage {
  readonly name: string;
  readonly path: string;
  readonly who: 'visitor' | 'member' | 'operator';
  /** What somebody does on it first, until its effect is seen. */
  readonly act?: (page: Page) => Promise<unknown>;
  /** The same for a picture, where that takes longer: a race is played, not skipped. */
  readonly inFull?: (page: Page) => Promise<unknown>;
  /** What ends what would go on. */
  readonly end?: (page: Page) => Promise<unknown>;
}

/** Where the demo race has had stops, a safety car and a change of the lead, in seconds. */
const LATE_IN_RACE_S = 640;

export function everyPage(owner: LivedIn): readonly ShownPage[] {
  const endpoint = `/console/endpoints/${owner.webhookId}`;
  const preview = `/console/calendar/${owner.nextRaceId}`;
  const fantasy = `/console/fantasy?race=${owner.lastRaceId.replace(/-race$/, '')}`;
  const member = (name: string, path: string, act: (page: Page) => Promise<unknown> = async () => {}): ShownPage => ({
    ...{ name, path, who: 'member', act },
  });
  return [
    {
      name: 'welcome',
      path: '/',
      who: 'visitor',
      act: (page) => seen(page, 'of 10'),
      inFull: (page) => seen(page, 'Lap 3 of 10'),
    },
    { name: 'sign-up', path: '/console/sign-up', who: 'visitor' },
    { name: 'sign-up-mail', path: '/console/sign-up', who: 'visitor', act: signUp },
    { name: 'confirm', path: owner.confirmPath, who: 'visitor', act: (page) => button(page, 'Confirm').waitFor() },
    { name: 'sign-in', path: '/console/sign-in', who: 'visitor' },
    { name: 'signed-out', path: '/console/home', who: 'visitor' },
    { name: 'not-found', path: '/console/nowhere', who: 'visitor' },
    member('home', '/console/home', (page) => seen(page, 'Latest failures')),
    member('endpoints', '/console/endpoints', (page) => seen(page, 'Race control archive')),
    member('new-endpoint', '/console/endpoints/new', chooseFeeds),
    member('deliveries', endpoint, (page) => row(page).waitFor()),
    member('attempt', endpoint, openAttempt),
    member('resend', endpoint, (page) => button(page, 'Send missed updates').click()),
    member('plots', endpoint, async (page) => {
      await page.getByRole('tab', { name: 'Plots' }).click();
      await page.locator('.plot canvas').nth(2).waitFor();
    }),
    member('settings', endpoint, async (page) => {
      await page.getByRole('tab', { name: 'Settings' }).click();
      await seen(page, 'Signing secret');
    }),
    member('sessions', '/console/replay', (page) => seen(page, 'Demonstration race')),
    member('replay-options', '/console/replay', (page) => page.getByLabel('Options for Demonstration race').click()),
    { ...member('theatre', '/console/replay/demo-race'), act: lateInRace, inFull: lapByLap },
    member('theatre-deliver', '/console/replay/demo-race?speed=10&sinks=both', (page) => seen(page, 'Deliver this')),
    {
      ...member('theatre-deliveries', '/console/replay/demo-race?speed=10&sinks=both', delivering),
      inFull: async (page) => {
        await delivering(page);
        await page
          .getByRole('cell', { name: /^[123],\d{3}$/ })
          .first()
          .waitFor();
        await button(page, 'Pause').click();
      },
      end: async (page) => {
        await button(page, 'Stop deliveries').click();
        await seen(page, 'Stopped');
      },
    },
    member('calendar', '/console/calendar', (page) => seen(page, 'Next session')),
    member('preview', preview, (page) => seen(page, 'The headline')),
    ...['Qualifying', 'Strategy', 'Circuit', 'Championship'].map((tab) =>
      member(`preview-${tab.toLowerCase()}`, preview, (page) => page.getByRole('tab', { name: tab }).click()),
    ),
    member('fantasy', fantasy, (page) => page.getByRole('table').waitFor()),
    member('pit-stops', fantasy, async (page) => {
      await page.getByRole('tab', { name: 'Pit lane' }).click();
      await page.getByRole('table').waitFor();
    }),
    member('usage', '/console/usage', (page) => seen(page, 'By feed')),
    member('developers', '/console/developers', (page) => seen(page, 'Call the API')),
    { name: 'operators', path: '/', who: 'operator', act: operating },
  ];
}

/** A window of whom the page is for. */
export function windowFor(
  { who }: ShownPage,
  scene: ConsoleScene,
  owner: LivedIn,
  options: WindowOptions,
): Promise<Window> {
  if (who === 'member') return scene.windowOf(owner, options);
  return who === 'operator' ? scene.operator(options) : scene.visitor(options);
}

/** The pages are also visited in a language that puts texts into brackets (pseudo-language.ts). */
function button(page: Page, name: string): Locator {
  return page.getByRole('button', { name: new RegExp(`^(${name}|⟦${name} ǎ.*)$`) });
}

function seen(page: Page, text: string): Promise<void> {
  return page.getByText(text).first().waitFor();
}

/** The newest attempt of the log. */
function row(page: Page): Locator {
  return page.getByRole('button', { name: /, attempt 1\b/ }).first();
}

async function signUp(page: Page): Promise<void> {
  await page.getByLabel('Email address').fill(someEmail());
  await page.getByLabel('Password').fill(PASSWORD);
  for (const box of await page.getByRole('checkbox').all()) await box.check();
  await button(page, 'Sign up').click();
  await seen(page, 'Look into your mail');
}

/** Two feeds, two drivers, and what that lets through of the demo race. */
async function chooseFeeds(page: Page): Promise<void> {
  await page.getByLabel('Where deliveries go').fill('https://timing.example.com/hook');
  await page.getByText('Feeds and filters').click();
  for (const [group, feed] of [
    ['Timing', 'timing.data'],
    ['Race events', 'events.race'],
  ] as const) {
    await page.locator('summary', { hasText: group }).first().click();
    await page.getByRole('checkbox', { name: new RegExp(` ${feed.replace('.', '[.]')} `) }).check();
  }
  for (const driver of ['BRK', 'ODU']) await button(page, driver).click();
  await page.locator('.match-count').waitFor();
}

async function openAttempt(page: Page): Promise<void> {
  await row(page).click();
  await button(page, 'Check the signature').click();
  await seen(page, 'the signature is right');
}

async function operating(page: Page): Promise<void> {
  await page.getByText('Show them').click();
  await seen(page, 'the key opens the secrets');
}

async function lateInRace(page: Page): Promise<void> {
  await page.getByRole('slider').fill(String(LATE_IN_RACE_S));
  await page.getByText(/^⟦?[789] of 10\b/).waitFor();
}

/** The whole race up to its eighth lap, then paused: charts have a point for each. */
async function lapByLap(page: Page): Promise<void> {
  await page.getByText(/^⟦?8 of 10\b/).waitFor({ timeout: 120_000 });
  await button(page, 'Pause').click();
  await button(page, 'Play').waitFor();
}

/** A replay that is delivered, after its start. */
async function delivering(page: Page): Promise<void> {
  await button(page, 'Start deliveries').click();
  await page.getByRole('row', { name: /hook/ }).first().waitFor();
  await seen(page, 'Under way');
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The violations of WCAG 2.2 AA and of good practice, each with the elements that have it. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  // Evaluated by the browser's debugger, which the policy of the page does not concern.
  await page.evaluate(`${await source()}; undefined`);
  // The nodes that pass are not told: finding words for them takes a quarter of the time.
  return page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, help, nodes }) => id + ': ' + help + ' ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')))`);
}

let axe: string | null = null;

async function source(): Promise<string> {
  axe ??= await (await import('node:fs/promises')).readFile(AXE, 'utf8');
  return axe;
}

/** By how many CSS pixels the page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/**
 * Runs in the page: adds up by how much it has moved by itself what somebody may be looking at. Drivers who change places
 * move in their table: that is what it is for.
 */
const WATCH_SHIFTS = `
  globalThis.shifted = 0;
  const isInRow = ({ node }) => node?.nodeType === 1 && node.closest('tbody') !== null;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput && !sources.every(isInRow)) globalThis.shifted += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(WATCH_SHIFTS);
}

/** The cumulative layout shift of the page since it was opened. */
export function shiftOf(page: Page): Promise<number> {
  return page.evaluate('globalThis.shifted');
}
