// The console as people meet it: the service in a process of its own, a real Chromium, and people who are signed in. Every
// page is watched: an error on its console, an exception, a violation of its policy and a request to another host count.

import type { Page } from 'playwright-core';
import type { Plan } from '#api/plans/plan.ts';
import { startChromium } from '#bench/browser/chromium.ts';
import { BEHIND_PROXY, member } from '#test/contract/visitor.ts';
import { type ContractService, contractService, type Scope } from '#test/support/contract-service.ts';
import { someAddress } from '#test/support/people.ts';

export interface Window {
  readonly page: Page;
  /** What went wrong in the page so far: empty if nothing did. */
  readonly faults: readonly string[];
  /** Opens an address of the service, such as `/console/home`, and waits for its heading. */
  open(path: string): Promise<void>;
}

export interface WindowOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colours?: 'dark' | 'light';
  /** Moves nothing. Default: true, so that tests wait for nothing. */
  readonly still?: boolean;
}

/** Somebody with a verified account, who is signed in. */
export interface Person {
  readonly accountId: string;
  readonly email: string;
  readonly cookie: string;
}

export interface ConsoleScene {
  readonly service: ContractService;
  /** Where the service is, without `/v1`. */
  readonly address: string;
  /** A window of a visitor. */
  visitor(options?: WindowOptions): Promise<Window>;
  /** A window of an operator, whose address is that of their listener: it needs `ADMIN_PORT`. */
  operator(options?: WindowOptions): Promise<Window>;
  person(plan: Plan): Promise<Person>;
  windowOf(person: Person, options?: WindowOptions): Promise<Window>;
  /** A window of a new person on this plan. */
  member(plan: Plan, options?: WindowOptions): Promise<Window & Person>;
  /** Closes all windows. One that is left open goes on: a race in it is played and drawn beside the next tests. */
  closeWindows(): Promise<void>;
}

/** Runs in the page. */
const REPORT_VIOLATIONS =
  "addEventListener('securitypolicyviolation', (e) => console.error('policy: ' + e.violatedDirective))";

export async function consoleScene(
  scope: Scope,
  env: Readonly<Record<string, string>> = {},
  before?: (dataDir: string) => Promise<unknown>,
): Promise<ConsoleScene> {
  const service = await contractService(scope, { ...BEHIND_PROXY, ...env }, before);
  const { browser, close } = await startChromium({ emulatesCard: false });
  scope.after(close);
  const address = service.baseUrl.replace(/\/v1$/, '');

  const window = async (options: WindowOptions, cookie: string | null, at = address): Promise<Window> => {
    const { width = 1280, height = 800, colours = 'dark', still = true } = options;
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: colours,
      reducedMotion: still ? 'reduce' : 'no-preference',
      // Limits by address do not disturb tests.
      extraHTTPHeaders: { 'x-forwarded-for': someAddress() },
      locale: 'en-GB',
      timezoneId: 'Europe/Paris',
    });
    if (cookie !== null) {
      const [name, value] = cookie.split('=') as [string, string];
      await context.addCookies([{ name, value, url: address, httpOnly: true, sameSite: 'Lax' }]);
    }
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        faults.push(`${page.url()}: ${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${at}/`) && !url.startsWith('blob:')) faults.push(`asked another host: ${url}`);
    });
    await page.addInitScript(REPORT_VIOLATIONS);
    return {
      page,
      faults,
      async open(path) {
        await page.goto(`${at}${path}`);
        await page.waitForSelector('main h1');
      },
    };
  };

  const person = async (plan: Plan): Promise<Person> => {
    const made = await member(service);
    await service.sql`update account set plan = ${plan} where account_id = ${made.accountId}`;
    return made;
  };

  return {
    service,
    address,
    visitor: (options = {}) => window(options, null),
    operator: (options = {}) => window(options, null, service.process.operators),
    person,
    windowOf: ({ cookie }, options = {}) => window(options, cookie),
    async member(plan, options = {}) {
      const made = await person(plan);
      return { ...(await window(options, made.cookie)), ...made };
    },
    async closeWindows() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
  };
}
