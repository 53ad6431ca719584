// A real Chromium, which comes in a package with the libraries that it needs. Its profile is a temporary folder.

import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/** Flags of the package that hide what users would meet. */
const HIDING = ['--disable-web-security', '--single-process', '--allow-running-insecure-content'];

/** Starts one. The caller closes it. */
export async function startChromium(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: chromium.args.filter((flag) => !HIDING.includes(flag)),
    headless: true,
  });
}
