// Visitors of the console in a real Chromium: the first page, signing up with a real mail, signing in and out.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mailedLink } from '#test/contract/visitor.ts';
import { PASSWORD, someEmail } from '#test/support/people.ts';
import { type ConsoleScene, consoleScene } from './support/console-scene.ts';
import { tabTo } from './support/tab-to.ts';

const ends: (() => unknown)[] = [];
let scene: ConsoleScene;

before(async () => {
  scene = await consoleScene({ after: (end) => ends.unshift(end) });
});
after(async () => {
  for (const end of ends) await end();
});

test('a visitor signs up, confirms by mail, is signed in, signs out and in again', async () => {
  const { page, faults, open } = await scene.visitor();
  const email = someEmail();
  // The demo race ends before its end, and can be begun again.
  const cut = 'event: lap.count\ndata: {"data":{"currentLap":2,"totalLaps":10}}\n\n';
  await page.route('**/console/demo', (route) => route.fulfill({ contentType: 'text/event-stream', body: cut }));
  await open('/');
  await page.getByText('Lap 2 of 10').waitFor();
  await page.unroute('**/console/demo');
  await page.getByRole('button', { name: 'Watch it again' }).click();
  await page.locator('.board tbody tr').nth(9).waitFor();
  await page.getByRole('link', { name: 'Sign up' }).first().click();
  // By keyboard alone.
  await page.locator('h1:focus').waitFor();
  await page.keyboard.press('Tab');
  for (const typed of [email, PASSWORD, 'Ada']) {
    await page.keyboard.type(typed);
    await page.keyboard.press('Tab');
  }
  for (let box = 0; box < 3; box++) {
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();

  const link = await mailedLink(scene.service, email);
  await page.goto(link.href);
  await page.getByRole('button').first().click();
  await page.getByText(email).first().waitFor();

  await open('/console/home');
  await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor();
  await tabTo(page, 'link', 'Make an endpoint');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'New endpoint' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByLabel('Password').press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  assert.deepEqual(faults, []);
});
