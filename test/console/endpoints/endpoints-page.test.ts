// The pages of endpoints in a real Chromium, over a real service and a real receiver: from no endpoint to a delivery whose
// signature is checked in the page, by pointer and by keyboard; then what is sent again.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { TERMS } from '#api/plans/plan.ts';
import { endedRun, type RunEndpoint, runOnce } from '#test/contract/run-watch.ts';
import { prepare, replay } from '#test/contract/short-session.ts';
import { grantOf } from '#test/contract/visitor.ts';
import { eventually } from '#test/support/patience.ts';
import { PASSWORD } from '#test/support/people.ts';
import { type Received, startWebhookReceiver } from '#test/support/webhook-receiver.ts';
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

test('a plan without room says so, closed feeds cannot be chosen, chosen ones are kept, and a preparation that fails says so', async () => {
  const { page, faults, open } = await scene.member('free');
  const refusal = { code: 'not_prepared', message: 'The session is not prepared.' };
  await page.route('**/console/match', (route) => route.fulfill({ json: { data: { match: null, refusal } } }));
  const failed = { sessionId: 'demo-race', status: 'failed', progress: 0, updateCount: 1 };
  await page.route('**/simulate/prepare', (route) => route.fulfill({ json: failed }));
  await open('/console/endpoints/new');
  await page.getByText('Feeds and filters').click();
  await page.getByRole('alert').getByText('The preparation failed.').waitFor();
  await page.unroute('**/console/match');
  await page.unroute('**/simulate/prepare');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText(/updates match/).waitFor();
  await page.getByText('Timing', { exact: true }).first().click();
  assert.equal(await page.getByRole('checkbox', { name: /timing\.data/ }).isDisabled(), true);
  const laps = page.getByRole('checkbox', { name: /lap\.count/ });
  await laps.check();
  await page.getByLabel('All feeds of my plan').check();
  await page.getByLabel('Only these').check();
  assert.equal(await laps.isChecked(), true);
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

test('what was filled in when the sign-in ends is there again afterwards, without headers, and for the same account alone', async () => {
  const other = await scene.person('custom');
  const { page, email, cookie, faults, open } = await scene.member('custom');
  const url = page.getByLabel('Where deliveries go');
  const signedInAs = async (who: string): Promise<void> => {
    await page.getByText('Your sign-in has ended').waitFor();
    await page.getByLabel('Email address').fill(who);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const endSignIn = async (from: string): Promise<void> => {
    await scene.service.call('POST', '/auth/logout', undefined, { cookie: from });
    // The next request of the page meets that.
    await page.getByLabel('Driver codes').fill('ODU');
  };
  await open('/console/endpoints/new');
  await url.fill('https://timing.example.com/half-way');
  await page.getByText('More', { exact: true }).click();
  await page.getByLabel('Description').fill('Pit wall');
  await page.getByLabel('Headers').fill('Authorization: Bearer of ours');
  await page.getByText('Feeds and filters').click();
  await page.getByLabel('All feeds of my plan').check();
  await page.getByText(/updates match/).waitFor();
  await endSignIn(cookie);
  await signedInAs(email);
  await page.getByText('What you had filled in is here again').waitFor();
  assert.equal(await url.inputValue(), 'https://timing.example.com/half-way');
  await page.getByText('More', { exact: true }).click();
  assert.equal(await page.getByLabel('Description').inputValue(), 'Pit wall');
  assert.equal(await page.getByLabel('Headers').inputValue(), '');
  await page.getByText('Feeds and filters').click();
  assert.equal(await page.getByLabel('All feeds of my plan').isChecked(), true);
  assert.equal(await page.getByLabel('Driver codes').inputValue(), 'ODU');
  const stored: string = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
  assert.ok(!stored.includes('half-way') && !stored.includes('Bearer'), stored);

  await page.getByText(/updates match/).waitFor();
  const [now] = (await page.context().cookies()).filter(({ httpOnly }) => httpOnly);
  await page.getByLabel('Driver codes').fill('');
  await endSignIn(`${now!.name}=${now!.value}`);
  await signedInAs(other.email);
  await url.waitFor();
  assert.notEqual(await url.inputValue(), 'https://timing.example.com/half-way');
  assert.equal(await page.getByText('What you had filled in is here again').count(), 0);
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('401')),
    [],
  );
});

test('of more endpoints than the home page looks at it says so; a page of their list that is empty by now leads to the one before', async () => {
  const { page, cookie, faults, open } = await scene.member('custom');
  const { call } = scene.service;
  const token: string = (await call('POST', '/oauth', await grantOf(scene.service, cookie))).body.access_token;
  const make = (webhookUrl: string) => call('POST', '/webhooks', { webhookUrl, feedId: 'lap.count' }, { token });
  for (let made = 0; made < 100; made++) assert.equal((await make(receiverUrl)).status, 201);
  const { webhookId } = (await make('http://localhost:9/nobody')).body.data;
  assert.equal((await call('POST', `/webhooks/${webhookId}/test`, undefined, { token })).body.data.delivered, false);
  await open('/console/home');
  await page.getByText('1 not looked at', { exact: true }).waitFor();
  await page.getByText('None in the last hour of the 100 endpoints that this page looks at.').waitFor();

  // The last endpoint goes as its page is asked for.
  await page.route('**/webhooks?*offset=100', async (route) => {
    await call('DELETE', `/webhooks/${webhookId}`, undefined, { token });
    await route.continue();
  });
  await open('/console/endpoints');
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByRole('button', { name: 'Previous page' }).and(page.locator(':enabled')).waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByRole('button', { name: 'Next page', disabled: true }).waitFor();
  await page.locator('.endpoint-row').nth(49).waitFor();
  assert.deepEqual(faults, []);
});

test('a window in whose browser another account has signed in shows nothing of the account before', async () => {
  const { page, faults, open } = await scene.member('free');
  const other = await scene.person('custom');
  const { body } = await scene.service.call('POST', '/oauth/credentials', undefined, { cookie: other.cookie });
  await open('/console/developers');
  await page.getByRole('button', { name: 'Show the secret', exact: true }).click();
  await page.getByRole('button', { name: 'Hide the secret', exact: true }).waitFor();
  const [name, value] = other.cookie.split('=') as [string, string];
  await page.context().addCookies([{ name, value, url: scene.address, httpOnly: true, sameSite: 'Lax' }]);
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await page.getByText(body.clientId, { exact: true }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Hide the secret', exact: true }).count(), 0);
  assert.deepEqual(faults, []);
});

test('chosen deliveries are sent again, and what a pause left out: from a place on, then from the beginning, each once', async () => {
  const receiver = await startWebhookReceiver();
  ends.unshift(() => receiver.close());
  const { page, cookie, faults, open } = await scene.member('custom');
  const { call } = scene.service;
  const token: string = (await call('POST', '/oauth', await grantOf(scene.service, cookie))).body.access_token;
  const client = { call: (method: string, path: string, body?: unknown) => call(method, path, body, { token }) };
  const order = { webhookUrl: receiver.url, feedIds: ['*'] };
  const { webhookId } = (await client.call('POST', '/webhooks', order)).body.data;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const refused = { error: 'The database is away.', code: 'unavailable', statusCode: 503 };
  const resent = () => receiver.received.filter(({ headers }) => headers['x-service-resend'] !== undefined);

  await prepare(client, 'demo-race');
  await open(`/console/endpoints/${webhookId}`);
  const runId = await replay(client, 'demo-race');
  const rows = page.getByRole('row', { name: /Replay Delivered 200/ });
  await rows.nth(2).waitFor();
  await button('Hold the list').click();
  await button('Pause').click();
  await page.getByText('This endpoint is paused').waitFor();
  await runOnce(client, runId, ({ endpoints: [own] }) => own!.pending === 0 && missedOf(own!) > 20);
  await client.call('DELETE', `/simulate/stream?runId=${runId}`);
  const { endpoints } = await runOnce(client, runId, ({ state }) => state === 'stopped');
  const missed = missedOf(endpoints[0]!);
  await button('Resume').click();
  await page.getByText('This endpoint is paused').waitFor({ state: 'detached' });

  const first = receiver.received.length;
  const names: string[] = [];
  for (const no of [0, 2]) {
    names.push((await rows.nth(no).getByRole('button').textContent())!);
    await rows.nth(no).getByRole('checkbox').check();
  }
  // What is refused stays chosen.
  await page.route('**/resend', (route) => route.fulfill({ status: 503, json: refused }));
  await button('Send 2 again').click();
  await page.getByText('The database is away.').waitFor();
  await page.unroute('**/resend');
  await button('Send 2 again').click();
  await page.getByText('Sending 2 updates again.').waitFor();
  await button('Send 2 again').waitFor({ state: 'detached' });
  await eventually('both come again', () => resent().length === 2);
  await endedRun(client, resent()[0]!.headers['x-service-resend'] as string);
  const nameOf = ({ feed, sequence }: Received): string => `${feed} ${sequence}, attempt 1`;
  assert.deepEqual(resent().map(nameOf).toSorted(), names.toSorted());
  for (const { headers, body } of resent()) {
    const before = receiver.received
      .slice(0, first)
      .filter((own) => own.headers['webhook-id'] === headers['webhook-id']);
    assert.deepEqual(
      before.map((own) => own.body),
      [body],
      'the same delivery with the same bytes',
    );
  }

  // From a place in the middle on, then what is left.
  const lastBefore = receiver.received[first - 1]!.sequence;
  const since = lastBefore + Math.floor(missed / 2);
  await sendMissed(page, { since: String(since), outcome: 'Skipped, such as while paused' });
  const part = resent().length - 2;
  assert.ok(part > 0 && part < missed, `${part} of ${missed}`);
  assert.ok(
    resent()
      .slice(2)
      .every(({ sequence }) => sequence >= since),
  );
  await sendMissed(page, { since: '', outcome: 'Failed and skipped' });
  assert.equal(resent().length - 2, missed, 'all that was left out');
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  assert.equal(new Set(ids).size, ids.length - 2, 'nothing twice but what was chosen');
  // Older attempts that do not come.
  await page.route('**/logs?*', async (route) => {
    if (route.request().url().includes('cursor=')) return route.fulfill({ status: 503, json: refused });
    const response = await route.fetch();
    const { data } = await response.json();
    await route.fulfill({ response, json: { data: { ...data, nextCursor: 'older' } } });
  });
  await open(`/console/endpoints/${webhookId}`);
  await button('Show older attempts').click();
  await page.getByText('The database is away.').waitFor();
  // Nothing is left.
  await button('Send missed updates').click();
  await button('Send').click();
  await page
    .getByRole('alert')
    .getByText(/is left to send again/)
    .waitFor();
  assert.deepEqual(
    faults.filter((fault) => !/status of (409|503)/.test(fault)),
    [],
  );
});

function missedOf({ skipped }: RunEndpoint): number {
  return Object.values(skipped).reduce((sum, each) => sum + each, 0);
}

/** Has what was missed of the only replay sent again, and waits until the page says that it has been. */
async function sendMissed(page: Page, { since, outcome }: { since: string; outcome: string }): Promise<void> {
  await page.getByRole('button', { name: 'Send missed updates' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What', { exact: true }).selectOption(outcome);
  await dialog.getByLabel('From (optional)').fill(since);
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  const said = await dialog.getByText(/Sending [\d,]+ updates again/).textContent();
  const sent = /[\d,]+/.exec(said!)![0];
  await dialog.getByText(`${sent} delivered, 0 failed, 0 waiting`).waitFor();
  await dialog.getByText('Sending again has ended.').waitFor();
  await page.keyboard.press('Escape');
}
