// What holds on every page of the console, for somebody whose endpoints have deliveries; then what pages say when things
// are not as they should be: nobody is signed in, or no longer; answers are late, fail or are refused. Each time the page
// says so, and what to do next.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { grantOf } from '#test/contract/visitor.ts';
import { type ConsoleScene, consoleScene, type Person, type Window } from './support/console-scene.ts';
import { everyPage, overflowOf, shiftOf, violationsOf, watchShifts } from './support/every-page.ts';
import { type LivedIn, livedIn } from './support/lived-in.ts';
import { foreignTexts, speakPseudo } from './support/pseudo-language.ts';

/** As web.dev has it for a good page. */
const SHIFT_MAX = 0.1;
/** Text and name of a button are two texts of the table, and no longer alike in brackets. */
const NAME_RULE = 'label-content-name-mismatch';

const ends: (() => unknown)[] = [];
const scope = { after: (end: () => unknown) => ends.unshift(end) };
let scene: ConsoleScene;
let owner: LivedIn;
/** Somebody who has begun. */
let beginner: Window & Person;
let webhookId: string;

before(async () => {
  scene = await consoleScene(scope);
  owner = await livedIn(scope, scene, 1_000);
  beginner = await scene.member('custom');
  const { call } = scene.service;
  const token: string = (await call('POST', '/oauth', await grantOf(scene.service, beginner.cookie))).body.access_token;
  const order = { webhookUrl: 'https://timing.example.com/hook', feedId: 'lap.count' };
  webhookId = (await call('POST', '/webhooks', order, { token })).body.data.webhookId;
  await beginner.page.clock.install();
});
after(async () => {
  for (const end of ends) await end();
});

const CASES = [
  { title: 'at 360 px in dark colours, in a language with longer words', width: 360, colours: 'dark', isPseudo: true },
  { title: 'at 1,280 px in light colours', width: 1_280, colours: 'light', isPseudo: false },
] as const;

for (const { title, width, colours, isPseudo } of CASES) {
  test(`${title} every page is accessible, fits, stays in its place, and reports no error`, async () => {
    const visitor = await scene.visitor({ width, colours });
    const member = await scene.windowOf(owner, { width, colours });
    for (const { page } of [visitor, member]) {
      await watchShifts(page);
      if (isPseudo) await speakPseudo(page);
    }
    for (const { name, path, who, act, end } of everyPage(owner)) {
      // Held by the test of that page, over a service with an operators' listener.
      if (who === 'operator') continue;
      const { page, faults, open } = who === 'visitor' ? visitor : member;
      await open(path);
      await act?.(page);
      const violations = await violationsOf(page);
      assert.deepEqual(isPseudo ? violations.filter((each) => !each.startsWith(NAME_RULE)) : violations, [], name);
      assert.ok((await overflowOf(page)) <= 0, `${name} is wider than the window`);
      // The page that confirms an address is none of the console's.
      if (isPseudo && name !== 'confirm') assert.deepEqual(await foreignTexts(page), [], name);
      // The room that is kept for what comes later is as wide as the words are.
      if (!isPseudo) assert.ok((await shiftOf(page)) <= SHIFT_MAX, `${name} moves by ${await shiftOf(page)}`);
      assert.deepEqual(faults, [], name);
      await end?.(page);
    }
  });
}

test('at 360 px deliveries, a run and pit stops are seen without scrolling sideways, and tables stay tables', async () => {
  const { page, open } = await scene.windowOf(owner, { width: 360 });
  for (const { name, path, act, end } of everyPage(owner)) {
    if (!['deliveries', 'theatre-deliveries', 'pit-stops'].includes(name)) continue;
    await open(path);
    await act?.(page);
    const table = page.locator('.table-scroll > table');
    const hiddenPx: number = await table.locator('..').evaluate((own) => own.scrollWidth - own.clientWidth);
    assert.ok(hiddenPx <= 0, `${name}: ${hiddenPx} px are hidden`);
    const row = table.getByRole('row').nth(1);
    const [heads, cells, rowHeads] = await Promise.all([
      table.getByRole('columnheader').count(),
      row.getByRole('cell').count(),
      row.getByRole('rowheader').count(),
    ]);
    assert.equal(cells + rowHeads, heads, name);
    await end?.(page);
  }
  await page.context().close();
});

interface Case {
  readonly path: string;
  /** What it shows once everything has come. */
  readonly shows: string | RegExp;
  /** What is opened first: before that, the page asks for nothing. */
  readonly open?: (page: Page) => Promise<unknown>;
  /** Asks again by itself. */
  readonly repeats?: true;
}

/** Every page that asks the service for something when it is opened. */
function cases(): readonly Case[] {
  const endpoint = `/console/endpoints/${webhookId}`;
  const feeds = (page: Page) => page.getByText('Feeds and filters').click();
  return [
    { path: '/console/home', shows: 'Latest failures', repeats: true },
    { path: '/console/endpoints', shows: 'timing.example.com', repeats: true },
    { path: '/console/endpoints/new', shows: 'All feeds of my plan', open: feeds },
    { path: endpoint, shows: 'No deliveries yet', repeats: true },
    { path: '/console/replay', shows: 'Demonstration race' },
    { path: '/console/replay/demo-race', shows: /^[1-9]\d? of 10$/ },
    { path: '/console/calendar', shows: 'Next session', repeats: true },
    { path: '/console/calendar/2026-miami-race', shows: 'There is no preview of this session' },
    { path: '/console/fantasy', shows: /^Race$/, repeats: true },
    { path: '/console/usage', shows: 'Nothing was sent this month', repeats: true },
  ];
}

/** How the service answers a page, but for who is signed in. */
class Answers {
  #answer: (route: Route) => Promise<void> = (route) => route.continue();
  #held: Route[] = [];

  async begin(page: Page, of = '**/v1/**'): Promise<void> {
    await page.route(of, async (route) => {
      if (route.request().url().endsWith('/console/account')) await route.continue();
      else await this.#answer(route);
    });
  }

  /** Those that are held are answered so, too. */
  async are(answer: (route: Route) => Promise<void>): Promise<void> {
    this.#answer = answer;
    // The page may have given up some of them.
    await Promise.all(this.#held.splice(0).map((route) => answer(route).catch(() => {})));
  }

  right = (): Promise<void> => this.are((route) => route.continue());

  held = (): Promise<void> =>
    this.are(async (route) => {
      this.#held.push(route);
    });

  gone = (): Promise<void> => this.are((route) => route.abort('connectionrefused'));

  refused = (status: number, code: string, error: string): Promise<void> =>
    this.are((route) => route.fulfill({ status, json: { error, code, statusCode: status } }));
}

/** Longer than any page waits before it asks again. */
const LONG_MS = 61_000;

async function tryAgain(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Try again' }).first().click();
}

/** From the last one on: what is loaded has no button any more. */
async function tryAll(page: Page): Promise<void> {
  for (const button of (await page.getByRole('button', { name: 'Try again' }).all()).toReversed()) await button.click();
}

test('each page says when it loads, takes long, fails, cannot reach the service, is old and is no longer signed in', async () => {
  const { page, open } = beginner;
  const answers = new Answers();
  await answers.begin(page);
  for (const { path, shows, open: opened, repeats } of cases()) {
    const shown = page.getByText(shows).first();
    await answers[opened === undefined ? 'held' : 'right']();
    await open(path);
    await answers.held();
    await opened?.(page);
    await page.getByText('Loading…').first().waitFor();
    await page.clock.fastForward(9_000);
    await page.getByText('This takes longer than usual').first().waitFor();

    await answers.refused(503, 'unavailable', 'The database is away.');
    await page.getByRole('alert').getByText('The database is away.').first().waitFor();
    await answers.gone();
    await tryAgain(page);
    await page.getByRole('alert').getByText('The service cannot be reached').first().waitFor();
    await answers.right();
    await tryAll(page);
    await shown.waitFor();
    // What the page asked for besides.
    await tryAll(page);
    await page.getByRole('alert').waitFor({ state: 'detached' });

    if (repeats === true) {
      await answers.gone();
      await page.clock.fastForward(LONG_MS);
      await page.getByText('What you see may be old. The service cannot be reached').waitFor();
      assert.ok(await shown.isVisible(), `${path} keeps what it had`);
      await answers.right();
      await page.getByRole('button', { name: 'Try now' }).click();
      await page.getByText('What you see may be old').waitFor({ state: 'detached' });
    }
    await answers.refused(401, 'not_signed_in', 'Sign in first.');
    if (repeats === true) {
      await page.clock.fastForward(LONG_MS);
    } else {
      await page.reload();
      await opened?.(page);
    }
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByText('Your sign-in has ended').waitFor();
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a replay that the plan does not include, and one that does not begin, say what helps', async () => {
  const { page, open } = beginner;
  const answers = new Answers();
  await answers.begin(page, '**/simulate/stream?*');
  for (const code of ['out_of_season', 'simulate_quota_reached']) {
    await answers.refused(403, code, 'Not in this plan.');
    await open('/console/replay/demo-race');
    await page.getByRole('alert').getByText('Your plan does not include this').waitFor();
    await page.getByRole('link', { name: 'See what each plan includes' }).waitFor();
  }
  await answers.held();
  await open('/console/replay/demo-race');
  await page.getByText('Starting…').waitFor();
  await page.clock.fastForward(9_000);
  await page.getByText('This takes longer than usual').waitFor();
  await tryAgain(page);
  await answers.right();
  await page.locator('.tower tbody tr').nth(19).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a list of sessions that does not know what is live says so', async () => {
  const { page, open } = beginner;
  const answers = new Answers();
  await answers.begin(page, '**/console/live');
  await answers.refused(503, 'unavailable', 'The database is away.');
  await open('/console/replay');
  await page.getByRole('alert').getByText('The database is away.').waitFor();
  await answers.right();
  await tryAgain(page);
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('more choices than are counted are refused with the time to wait', async () => {
  const { page, open } = beginner;
  const answers = new Answers();
  await answers.begin(page, '**/console/match');
  await answers.refused(429, 'rate_limit_exceeded', 'The limit is reached: try again in 9 seconds.');
  await open('/console/endpoints/new');
  await page.getByText('Feeds and filters').click();
  await page.getByRole('alert').getByText('try again in 9 seconds').waitFor();
  await answers.right();
  await tryAgain(page);
  await page.locator('.match-count').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a page or a plot whose script does not come can be loaded again', async () => {
  const { page, open } = beginner;
  await open('/console/replay/demo-race');
  await page.locator('.tower tbody tr').nth(19).waitFor();
  await page.route('**/console/files/*', (route) => route.abort());
  await page.getByLabel('Time in the session').fill('600');
  const positions = page.locator('.panel.positions');
  await positions.scrollIntoViewIfNeeded();
  await positions.getByRole('button', { name: 'Load it again' }).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });

  await open('/console/endpoints');
  await page.route('**/console/files/*', (route) => route.abort());
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('button', { name: 'Load it again' }).click();
  await page.getByRole('heading', { name: 'Usage and plan' }).waitFor();
});

test('each page asks somebody who is not signed in to do that', async () => {
  const { page, faults, open } = await scene.visitor();
  for (const path of [...cases().map((each) => each.path), '/console/developers']) {
    await open(path);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await page.getByText('Your sign-in has ended').count(), 0);
  }
  assert.deepEqual(faults, []);
});
