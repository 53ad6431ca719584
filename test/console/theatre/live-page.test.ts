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

test('a live session is joined in its middle with what came before, and goes on', async () => {
  const source = new OwnSource(scene.service, '2026-silverstone-race');
  await source.upTo(8_000);
  const { page, faults, open } = await scene.member('custom');
  // The list of sessions has it as soon as the calendar does.
  await open('/console/replay/2026-silverstone-race?live=1');
  // Nothing is counted before the visitor agrees.
  await page.getByRole('button', { name: 'Watch live' }).click();
  const rows = page.locator('.tower tbody tr');
  await rows.first().waitFor();
  const before = await rows.count();
  assert.ok(before > 0);
  await source.upTo();
  assert.equal(await rows.count(), before);
  await page.getByText('Live', { exact: true }).first().waitFor();
  assert.deepEqual(faults, []);
});
