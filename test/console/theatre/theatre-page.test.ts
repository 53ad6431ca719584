// The theatre in a real Chromium, with the demo race: by pointer and by keyboard.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { grantOf } from '#test/contract/visitor.ts';
import { eventually } from '#test/support/patience.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import { type ConsoleScene, consoleScene } from '../support/console-scene.ts';
import { shiftOf, watchShifts } from '../support/every-page.ts';

/** As web.dev has it for a good page. */
const SHIFT_MAX = 0.1;
const STATES = '**/v1/sessions/*/state*';
/** Runs in the page: moves the slider without its focus. */
const move = (seconds: number): string => `(() => {
  const slider = document.querySelector('.time-line input');
  slider.value = ${seconds};
  slider.dispatchEvent(new Event('input', { bubbles: true }));
})()`;
/** After an answer has come, until what it changes can be seen. */
const SHOWN_MS = 1_000;

const ends: (() => unknown)[] = [];
let scene: ConsoleScene;

before(async () => {
  scene = await consoleScene({ after: (end) => ends.unshift(end) });
});
afterEach(() => scene.closeWindows());
after(async () => {
  for (const end of ends) await end();
});

const PLACED_MS_MAX = 60_000;

/** Waits until the time line stands between these seconds of the session. */
async function placed(page: Page, from: number, to: number): Promise<void> {
  const endMs = performance.now() + PLACED_MS_MAX;
  for (;;) {
    const at = await placeOf(page);
    if (at >= from && at <= to) return;
    assert.ok(performance.now() < endMs, `the time line stands at ${at} s, not between ${from} and ${to} s`);
    await sleep(100);
  }
}

async function placeOf(page: Page): Promise<number> {
  return Number(await page.getByLabel('Time in the session').inputValue());
}

test('a member finds the demo race, watches it, pauses, moves and changes the speed by pointer', async () => {
  const { page, cookie, faults, open } = await scene.member('free');
  // Safari cannot move an element that has the focus.
  await page.addInitScript('delete Element.prototype.moveBefore');
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
  // A pause stays one at another speed, at the same place.
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('Paused', { exact: true }).waitFor();
  await page.getByLabel('Time in the session').fill('500');
  await placed(page, 500, 500);
  await page.locator('.show-facts dd').getByText('8:20').waitFor();
  await page.getByLabel('Speed').selectOption('2');
  await page.getByText('Paused', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await placed(page, 501, 560);
  const token: string = (await scene.service.call('POST', '/oauth', await grantOf(scene.service, cookie))).body
    .access_token;
  const { runs, total } = (await scene.service.call('GET', '/simulate/runs', undefined, { token })).body.data;
  assert.deepEqual([total, runs[0].speed], [1, 2], 'one run, however it was moved and whatever its speed');

  // In the legend of a chart the focus stays with its driver when drivers change places.
  await page.locator('.panel.positions').scrollIntoViewIfNeeded();
  const legend = page.locator('.panel.positions .chart-legend button');
  for (const [no, seconds] of [
    [0, 880],
    [5, 200],
    [10, 880],
    [15, 200],
  ] as const) {
    await legend.nth(no).focus();
    const held = await legend.nth(no).getAttribute('title');
    const order = (await legend.allTextContents()).join();
    await page.evaluate(move(seconds));
    await eventually('the order changes', async () => (await legend.allTextContents()).join() !== order);
    assert.equal(await page.evaluate('document.activeElement.title'), held);
  }

  const driver = page.locator('.t-driver button').first();
  await driver.click();
  assert.equal(await driver.getAttribute('aria-pressed'), 'true');

  // What is chosen in a panel is still chosen when it has been hidden.
  await page.locator('.panel.events select').selectOption('pits');
  await page.locator('.panel.updates').scrollIntoViewIfNeeded();
  await page.locator('.panel.updates select').selectOption('timing.data');
  await legend.nth(3).click();
  const forward = await legend.nth(3).getAttribute('title');
  for (const name of ['events', 'updates', 'positions']) {
    const title = await page.locator(`.panel.${name} h2`).textContent();
    const toggle = page.getByRole('button', { name: `Show ${title}`, exact: true });
    await toggle.click();
    await page.locator(`.panel.${name}`).waitFor({ state: 'detached' });
    await toggle.click();
    await page.locator(`.panel.${name}`).waitFor();
  }
  assert.equal(await page.locator('.panel.events select').inputValue(), 'pits');
  assert.equal(await page.locator('.panel.updates select').inputValue(), 'timing.data');
  assert.equal(await page.locator('.chart-legend button[aria-pressed=true]').getAttribute('title'), forward);
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

test('played again before the state of its end has come, a replay stands at its beginning, and stays there', async () => {
  const { page, faults, open } = await scene.member('free');
  await open('/console/replay/demo-race?speed=1');
  await page.locator('.tower tbody tr').nth(19).waitFor();
  const { promise: held, resolve: letCome } = Promise.withResolvers<void>();
  await page.route(STATES, async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest(STATES);
  await page.getByLabel('Time in the session').focus();
  await page.keyboard.press('End');
  await asked;
  await page.getByRole('button', { name: 'Play again' }).click();
  await page.getByText('Playing', { exact: true }).waitFor();
  await placed(page, 0, 300);
  const late = page.waitForResponse(STATES);
  letCome();
  await late;
  await sleep(SHOWN_MS);
  const at = await placeOf(page);
  assert.ok(at <= 300, `it stands at ${at} s`);
  assert.deepEqual(faults, []);
});

test('a replay moves though the state of the place cannot be had, and says so', async () => {
  const { page, open } = await scene.member('free');
  await open('/console/replay/demo-race?speed=1');
  await page.locator('.tower tbody tr').nth(19).waitFor();
  await page.getByLabel('Time in the session').fill('500');
  // The line shows a wish at once: the facts say where the show is.
  const facts = page.locator('.show-facts dd');
  await facts.getByText(/^8:[2-5]/).waitFor();
  const refusal = { success: false, code: 'not_prepared', error: 'There is no state of it.' };
  await page.route(STATES, (route) => route.fulfill({ status: 409, json: refusal }));
  await page.getByLabel('Time in the session').fill('100');
  await page.getByText('There is no state of it.').waitFor();
  await page.getByText('Playing', { exact: true }).waitFor();
  await facts.getByText(/^[12]:[0-5]/).waitFor();
  await sleep(SHOWN_MS);
  await placed(page, 100, 160);
});

for (const width of [360, 1_280, 2_560]) {
  test(`in a tall window of ${width} px panels have their height from the start: a move leaves all in its place`, async () => {
    const { page, faults, open } = await scene.member('free', { width, height: 2_000 });
    await watchShifts(page);
    await open('/console/replay/demo-race');
    await page.locator('.tower tbody tr').nth(19).waitFor();
    for (const [seconds, lap] of [
      [640, /^[789] of 10$/],
      [200, /^[123] of 10$/],
    ] as const) {
      await page.getByLabel('Time in the session').fill(String(seconds));
      await page.locator('.show-facts dd').getByText(lap).waitFor();
      await page.locator('.panel.positions .chart-legend button').nth(19).waitFor();
    }
    assert.ok((await shiftOf(page)) <= SHIFT_MAX, `it moves by ${await shiftOf(page)}`);
    assert.deepEqual(faults, []);
    await page.context().close();
  });
}

test('an account without an endpoint is told so when it wants deliveries', async () => {
  const { page, open } = await scene.member('free');
  await open('/console/replay/demo-race?speed=10&sinks=both');
  await page.getByRole('button', { name: 'Start deliveries' }).click();
  await page.getByRole('alert').waitFor();
  assert.match((await page.getByRole('alert').textContent()) ?? '', /endpoint/i);
});

test('a link, a reload and the way back start no deliveries by themselves: only who asks for them in the console does', async () => {
  const receiver = await startWebhookReceiver();
  ends.unshift(() => receiver.close());
  const { page, cookie, faults, open } = await scene.member('custom');
  const { call } = scene.service;
  const token: string = (await call('POST', '/oauth', await grantOf(scene.service, cookie))).body.access_token;
  await call('POST', '/webhooks', { webhookUrl: receiver.url, feedId: 'lap.count' }, { token });
  const delivering = async (): Promise<number> => {
    const { runs } = (await call('GET', '/simulate/runs', undefined, { token })).body.data;
    return runs.filter(({ sinks }: { readonly sinks: string }) => sinks === 'both').length;
  };
  const begin = page.getByRole('button', { name: 'Start deliveries' });
  // As from a message of somebody else.
  await open('/console/replay/demo-race?speed=10&sinks=both');
  await begin.waitFor();
  await page.getByRole('link', { name: 'Watch only' }).click();
  await page.locator('.tower tbody tr').nth(19).waitFor();
  assert.equal(await page.getByLabel('Speed').isDisabled(), false);
  await page.goBack();
  await begin.waitFor();
  assert.equal(await delivering(), 0);

  await open('/console/replay');
  await page.getByRole('button', { name: 'Options for Demonstration race' }).click();
  await page.getByLabel('Watch and deliver to your endpoints').check();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.locator('.tower tbody tr').nth(19).waitFor();
  await page.getByRole('button', { name: 'Stop deliveries' }).click();
  await page.getByText('Stopped', { exact: true }).waitFor();
  await page.reload();
  await begin.waitFor();
  assert.equal(await delivering(), 1);
  assert.deepEqual(faults, []);
});

test('a replay that delivers is paused, moved forward and stopped; what it cannot do it says, and its figures are those of the log', async () => {
  const receiver = await startWebhookReceiver();
  ends.unshift(() => receiver.close());
  const { page, cookie, faults, open } = await scene.member('custom');
  const { call } = scene.service;
  const grant = await grantOf(scene.service, cookie);
  const token: string = (await call('POST', '/oauth', grant)).body.access_token;
  const order = { webhookUrl: receiver.url, feedId: 'lap.count' };
  const { webhookId } = (await call('POST', '/webhooks', order, { token })).body.data;
  await open('/console/replay/demo-race?speed=10&sinks=both');
  await page.getByRole('button', { name: 'Start deliveries' }).click();
  await page.locator('.tower tbody tr').nth(19).waitFor();

  assert.equal(await page.getByLabel('Speed').isDisabled(), true);
  assert.equal(await page.getByRole('button', { name: 'back by thirty seconds' }).isDisabled(), true);
  await page.getByText('it goes forward only, and keeps its speed').waitFor();
  const pause = page.getByRole('button', { name: 'Pause', exact: true });
  await pause.focus();
  await page.keyboard.press('Enter');
  await page.getByText('Paused', { exact: true }).waitFor();
  await page.getByLabel('Time in the session').fill('800');
  // The head tells the place once the move is done, the line as soon as it is wished for.
  await page.locator('.show-facts dd').getByText('13:20').waitFor();
  await page.getByLabel('Time in the session').fill('100');
  await page.getByText('A replay that delivers goes forward only').waitFor();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.getByText('Playing', { exact: true }).waitFor();
  await placed(page, 801, 919);
  await page.getByRole('button', { name: 'Stop deliveries' }).click();
  await page.getByText('Stopped', { exact: true }).waitFor();

  let logged = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await call('GET', `/webhooks/${webhookId}/logs?limit=500${cursor}`, undefined, { token });
    logged += body.data.logs.length;
    cursor = body.data.nextCursor === null ? null : `&cursor=${encodeURIComponent(body.data.nextCursor)}`;
  }
  assert.ok(logged > 0);
  const cells = page.getByRole('row').filter({ hasText: receiver.url }).getByRole('cell');
  await cells.first().getByText(logged.toLocaleString('en-GB'), { exact: true }).waitFor();
  // Pending and failed. What was due while the run moved is skipped, which may be nothing.
  assert.deepEqual((await cells.allTextContents()).slice(1, 3), ['0', '0']);
  await page.route('**/v1/simulate/runs/*', async (route) => {
    const response = await route.fetch();
    const { data } = await response.json();
    const endpoints = Array.from({ length: 40 }, (_, no) => ({ ...data.endpoints[0], webhookId: `wh_${no}` }));
    await route.fulfill({ response, json: { data: { ...data, endpoints } } });
  });
  await page.getByText('The 12 of 40 endpoints with the greatest lag are shown.').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('409')),
    [],
  );
});
