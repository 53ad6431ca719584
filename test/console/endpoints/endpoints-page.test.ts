// The pages of endpoints in a real Chromium, over a real service and a real receiver: from no endpoint to a delivery whose
// signature is checked in the page, by pointer and by keyboard.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { TERMS } from '#api/plans/plan.ts';
import { type ConsoleScene, consoleScene, type Window } from '../support/console-scene.ts';
import { tabTo, tabToLabel } from '../support/tab-to.ts';

const MARKUP = '<img src=x onerror="document.title = \'run\'">';

const ends: (() => unknown)[] = [];
let scene: ConsoleScene;
let receiverUrl: string;
const received: (string | string[] | undefined)[] = [];

before(async () => {
  scene = await consoleScene({ after: (end) => ends.unshift(end) }, { REPLAY_TO_LOCALHOST: 'on' });
  const receiver = createServer((request, response) => {
    received.push(request.headers['webhook-id']);
    request.resume().on('end', () => response.end(MARKUP));
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  ends.unshift(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  receiverUrl = `http://localhost:${(receiver.address() as AddressInfo).port}/hook`;
});
after(async () => {
  for (const end of ends) await end();
});

/** Runs in the page: starts a replay of the demo race with a token of its sign-in, as the theatre does. */
const REPLAY = `(async () => {
  const { access_token } = await (await fetch('/v1/console/token', { method: 'POST' })).json();
  const headers = { authorization: 'Bearer ' + access_token, 'content-type': 'application/json' };
  const body = JSON.stringify({ sessionId: 'demo-race', speed: 10 });
  const { status } = await fetch('/v1/simulate/runs', { method: 'POST', headers, body });
  return status;
})()`;

async function makeEndpoint({ page, open }: Pick<Window, 'page' | 'open'>): Promise<void> {
  await open('/console/endpoints/new');
  await page.getByLabel('Where deliveries go').fill(receiverUrl);
  await page.getByText('Feeds and filters').click();
  await page.getByLabel('All feeds of my plan').check();
  await page.getByText(/updates match/).waitFor();
  await page.getByText('More', { exact: true }).click();
  await page.getByLabel('Description').fill(MARKUP);
  // A field that is wrong is named even while it is folded away.
  await page.getByLabel('Headers').fill('no header');
  await page.getByText('More', { exact: true }).click();
  await page.locator('summary', { hasText: 'Line 1 is not a header' }).click();
  await page.getByLabel('Headers').fill('');
  await page.getByRole('button', { name: 'Make endpoint' }).click();
  await page.getByRole('heading', { name: 'The endpoint is ready' }).waitFor();
}

async function nothingRan(page: Page): Promise<void> {
  assert.equal(await page.locator('main img, dialog img').count(), 0);
  assert.match(await page.title(), / · Slipstream$/);
}

test('an endpoint is made, follows a replay, shows an attempt with its signature, is paused and deleted', async () => {
  const { page, faults, open } = await scene.member('developer');
  await open('/console/endpoints');
  await page.getByRole('link', { name: 'Make your first endpoint' }).click();
  await page.getByRole('heading', { name: 'New endpoint' }).waitFor();
  assert.equal(await page.getByLabel('Where deliveries go').inputValue(), 'http://localhost:9000/hook');
  await page.getByText('Feeds and filters').click();
  const chosen = page.locator('main').getByRole('checkbox', { checked: true });
  await chosen.first().waitFor();
  for (let left = await chosen.count(); left > 0; left--) await chosen.first().click();
  assert.equal(await page.getByRole('button', { name: 'Make endpoint' }).isDisabled(), true);
  await makeEndpoint({ page, open });
  assert.match((await page.locator('pre').first().textContent()) ?? '', /^whsec_/);
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('Your receiver answered 200').waitFor();

  await page.getByRole('link', { name: 'Open the endpoint' }).click();
  await page.getByRole('tab', { name: 'Deliveries' }).waitFor();
  await page.getByText(MARKUP).waitFor();
  assert.equal(await page.evaluate(REPLAY), 202);
  const replayed = page.getByRole('row', { name: /Replay Delivered 200/ });
  await replayed.first().waitFor();

  await page.getByRole('button', { name: 'Hold the list' }).click();
  await replayed.getByRole('button').first().click();
  const attempt = page.getByRole('dialog');
  await attempt.getByText(MARKUP).waitFor();
  await attempt.getByRole('button', { name: 'Check the signature' }).click();
  await attempt.getByText('They are the same: the signature is right.').nth(1).waitFor();
  await nothingRan(page);
  await attempt.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('Sending 1 update again.').waitFor();
  await page.keyboard.press('Escape');

  const wanted = page.getByLabel('Delivery id (webhook-id)');
  await wanted.fill(String(received[0]));
  // What is being typed stays while the page is drawn again.
  await page.getByRole('button', { name: 'Follow' }).dispatchEvent('click');
  await page.getByRole('button', { name: 'Hold the list' }).dispatchEvent('click');
  await wanted.press('Enter');
  await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Test Delivered 200/ }).waitFor();
  assert.equal(await page.getByRole('row').count(), 2, 'its row and the head');
  await wanted.fill(`evt_${'0'.repeat(25)}1`);
  await wanted.press('Enter');
  await page.getByText('This endpoint has no attempt of that delivery.').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();

  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('This endpoint is paused').waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Being deleted').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Paused', { exact: true }).waitFor();
  await page.getByRole('link', { name: receiverUrl }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('is deleted').waitFor();
  await page.reload();
  await page.getByText('No endpoint yet').waitFor();
  assert.deepEqual(faults, []);
});

test('an endpoint is made with a filter, replaced its secret and deleted by keyboard alone', async () => {
  const { page, faults, open } = await scene.member('custom');
  await open('/console/endpoints/new');
  await tabToLabel(page, 'Where deliveries go');
  await page.keyboard.type(receiverUrl);
  await tabToLabel(page, 'Feeds and filters');
  await page.keyboard.press('Enter');
  await page.getByLabel('Only these').waitFor();
  await tabToLabel(page, 'Only these');
  await page.keyboard.press('ArrowUp');
  await page.getByText(/updates match/).waitFor();
  const all = await page.locator('.match-count').textContent();
  await tabToLabel(page, 'Driver codes');
  await page.keyboard.type('BRK');
  await page.locator('.match-count', { hasNotText: all! }).waitFor();
  await tabTo(page, 'button', 'Make endpoint');
  await page.keyboard.press('Enter');
  await tabTo(page, 'link', 'Open the endpoint');
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Deliveries' }).waitFor();
  await tabTo(page, 'button', 'Send missed updates');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.ok(await page.getByRole('button', { name: 'Send missed updates' }).evaluate((own) => own.matches(':focus')));
  await tabTo(page, 'tab', 'Deliveries');
  await page.keyboard.press('ArrowLeft');
  await tabTo(page, 'button', 'Replace the secret');
  await page.keyboard.press('Enter');
  await tabTo(page, 'button', 'Replace now');
  await page.keyboard.press('Enter');
  await page.getByText(/The old secret still signs as well, for (24 h 0|23 h 59) min/).waitFor();

  // The window is left before the time to undo is over: the endpoint is deleted nevertheless.
  await page.getByRole('button', { name: 'Delete' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Being deleted').waitFor();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await open('/console/endpoints');
  await page.getByText('No endpoint yet').waitFor();
  assert.deepEqual(faults, []);
});

test('a plan without room says so, and closed feeds cannot be chosen', async () => {
  const { page, faults, open } = await scene.member('free');
  await open('/console/endpoints/new');
  await page.getByText('Feeds and filters').click();
  await page.getByText('Timing', { exact: true }).first().click();
  assert.equal(await page.getByRole('checkbox', { name: /timing\.data/ }).isDisabled(), true);
  await page.getByRole('checkbox', { name: /lap\.count/ }).check();
  await page.getByText(/updates match/).waitFor();
  const { endpoints } = TERMS.free;
  for (let made = 0; made < endpoints; made++) await makeEndpoint({ page, open });
  await open('/console/endpoints');
  await page.getByText('Your plan has no room for another endpoint.').waitFor();
  assert.equal(await page.getByRole('link', { name: 'New endpoint' }).count(), 0);
  await nothingRan(page);
  // Somebody who comes to the form nevertheless learns what helps.
  await open('/console/endpoints/new');
  await page.getByRole('button', { name: 'Make endpoint' }).click();
  await page.getByRole('alert').getByText('Your plan does not include this').waitFor();
  await page.getByRole('link', { name: 'See what each plan includes' }).click();
  await page.getByRole('table', { name: 'What each plan includes' }).waitFor();
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('402')),
    [],
  );
});
