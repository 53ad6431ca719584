// The way to something by keyboard alone.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

type Reachable = 'button' | 'link' | 'tab' | 'combobox';

/** Moves with Tab, and back with Shift+Tab, until this has the focus. */
export async function tabTo(page: Page, role: Reachable, name: string): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true }).first();
  await wanted.waitFor();
  for (let step = 0; step < 200; step++) {
    if (await wanted.evaluate((element) => element.matches(':focus'))) return;
    await page.keyboard.press(step < 100 ? 'Tab' : 'Shift+Tab');
  }
  assert.fail(`Tab never reaches ${role} ${name}`);
}
