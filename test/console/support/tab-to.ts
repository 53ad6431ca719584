// The way to something by keyboard alone.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

type Reachable = 'button' | 'link' | 'tab' | 'combobox';

/** Somebody who has pressed Tab this often looks for another service. */
const PATIENCE = 80;

/** Moves with Tab until this has the focus. */
export async function tabTo(page: Page, role: Reachable, name: string): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true }).first();
  await wanted.waitFor();
  for (let presses = 0; presses < PATIENCE; presses++) {
    if (await wanted.evaluate((element) => element.matches(':focus'))) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`${PATIENCE} presses of Tab do not reach ${role} ${name}`);
}

/** Moves with Tab until something with this label has the focus. */
export async function tabToLabel(page: Page, label: string): Promise<void> {
  const wanted = page.getByText(label).first();
  await wanted.waitFor();
  for (let presses = 0; presses < PATIENCE; presses++) {
    const focused = await page.evaluate(
      `(() => { const e = document.activeElement;
        return e.getAttribute('aria-label') ?? e.labels?.[0]?.textContent ?? e.textContent; })()`,
    );
    if (String(focused).startsWith(label)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`${PATIENCE} presses of Tab do not reach what is labelled ${label}`);
}
