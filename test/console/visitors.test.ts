// Visitors of the console in a real Chromium: the first page, signing up with a real mail, signing in and out.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mailedLink } from '#test/contract/visitor.ts';
import { PASSWORD, someEmail } from '#test/support/people.ts';
import { type ConsoleScene, consoleScene } from './support/console-scene.ts';

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
  await open('/');
  await page.getByRole('link', { name: 'Sign up' }).first().click();
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  for (const box of await page.getByRole('checkbox').all()) await box.check();
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();

  const link = await mailedLink(scene.service, email);
  await page.goto(link.href);
  await page.getByRole('button').first().click();
  await page.getByText(email).first().waitFor();

  await open('/console/home');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByLabel('Password').press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  assert.deepEqual(faults, []);
});
