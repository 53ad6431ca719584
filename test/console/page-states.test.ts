// Every page of the console when things are not as they should be: nobody is signed in, or no longer; answers are late,
// fail or are refused; there is nothing yet. Each time the page says so, and what to do next.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { grantOf } from '#test/contract/visitor.ts';
import { type ConsoleScene, consoleScene, type Person, type Window } from './support/console-scene.ts';

const ends: (() => unknown)[] = [];
let scene: ConsoleScene;
let owner: Window & Person;
let webhookId: string;

before(async () => {
  scene = await consoleScene({ after: (end) => ends.unshift(end) });
  owner = await scene.member('custom');
  const { call } = scene.service;
  const grant = await grantOf(scene.service, owner.cookie);
  const token: string = (await call('POST', '/oauth', grant)).body.access_token;
  const order = { webhookUrl: 'https://timing.example.com/hook', feedId: 'lap.count' };
  webhookId = (await call('POST', '/webhooks', order, { token })).body.data.webhookId;
  await owner.page.clock.install();
});
after(async () => {
  for (const end of ends) await end();
});

interface Case {
  readonly path: string;
  /** What it shows once everything has come. */
  readonly shows: string | RegExp;
  /** What is opened first. */
  readonly open?: (page: Page) => Promise<unknown>;
  /** Asks for nothing before that. */
  readonly asksLate?: true;
  /** Asks again by itself. */
  readonly repeats?: true;
}

/** Every page that asks the service for something when it is opened. */
function cases(): readonly Case[] {
  const endpoint = `/console/endpoints/${webhookId}`;
  const settings = (page: Page) => page.getByRole('tab', { name: 'Settings' }).click();
  const feeds = (page: Page) => page.getByText('Feeds and filters').click();
  return [
    { path: '/console/home', shows: 'Latest failures', repeats: true },
    { path: '/console/endpoints', shows: 'timing.example.com', repeats: true },
    { path: '/console/endpoints/new', shows: 'All feeds of my plan', open: feeds, asksLate: true },
    { path: endpoint, shows: 'No deliveries yet', repeats: true },
    { path: endpoint, shows: 'All feeds of my plan', open: settings },
    { path: '/console/replay', shows: 'Demonstration race' },
    { path: '/console/replay/demo-race', shows: /^[1-9]\d? of 10$/ },
    { path: '/console/calendar', shows: 'The operator of this service imports it', repeats: true },
    { path: '/console/calendar/2026-miami-race', shows: 'There is no preview of this session' },
    { path: '/console/fantasy', shows: 'No race has begun yet', repeats: true },
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

test('each page says when it loads, takes long, fails, cannot reach the service, is old and is no longer signed in', async () => {
  const { page, open } = owner;
  const answers = new Answers();
  await answers.begin(page);
  for (const { path, shows, open: opened, asksLate, repeats } of cases()) {
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
    await tryAgain(page);
    await shown.waitFor();
    // What the page asked for besides.
    for (const button of await page.getByRole('button', { name: 'Try again' }).all()) await button.click();
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
      if (asksLate === true) await opened?.(page);
    }
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByText('Your sign-in has ended').waitFor();
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a replay that the plan does not include, and one that does not begin, say what helps', async () => {
  const { page, open } = owner;
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

test('more choices than are counted are refused with the time to wait', async () => {
  const { page, open } = owner;
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

test('a page whose script does not come can be loaded again', async () => {
  const { page, open } = owner;
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
