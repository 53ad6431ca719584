// The part of the console bench that opens the first page with an empty cache, as visitors do who come for the first time.

import type { Browser } from '../browser/chromium.ts';

export interface Visit {
  /** From asking for the page until its main link is painted and answers, ms. */
  readonly interactiveMs: number;
  readonly firstPaintMs: number;
  /** As they came over the network, compressed. */
  readonly scriptBytes: number;
  readonly styleBytes: number;
}

/** Runs in the page. A link answers once it is there: it needs no script of its own. */
const LOOK = `(() => {
  const look = () => {
    if (document.querySelector('main a[href="/console/sign-up"]') !== null) window.__interactiveMs = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;

const TAKE = `(() => {
  const bytes = (ending) => performance.getEntriesByType('resource')
    .filter(({ name }) => name.endsWith(ending)).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  const firstPaintMs = performance.getEntriesByName('first-contentful-paint')[0].startTime;
  return {
    interactiveMs: Math.max(window.__interactiveMs, firstPaintMs),
    firstPaintMs,
    scriptBytes: bytes('.js'),
    styleBytes: bytes('.css'),
  };
})()`;

export async function visitFirstPage(browser: Browser, address: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(LOOK);
    await page.goto(address);
    await page.locator('main a[href="/console/sign-up"]').waitFor();
    // The race behind the page is part of it, with what it loads.
    await page.locator('main table tbody tr').first().waitFor();
    return await page.evaluate(TAKE);
  } finally {
    await context.close();
  }
}
