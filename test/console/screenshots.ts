// Takes a screenshot of every page at three widths and in both colours, of the demo race and an account that has lived a
// little, and says what is wrong on each.
//
//   node test/console/screenshots.ts FOLDER [PAGE...]

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { consoleScene } from './support/console-scene.ts';
import { everyPage, overflowOf, violationsOf, windowFor } from './support/every-page.ts';
import { livedIn } from './support/lived-in.ts';

const [folder, ...names] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: node test/console/screenshots.ts FOLDER [PAGE...]\n');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const ends: (() => unknown)[] = [];
const scope = { after: (end: () => unknown) => ends.unshift(end) };
try {
  const scene = await consoleScene(scope, { ADMIN_PORT: '0' });
  const owner = await livedIn(scope, scene, 15_000);
  for (const shown of everyPage(owner)) {
    const { name, path, act, end, settleMs = 600 } = shown;
    if (names.length > 0 && !names.includes(name)) continue;
    for (const width of [360, 1_280, 2_560]) {
      for (const colours of ['dark', 'light'] as const) {
        const options = { width, height: width === 360 ? 740 : 900, colours };
        const { page, faults, open } = await windowFor(shown, scene, owner, options);
        await open(path);
        await act?.(page);
        await page.waitForTimeout(settleMs);
        const isOver = (await page.locator('dialog[open]').count()) > 0;
        await page.screenshot({ path: join(folder, `${name}-${width}-${colours}.png`), fullPage: !isOver });
        const wider = await overflowOf(page);
        const wrong = [...faults, ...(await violationsOf(page)), ...(wider > 0 ? [`${wider} px too wide`] : [])];
        process.stdout.write(`${name} ${width} ${colours}: ${wrong.length === 0 ? 'right' : wrong.join('\n  ')}\n`);
        await end?.(page);
        await page.context().close();
      }
    }
  }
} finally {
  for (const end of ends) await end();
}
