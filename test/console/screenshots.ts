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
const WIDTHS = [360, 1_280, 2_560] as const;
const HEIGHTS = { 360: 740, 1280: 900, 2560: 1_300 } as const;
const HEIGHT_MAX = 4_000;
/** Charts and lists are drawn four times a second. */
const SETTLE_MS = 600;

const ends: (() => unknown)[] = [];
const scope = { after: (end: () => unknown) => ends.unshift(end) };
try {
  const scene = await consoleScene(scope, { ADMIN_PORT: '0' });
  const owner = await livedIn(scope, scene, 15_000);
  for (const shown of everyPage(owner)) {
    const { name, path, act, inFull = act, end } = shown;
    if (names.length > 0 && !names.includes(name)) continue;
    const { page, faults, open } = await windowFor(shown, scene, owner, {});
    await open(path);
    await inFull?.(page);
    for (const width of WIDTHS) {
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        // As high as the page, so that everything is in view: what cannot be seen is not drawn.
        await page.setViewportSize({ width, height: HEIGHTS[width] });
        await page.waitForTimeout(SETTLE_MS);
        const height: number = await page.evaluate('document.documentElement.scrollHeight');
        await page.setViewportSize({ width, height: Math.min(HEIGHT_MAX, height) });
        await page.waitForTimeout(SETTLE_MS);
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
        const wider = await overflowOf(page);
        const wrong = [...faults, ...(await violationsOf(page)), ...(wider > 0 ? [`${wider} px too wide`] : [])];
        process.stdout.write(`${name} ${width} ${colorScheme}: ${wrong.length === 0 ? 'right' : wrong.join('\n  ')}\n`);
      }
    }
    await end?.(page);
    await page.context().close();
  }
} finally {
  for (const end of ends) await end();
}
