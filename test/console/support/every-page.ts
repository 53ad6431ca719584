// Every page of the console, and what must hold on each: nothing goes wrong, nothing is wider than the window, and no
// rule of accessibility is violated.

import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import type { LivedIn } from './lived-in.ts';

export interface ShownPage {
  readonly name: string;
  readonly path: string;
  readonly who: 'visitor' | 'member';
  /** Shown for this long before it is looked at: what moves has begun. */
  readonly settleMs?: number;
}

export function everyPage({ webhookId }: Pick<LivedIn, 'webhookId'>): readonly ShownPage[] {
  return [
    { name: 'welcome', path: '/', who: 'visitor', settleMs: 1_500 },
    { name: 'sign-up', path: '/console/sign-up', who: 'visitor' },
    { name: 'sign-in', path: '/console/sign-in', who: 'visitor' },
    { name: 'home', path: '/console/home', who: 'member' },
    { name: 'endpoints', path: '/console/endpoints', who: 'member' },
    { name: 'endpoint', path: `/console/endpoints/${webhookId}`, who: 'member' },
    { name: 'sessions', path: '/console/replay', who: 'member' },
    { name: 'theatre', path: '/console/replay/demo-race', who: 'member', settleMs: 2_500 },
    { name: 'calendar', path: '/console/calendar', who: 'member' },
    { name: 'fantasy', path: '/console/fantasy', who: 'member' },
    { name: 'usage', path: '/console/usage', who: 'member' },
    { name: 'developers', path: '/console/developers', who: 'member' },
    { name: 'not-found', path: '/console/nowhere', who: 'visitor' },
  ];
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The violations of WCAG 2.2 AA and of good practice, each with the elements that have it. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  // Evaluated by the browser's debugger, which the policy of the page does not concern.
  await page.evaluate(`${await source()}; undefined`);
  return page.evaluate(`axe.run(document).then(({ violations }) =>
    violations.map(({ id, help, nodes }) => id + ': ' + help + ' ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')))`);
}

let axe: string | null = null;

async function source(): Promise<string> {
  axe ??= await (await import('node:fs/promises')).readFile(AXE, 'utf8');
  return axe;
}

/** By how many CSS pixels the page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
