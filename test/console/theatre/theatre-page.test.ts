// The theatre in a real Chromium, with the demo race: by pointer and by keyboard.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { type ConsoleScene, consoleScene } from '../support/console-scene.ts';

const ends: (() => unknown)[] = [];
let scene: ConsoleScene;

before(async () => {
  scene = await consoleScene({ after: (end) => ends.unshift(end) });
});
after(async () => {
  for (const end of ends) await end();
});

/** Waits until the time line stands between these seconds of the session. */
async function placed(page: Page, from: number, to: number): Promise<void> {
  const line = page.getByLabel('Time in the session');
  for (;;) {
    const at = Number(await line.inputValue());
    if (at >= from && at <= to) return;
    await sleep(100);
  }
}

test('a member finds the demo race, watches it, pauses, moves and changes the speed by pointer', async () => {
  const { page, faults, open } = await scene.member('free');
  await open('/console/replay');
  await page.getByLabel('Search').fill('no such session');
  await page.getByText('No session matches').waitFor();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await page.getByRole('link', { name: 'Watch Demonstration race' }).click();

  await page.getByRole('table', { name: 'Timing' }).waitFor();
  await page.locator('.tower tbody tr').nth(19).waitFor();
  await page.getByText('Green flag', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('Paused', { exact: true }).waitFor();
  await page.getByLabel('Time in the session').fill('600');
  await placed(page, 600, 600);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await placed(page, 601, 919);
  await page.getByLabel('Speed').selectOption('0.5');
  await page.getByText('Playing', { exact: true }).waitFor();
  await page.getByLabel('Time in the session').fill('200');
  await placed(page, 200, 260);
  assert.equal(await page.locator('.tower tbody tr').count(), 20);

  const driver = page.locator('.t-driver button').first();
  await driver.click();
  assert.equal(await driver.getAttribute('aria-pressed'), 'true');
  assert.deepEqual(faults, []);
});

test('by keyboard alone a member starts a replay, moves it to its end and plays it again', async () => {
  const { page, faults, open } = await scene.member('free');
  await open('/console/replay');
  await page.getByRole('button', { name: 'Options for Demonstration race' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Replay Demonstration race' }).waitFor();
  await page.getByRole('button', { name: 'Start' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('.tower tbody tr').nth(19).waitFor();

  await page.getByLabel('Time in the session').focus();
  await page.keyboard.press('End');
  await page.getByText('Played to the end').waitFor();
  await page.getByRole('button', { name: 'Play again' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Playing', { exact: true }).waitFor();
  await placed(page, 0, 300);
  await page.locator('.t-driver button').first().focus();
  await page.keyboard.press('Enter');
  await page.locator('.driver-card').waitFor();
  assert.deepEqual(faults, []);
});

test('an account without an endpoint is told so when it wants deliveries', async () => {
  const { page, open } = await scene.member('free');
  await open('/console/replay/demo-race?speed=10&sinks=both');
  await page.getByRole('alert').waitFor();
  assert.match((await page.getByRole('alert').textContent()) ?? '', /endpoint/i);
});
