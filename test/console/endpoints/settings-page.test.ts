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
