// What holds on every page of the console, for somebody whose endpoints have deliveries.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ConsoleScene, consoleScene } from './support/console-scene.ts';
import { everyPage, overflowOf, violationsOf } from './support/every-page.ts';
import { type LivedIn, livedIn } from './support/lived-in.ts';

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

for (const [width, colours] of [
  [360, 'dark'],
  [1_280, 'light'],
] as const) {
  test(`at ${width} px in ${colours} colours every page is accessible, fits, and reports no error`, async () => {
    const visitor = await scene.visitor({ width, colours });
    const member = await scene.windowOf(owner, { width, colours });
    for (const { name, path, who, act, end } of everyPage(owner)) {
      // Held by the test of that page, over a service with an operators' listener.
      if (who === 'operator') continue;
      const { page, faults, open } = who === 'visitor' ? visitor : member;
      await open(path);
      await act?.(page);
      assert.deepEqual(await violationsOf(page), [], name);
      assert.ok((await overflowOf(page)) <= 0, `${name} is wider than the window`);
      assert.deepEqual(faults, [], name);
      await end?.(page);
    }
  });
}
