// What holds on every page of the console, for somebody whose endpoints have deliveries.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ConsoleScene, consoleScene } from './support/console-scene.ts';
import { everyPage, overflowOf, shiftOf, violationsOf, watchShifts } from './support/every-page.ts';
import { type LivedIn, livedIn } from './support/lived-in.ts';
import { foreignTexts, speakPseudo } from './support/pseudo-language.ts';

/** As web.dev has it for a good page. */
const SHIFT_MAX = 0.1;
/** Text and name of a button are two texts of the table, and no longer alike in brackets. */
const NAME_RULE = 'label-content-name-mismatch';

const ends: (() => unknown)[] = [];
const scope = { after: (end: () => unknown) => ends.unshift(end) };
let scene: ConsoleScene;
let owner: LivedIn;

before(async () => {
  scene = await consoleScene(scope);
  owner = await livedIn(scope, scene, 1_000);
});
after(async () => {
  for (const end of ends) await end();
});

const CASES = [
  { title: 'at 360 px in dark colours, in a language with longer words', width: 360, colours: 'dark', isPseudo: true },
  { title: 'at 1,280 px in light colours', width: 1_280, colours: 'light', isPseudo: false },
] as const;

for (const { title, width, colours, isPseudo } of CASES) {
  test(`${title} every page is accessible, fits, stays in its place, and reports no error`, async () => {
    const visitor = await scene.visitor({ width, colours });
    const member = await scene.windowOf(owner, { width, colours });
    for (const { page } of [visitor, member]) {
      await watchShifts(page);
      if (isPseudo) await speakPseudo(page);
    }
    for (const { name, path, who, act, end } of everyPage(owner)) {
      // Held by the test of that page, over a service with an operators' listener.
      if (who === 'operator') continue;
      const { page, faults, open } = who === 'visitor' ? visitor : member;
      await open(path);
      await act?.(page);
      const violations = await violationsOf(page);
      assert.deepEqual(isPseudo ? violations.filter((each) => !each.startsWith(NAME_RULE)) : violations, [], name);
      assert.ok((await overflowOf(page)) <= 0, `${name} is wider than the window`);
      // The page that confirms an address is none of the console's.
      if (isPseudo && name !== 'confirm') assert.deepEqual(await foreignTexts(page), [], name);
      // The room that is kept for what comes later is as wide as the words are.
      if (!isPseudo) assert.ok((await shiftOf(page)) <= SHIFT_MAX, `${name} moves by ${await shiftOf(page)}`);
      assert.deepEqual(faults, [], name);
      await end?.(page);
    }
  });
}
