// The settings of an endpoint in a real Chromium, while others change it and while answers take their time.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { grantOf } from '#test/contract/visitor.ts';
import type { ContractService } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { type ConsoleScene, consoleScene, type Person, type Window } from '../support/console-scene.ts';

const ends: (() => unknown)[] = [];
let scene: ConsoleScene;
let receiver: WebhookReceiver;

before(async () => {
  scene = await consoleScene({ after: (end) => ends.unshift(end) });
  receiver = await startWebhookReceiver();
  ends.unshift(() => receiver.close());
});
after(async () => {
  for (const end of ends) await end();
});

type Call = (method: string, path: string, body?: unknown) => ReturnType<ContractService['call']>;

/** A window on the settings of a new endpoint, and the account's API. */
async function settings(
  feedIds: readonly string[],
): Promise<Window & Person & { readonly call: Call; readonly webhookId: string }> {
  const window = await scene.member('developer');
  const token: string = (await scene.service.call('POST', '/oauth', await grantOf(scene.service, window.cookie))).body
    .access_token;
  const call: Call = (method, path, body) => scene.service.call(method, path, body, { token });
  const { webhookId } = (await call('POST', '/webhooks', { webhookUrl: receiver.url, feedIds })).body.data;
  await window.open(`/console/endpoints/${webhookId}`);
  await window.page.getByRole('tab', { name: 'Settings' }).click();
  return { ...window, call, webhookId };
}

test('what a program changes while the settings are open stays: what is saved is what was changed in the form', async () => {
  const { page, faults, call, webhookId } = await settings(['timing.*', 'lap.count']);
  const url = page.getByLabel('Where deliveries go');
  const form = (name: string) => page.locator('form').filter({ has: page.getByRole('heading', { name }) });
  const moved = `${receiver.url}/moved`;
  await page.getByLabel('Driver codes').waitFor();
  await call('PATCH', `/webhooks/${webhookId}`, { webhookUrl: moved });
  await page.getByLabel('Description').fill('Pit wall');
  await form('Address and description').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').first().waitFor();
  await page.getByLabel('Driver codes').fill('VER');
  await form('Feeds and filters').getByRole('button', { name: 'Save' }).click();
  await eventually('the filters are saved', async () => {
    const { filters } = (await call('GET', `/webhooks/${webhookId}`)).body.data;
    return filters.drivers?.[0] === 'VER';
  });
  const now = (await call('GET', `/webhooks/${webhookId}`)).body.data;
  assert.deepEqual(
    [now.description, now.webhookUrl, now.feedPatterns],
    ['Pit wall', moved, ['timing.*']],
    'the address, and the group with the feeds that it gets later',
  );
  assert.equal(await page.getByLabel('Description').inputValue(), 'Pit wall');
  await eventually('the form shows the address that it has now', async () => (await url.inputValue()) === moved);
  assert.deepEqual(faults, []);
});

test('a secret whose replacement is not answered yet is not replaced again: its receivers would be left without theirs', async () => {
  const { page, faults } = await settings(['lap.count']);
  const { promise: held, resolve: letCome } = Promise.withResolvers<void>();
  let asked = 0;
  await page.route('**/rotate-secret', async (route) => {
    asked++;
    await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Replace the secret' }).click();
  await page.getByRole('button', { name: 'Replace now' }).click();
  await eventually('it is asked for', async () => asked === 1);
  assert.equal(await page.getByRole('button', { name: 'Replace the secret' }).isDisabled(), true);
  // It might be the old one.
  assert.equal(await page.getByRole('button', { name: 'Show the secret' }).isDisabled(), true);
  letCome();
  await page.getByText('The old secret still signs as well').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Replace the secret' }).isDisabled(), false);
  assert.equal(asked, 1);
  assert.deepEqual(faults, []);
});

test('a secret that was asked for before its replacement is not shown instead of the new one', async () => {
  const { page, faults, call, webhookId } = await settings(['lap.count']);
  const old: string = (await call('GET', `/webhooks/${webhookId}/secret`)).body.data.webhookSecret;
  const { promise: held, resolve: letCome } = Promise.withResolvers<void>();
  let isRead = false;
  await page.route('**/secret', async (route) => {
    const response = await route.fetch();
    isRead = true;
    await held;
    await route.fulfill({ response });
  });
  await page.getByRole('button', { name: 'Show the secret' }).click();
  await eventually('the old one is read', async () => isRead);
  await page.getByRole('button', { name: 'Replace the secret' }).click();
  await page.getByRole('button', { name: 'Replace now' }).click();
  const shown = page.locator('pre', { hasText: 'whsec_' });
  await shown.waitFor();
  const late = page.waitForResponse('**/secret');
  letCome();
  await late;
  const now: string = (await call('GET', `/webhooks/${webhookId}/secret`)).body.data.webhookSecret;
  assert.notEqual(now, old);
  // Two frames later the page has drawn what it got.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  assert.equal(await shown.textContent(), now);
  assert.deepEqual(faults, []);
});

test('the list of endpoints that stays open follows the last attempt of each', async () => {
  const { page, faults, call, webhookId } = await settings(['lap.count']);
  await page.clock.install();
  await page.goto(`${scene.address}/console/endpoints`);
  await page.getByText('Never', { exact: true }).waitFor();
  await call('POST', `/webhooks/${webhookId}/test`);
  const last = page.getByRole('listitem').getByText('Delivered', { exact: true });
  await eventually('the attempt is shown', async () => {
    await page.clock.runFor(30_000);
    return (await last.count()) === 1;
  });
  assert.deepEqual(faults, []);
});
