// A live session in the theatre, from an operator's own source: joined in its middle.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { OwnSource } from '#test/support/own-source.ts';
import { type ConsoleScene, consoleScene } from '../support/console-scene.ts';

const ends: (() => unknown)[] = [];
let scene: ConsoleScene;

before(async () => {
  scene = await consoleScene({ after: (end) => ends.unshift(end) }, { SEASON: '2026', ADMIN_PORT: '0' });
});
after(async () => {
  for (const end of ends) await end();
});

test('a live session is listed, joined in its middle with what came before, and told to be over', async () => {
  const source = new OwnSource(scene.service, '2026-silverstone-race');
  await source.upTo(8_000);
  const { page, faults, open } = await scene.member('custom');
  // No calendar has it.
  await open('/console/home');
  await page.getByText('2026-silverstone-race').waitFor();
  await page.getByRole('link', { name: 'Watch it' }).waitFor();
  await open('/console/replay');
  await page.getByRole('listitem').filter({ hasText: '2026-silverstone-race' }).getByText('Watch live').click();
  // Nothing is counted before the visitor agrees.
  await page.getByRole('button', { name: 'Watch live' }).click();
  const rows = page.locator('.tower tbody tr');
  await rows.first().waitFor();
  const before = await rows.count();
  assert.ok(before > 0);
  await source.upTo();
  assert.equal(await rows.count(), before);
  await page.getByText('Live', { exact: true }).first().waitFor();

  await source.end();
  await page.getByText('The session is over', { exact: true }).waitFor();
  // What was seen stays, and somebody who comes too late is shown to the replay.
  assert.equal(await rows.count(), before);
  const late = await scene.member('custom');
  await late.open('/console/replay/2026-silverstone-race?live=1');
  await late.page.getByRole('button', { name: 'Watch live' }).click();
  await late.page.getByText('The session is over', { exact: true }).waitFor();
  await late.page.getByText('Watch it as a replay').click();
  await late.page
    .locator('.tower tbody tr')
    .nth(before - 1)
    .waitFor();
  await open('/console/replay');
  await page.getByText('Recorded sessions').waitFor();
  assert.equal(await page.getByText('Watch live').count(), 0);
  assert.deepEqual(faults, []);
});
