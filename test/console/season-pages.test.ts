// Calendar, preview, fantasy, usage and developers in a real Chromium: each page's main path, by pointer and by keyboard,
// on Free and on Custom. Names of drivers, circuits and events have markup in them, which must stay text.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ContractService } from '#test/support/contract-service.ts';
import { changeTable, writeSmallRelease } from '#test/support/small-release.ts';
import { type ConsoleScene, consoleScene } from './support/console-scene.ts';
import { tabTo } from './support/tab-to.ts';

const CIRCUIT = 'Miami <img src=x onerror=alert(1)> Autodrome';
const EVENT = 'Miami <b>Grand</b> Prix';
const DRIVER = 'Lando <i>Norris</i>';

const ends: (() => unknown)[] = [];
let scene: ConsoleScene;
/** Without a calendar and a history. */
let bare: ConsoleScene;

before(async () => {
  scene = await consoleScene({ after: (end) => ends.unshift(end) }, { SEASON: '2026' });
  const { service } = scene;
  const folder = join(service.dataDir, 'release');
  mkdirSync(folder);
  writeSmallRelease(folder);
  changeTable(folder, 'f1db-drivers.csv', 'Lando Norris', DRIVER);
  await service.admin(['import', 'history', folder]);
  await importCalendars(service);
  bare = await consoleScene({ after: (end) => ends.unshift(end) });
});
after(async () => {
  for (const end of ends) await end();
});

/** Miami in 2023, and in 2026 with its race in two days and an hour. */
async function importCalendars({ dataDir, admin, sql }: ContractService): Promise<void> {
  for (const year of [2023, 2026]) {
    const session = (type: string, day: number) => ({
      ...{ Type: type, Name: type, GmtOffset: '00:00:00' },
      ...{ StartDate: `${year}-05-0${day}T14:00:00`, EndDate: `${year}-05-0${day}T16:00:00` },
    });
    const meeting = { Number: 1, Name: 'Miami Grand Prix', Location: 'Miami', Circuit: { Key: 1, ShortName: 'Miami' } };
    const Sessions = [session('Qualifying', 2), session('Race', 3)];
    const path = join(dataDir, `Index-${year}.json`);
    writeFileSync(path, JSON.stringify({ Year: year, Meetings: [{ ...meeting, Sessions }] }));
    await admin(['import', 'calendar', path]);
  }
  await sql`update calendar_event set name = ${EVENT}, circuit_name = ${CIRCUIT}`;
  await sql`update calendar_session set start_at = start_at + shift, end_at = end_at + shift from (
    select now() + interval '49 hours 1 minute' - start_at as shift from calendar_session
    where session_id = '2026-miami-race') race where session_id = '2026-miami-race'`;
}

test('the calendar marks the next session, and leads to its preview and to scores of another season', async () => {
  const { page, faults, open } = await scene.member('custom');
  await open('/console/calendar');
  await page.getByText(/^Starts in 2 d 1 h$/).waitFor();
  await page.getByText(CIRCUIT).first().waitFor();
  const row = page.getByRole('row', { name: /Race/ });
  assert.match((await row.textContent()) ?? '', /UTC/);
  await row.getByText('Next', { exact: true }).waitFor();

  await tabTo(page, 'link', `Preview: ${EVENT}, Race`);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Miami Grand Prix, Race' }).waitFor();

  await open('/console/calendar?season=2023');
  await page.locator('summary').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: `Fantasy: ${EVENT}, Race` }).click();
  await page.getByRole('table', { name: /^Scores/ }).waitFor();
  assert.match(page.url(), /race=2023-miami/);
  assert.deepEqual(faults, []);
});

test('the preview shows Custom every part, and Free the headline with what more there is', async () => {
  const custom = await scene.member('custom');
  await custom.open('/console/calendar/2026-miami-race');
  const { page } = custom;
  await page.getByRole('table', { name: 'Chances in the race' }).getByText(DRIVER).waitFor();
  await tabTo(page, 'tab', 'Race');
  for (const [name, shown] of [
    ['Qualifying', 'Chances in qualifying'],
    ['Strategy', 'Number of pit stops'],
    ['Circuit', 'Wins from pole'],
    ['Championship', 'Constructors'],
  ] as const) {
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.getByRole('tab', { selected: true }).textContent(), name);
    await page.getByRole('tabpanel').getByText(shown, { exact: true }).first().waitFor();
  }
  await page.getByRole('heading', { name: 'How good this model is' }).waitFor();
  await page.getByText(`Results up to ${EVENT} 2023 are known to the model.`).waitFor();
  assert.equal(await page.locator('main img').count(), 0, 'markup stays text');
  assert.deepEqual(custom.faults, []);

  const free = await scene.member('free', { colours: 'light', width: 360 });
  await free.open('/console/calendar/2026-miami-race');
  await free.page.getByText('On Developer and Custom, this page also shows').waitFor();
  assert.equal(await free.page.getByRole('tab').count(), 0);
  await free.page.getByRole('link', { name: 'See the plans' }).click();
  await free.page.getByRole('table', { name: 'What each plan includes' }).waitFor();
  assert.deepEqual(free.faults, []);
});

test('fantasy scores add up line by line; stops stand from the fastest on; Free learns what it would show', async () => {
  const { page, faults, open } = await scene.member('custom');
  await open('/console/fantasy?race=2023-miami');
  const scores = page.getByRole('table', { name: /^Scores/ });
  await scores.waitFor();
  for (const row of await scores.locator('tbody tr').all()) {
    const [, total, ...lines] = (await row.locator('td').allInnerTexts()).map((cell) => Number(cell.replace('−', '-')));
    assert.equal(
      lines.reduce((sum, line) => sum + line, 0),
      total,
    );
  }
  await tabTo(page, 'tab', 'Scores');
  await page.keyboard.press('ArrowRight');
  await page.getByRole('table', { name: 'Pit stops, fastest to slowest' }).getByText('22.345').waitFor();
  assert.deepEqual(faults, []);

  const free = await scene.member('free');
  await free.open('/console/fantasy');
  await free.page.getByText('Fantasy scores come with Developer and Custom').waitFor();
  assert.deepEqual(free.faults, []);
});

test('usage shows what was sent and what the plan includes, and why no plan can be bought', async () => {
  const free = await scene.member('free');
  const { service } = scene;
  await service.sql`insert into usage ${service.sql({
    account_id: free.accountId,
    month: `${new Date().toISOString().slice(0, 7)}-01`,
    feed_id: 'timing.data',
    attempts: 4_200,
    succeeded: 4_000,
    failed: 200,
  })}`;
  // Those of the row above have no day: an earlier version of the service counted them.
  await service.sql`
    insert into usage (account_id, month, day, feed_id, attempts, succeeded, streamed)
    values (${free.accountId}, date_trunc('month', now() at time zone 'utc'), 1, 'lap.count', 30, 30, 12)`;
  await free.open('/console/usage');
  await free.page.getByText('4,242 of 5,000').waitFor();
  await free.page.getByText('80% of what your plan includes is used.').waitFor();
  await free.page.getByRole('rowheader', { name: 'timing.data' }).waitFor();
  await free.page.getByRole('img', { name: 'Deliveries and streamed updates on 1 day of this month' }).waitFor();
  await free.page.getByText('4,200 more were sent this month before', { exact: false }).waitFor();
  await free.page.getByText('The same as a table').click();
  await free.page.getByRole('row', { name: / 30 12$/ }).waitFor();
  await free.page.getByRole('combobox', { name: 'Feed' }).selectOption('timing.data');
  await free.page.getByRole('img', { name: 'on 0 days of this month', exact: false }).waitFor();
  await free.page.getByText('This service does not sell plans', { exact: false }).waitFor();
  await free.page.getByRole('columnheader', { name: 'Free your plan' }).waitFor();
  assert.deepEqual(free.faults, []);

  const custom = await scene.member('custom');
  await custom.open('/console/usage');
  await custom.page.getByText('Nothing was sent this month').waitFor();
  await tabTo(custom.page, 'combobox', 'Month');
  await custom.page.keyboard.press('ArrowDown');
  await custom.page.getByText('No live update was due in this month.').waitFor();
  assert.deepEqual(custom.faults, []);
});

test('the secret is shown on demand, hidden again, and replaced only after a confirmation', async () => {
  const { page, faults, open } = await scene.member('free');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await open('/console/developers');
  await page.getByText('Client secret').waitFor();
  const secret = async (): Promise<string> =>
    (await page.locator('.credential', { hasText: 'Client secret' }).locator('code').textContent()) ?? '';
  const html = await page.locator('main').innerHTML();
  assert.ok(html.includes('cli_') && !asked.includes('/v1/oauth/credentials'), 'the secret is not asked for before');
  await tabTo(page, 'button', 'Show the secret');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Hide the secret' }).waitFor();
  const first = await secret();
  assert.ok(first.length >= 32 && !html.includes(first));

  await page.getByRole('button', { name: 'Replace the secret' }).click();
  await page.getByRole('dialog').getByText('every token of the account', { exact: false }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  assert.equal(await secret(), first);

  await page.getByRole('button', { name: 'Replace the secret' }).click();
  await page.getByRole('button', { name: 'Replace it now' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  assert.notEqual(await secret(), first);
  await page.getByRole('button', { name: 'Hide the secret' }).click();
  assert.equal(await page.locator('.credential', { hasText: 'Client secret' }).locator('code').count(), 0);

  for (const name of ['curl', 'TypeScript', 'Python', 'Go']) {
    await page.getByRole('tab', { name }).click();
    const code = (await page.getByRole('tabpanel').locator('pre').textContent()) ?? '';
    assert.ok(code.includes(scene.address) && code.includes('SLIPSTREAM_CLIENT_SECRET'), name);
  }
  // The token of the page ended with the old secret: the next page gets another one by itself.
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByText('Counts', { exact: true }).waitFor();
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('401')),
    [],
  );
});

test('without a calendar and a history, pages say what the operator does', async () => {
  const { page, faults, open } = await bare.member('custom');
  await open('/console/calendar');
  await page.getByText('The operator of this service imports it.').waitFor();
  await open('/console/fantasy');
  await page.getByText('No race has begun yet').waitFor();
  assert.deepEqual(faults, []);
  await open('/console/calendar/2026-miami-race');
  await page.getByText('has imported the history of the sport').waitFor();
});
