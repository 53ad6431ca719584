// Takes the pictures of the documents, docs/images/*.webp: of the demo race, an invented season and an account of its own.
//
//   node test/console/docs-images.ts [PAGE...]

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { consoleScene } from './support/console-scene.ts';
import { everyPage, windowFor } from './support/every-page.ts';
import { livedIn } from './support/lived-in.ts';

interface Picture {
  /** Of a page of support/every-page.ts. */
  readonly page: string;
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly colours: 'dark' | 'light';
  /** What is at the head of the picture, if it is further down: a selector. */
  readonly from?: string;
}

const PICTURES: readonly Picture[] = [
  { page: 'welcome', file: 'welcome', width: 1_280, height: 800, colours: 'dark' },
  { page: 'home', file: 'home', width: 1_280, height: 380, colours: 'light' },
  {
    page: 'new-endpoint',
    file: 'new-endpoint',
    width: 1_280,
    height: 860,
    colours: 'light',
    from: '.choice-editor h2',
  },
  { page: 'deliveries', file: 'deliveries', width: 1_280, height: 860, colours: 'dark' },
  { page: 'attempt', file: 'attempt', width: 1_280, height: 1_240, colours: 'light' },
  { page: 'plots', file: 'plots', width: 1_280, height: 1_130, colours: 'dark' },
  { page: 'theatre', file: 'theatre', width: 1_440, height: 1_040, colours: 'dark' },
  { page: 'theatre', file: 'theatre-panels', width: 1_440, height: 1_240, colours: 'dark', from: '.theatre-panels' },
  { page: 'theatre', file: 'theatre-phone', width: 390, height: 844, colours: 'light' },
  { page: 'preview', file: 'preview', width: 1_280, height: 1_000, colours: 'light' },
  { page: 'fantasy', file: 'fantasy', width: 1_280, height: 700, colours: 'dark' },
  { page: 'operators', file: 'operators', width: 1_440, height: 1_000, colours: 'dark' },
];
const FOLDER = join(import.meta.dirname, '../../docs/images');
/** Small, and still sharp where there is text. */
const QUALITY = 82;
/** Charts and lists are drawn four times a second. */
const SETTLE_MS = 1_000;

async function take(page: Page, { file, width, height, colours, from }: Picture): Promise<void> {
  await page.emulateMedia({ colorScheme: colours });
  await page.setViewportSize({ width, height });
  await page.mouse.move(0, 0);
  await page.evaluate('document.activeElement.blur()');
  await page.evaluate('scrollTo(0, 0)');
  // Below the header, which stays. Twice: what comes into view is drawn, and takes its place.
  for (const _ of [1, 2]) {
    if (from !== undefined)
      await page.evaluate(`scrollTo(0, document.querySelector('${from}').getBoundingClientRect().top + scrollY - 72)`);
    await page.waitForTimeout(SETTLE_MS);
  }
  const browser = await page.context().newCDPSession(page);
  const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  writeFileSync(join(FOLDER, `${file}.webp`), Buffer.from(data, 'base64'));
  process.stdout.write(`docs/images/${file}.webp\n`);
}

const names = process.argv.slice(2);
mkdirSync(FOLDER, { recursive: true });
const ends: (() => unknown)[] = [];
const scope = { after: (end: () => unknown) => ends.unshift(end) };
try {
  const scene = await consoleScene(scope, { ADMIN_PORT: '0' });
  const owner = await livedIn(scope, scene, 15_000);
  for (const shown of everyPage(owner)) {
    const pictures = PICTURES.filter(({ page }) => page === shown.name);
    if (pictures.length === 0 || (names.length > 0 && !names.includes(shown.name))) continue;
    const { path, act, inFull = act, end } = shown;
    const { page, open } = await windowFor(shown, scene, owner, {});
    await open(path);
    await inFull?.(page);
    for (const picture of pictures) await take(page, picture);
    await end?.(page);
    await page.context().close();
  }
} finally {
  for (const end of ends) await end();
}
