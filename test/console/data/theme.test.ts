// The theme of the page, in a browser that keeps nothing for it.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

/** Named by its address: it is a module of browsers, which the types of tests do not know. */
const MODULE = new URL('../../../api/console/app/data/theme.ts', import.meta.url).href;

const dataset: Record<string, string> = {};
let page: { readonly theme: { value: 'system' | 'dark' | 'light' }; readonly shade: { readonly value: string } };

before(async () => {
  Object.assign(globalThis, {
    document: { documentElement: { dataset } },
    matchMedia: () => ({ matches: false, addEventListener() {} }),
  });
  // As browsers do for somebody who lets no site keep data.
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    get() {
      throw new DOMException('Access is denied for this document.', 'SecurityError');
    },
  });
  page = await import(MODULE);
});

test('a browser that lets no page keep anything shows the page, and changes its theme for as long as it is open', () => {
  assert.equal(page.theme.value, 'system');
  assert.equal(page.shade.value, 'dark');
  page.theme.value = 'light';
  assert.deepEqual([page.shade.value, dataset.theme], ['light', 'light']);
  page.theme.value = 'system';
  assert.equal(dataset.theme, undefined);
});
