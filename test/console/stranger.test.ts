// A stranger with nothing but a browser and a receiver: from `/` to a verified delivery that the console shows. How long a
// person takes is not measured here; with the waiting of the service it is seconds.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mailedLink } from '#test/contract/visitor.ts';
import { eventually } from '#test/support/patience.ts';
import { PASSWORD, someEmail } from '#test/support/people.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import { type ConsoleScene, consoleScene } from './support/console-scene.ts';

const ends: (() => unknown)[] = [];
let scene: ConsoleScene;

before(async () => {
  scene = await consoleScene({ after: (end) => ends.unshift(end) });
});
after(async () => {
  for (const end of ends) await end();
});

test('a stranger signs up, makes an endpoint, replays the demo race to it, and sees a verified delivery', async (t) => {
  const receiver = await startWebhookReceiver();
  t.after(() => receiver.close());
  const { page, faults, open } = await scene.visitor();
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true });

  await open('/');
  await link('Sign up free').click();
  const email = someEmail();
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  for (const box of await page.getByRole('checkbox').all()) await box.check();
  await button('Sign up').click();
  await page.goto((await mailedLink(scene.service, email)).href);
  await button('Confirm').click();
  await link('Open the console').click();

  await link('Make an endpoint').click();
  await link('Make your first endpoint').or(button('Make your first endpoint')).first().click();
  await page.getByLabel('Where deliveries go').fill(receiver.url);
  await page
    .getByRole('checkbox', { name: /Race control/ })
    .first()
    .check();
  await button('Make endpoint').click();
  await page.getByRole('heading', { name: 'The endpoint is ready' }).waitFor();
  const secret = (await page.locator('pre').first().textContent())!.trim();

  // Endpoints on the visitor's own machine get replays.
  await link('Replay a race to it').click();
  await page.getByRole('button', { name: 'Options for Demonstration race' }).click();
  await page.getByRole('radio', { name: /Watch and deliver/ }).check();
  await button('Start').or(link('Start')).first().click();
  await eventually('deliveries arrive', () => receiver.received.length > 0);
  await link('Endpoints').click();
  await page.getByRole('link', { name: /hook/ }).first().click();
  await page
    .getByRole('button', { name: /attempt 1/ })
    .or(page.getByRole('link', { name: /attempt 1/ }))
    .first()
    .click();
  await button('Check the signature').click();
  await page.getByText('the signature is right').first().waitFor();
  assert.equal(receiver.wronglySigned(secret), 0);
  assert.deepEqual(faults, []);
});
