// Measures, step by step, how long a new customer takes from the first page to a verified delivery in the console. A browser
// goes through it at a person's pace, given below: it waits while each word in view would be read, and before each click, and
// types key by key. The time in a mail program does not count.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Locator } from 'playwright-core';
import { mailedLink } from '#test/contract/visitor.ts';
import { PASSWORD, someEmail } from '#test/support/people.ts';
import { consoleScene } from './support/console-scene.ts';

const HELP = `node test/console/stranger-pace.ts

Plays a stranger who signs up, makes an endpoint, starts the receiver that the page proposes and sees a verified delivery, and
prints how long each step takes. It takes some minutes, and needs port 9000, which the console proposes.

  reading    240 ms a word, everything in view; of lists three entries
  deciding   1.5 s before each click
  typing     200 ms a key
  terminal   4 s to find it and paste`;

const READ_WORD_MS = 240;
const DECIDE_MS = 1_500;
const TYPE_KEY_MS = 200;
const FIND_FIELD_MS = 400;
const FIND_BOX_MS = 500;
const FIND_TERMINAL_MS = 4_000;
/** Seeing that the terminal and the page agree. */
const COMPARE_MS = 3_000;
/** Charts and lists come a moment after their page. */
const SETTLE_MS = 800;

/** Runs in the page: what can be read of it, in words. Code is copied, not read. */
const wordsIn = (scope: string): string => `(() => {
  const read = (document.querySelector('${scope}') ?? document.body).cloneNode(true);
  const unread = 'pre, noscript, [hidden], details:not([open]) > :not(summary), .sr-only, option, script, style, table tbody tr:nth-child(n+4)';
  for (const element of read.querySelectorAll(unread)) element.remove();
  for (const element of read.querySelectorAll('*')) element.append(' ');
  return read.textContent.split(/\\s+/).filter((word) => /[a-z]/i.test(word)).length;
})()`;

if (parseArgs({ options: { help: { type: 'boolean' } } }).values.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
await new Promise<void>((resolve, reject) => {
  const probe = createServer().once('error', reject);
  probe.listen(9_000, 'localhost', () => probe.close(() => resolve()));
});

const ends: (() => unknown)[] = [];
try {
  await play();
} finally {
  for (const end of ends) await end();
}

async function play(): Promise<void> {
  const scene = await consoleScene({ after: (end) => ends.unshift(end) });
  const { page, open, faults } = await scene.visitor({ still: false });
  const began = performance.now();
  let last = began;
  let human = 0;
  let words = 0;
  let keys = 0;

  const wait = async (ms: number): Promise<void> => {
    human += ms;
    await page.waitForTimeout(ms);
  };
  const read = async (scope = 'main'): Promise<void> => {
    const seen = Number(await page.evaluate(wordsIn(scope)));
    words += seen;
    await wait(seen * READ_WORD_MS);
  };
  const click = async (what: Locator): Promise<void> => {
    await wait(DECIDE_MS);
    await what.click();
  };
  const type = async (field: Locator, text: string): Promise<void> => {
    await field.click();
    await wait(FIND_FIELD_MS);
    keys += text.length;
    human += text.length * TYPE_KEY_MS;
    await field.pressSequentially(text, { delay: TYPE_KEY_MS });
  };
  const seconds = (ms: number): string => (ms / 1_000).toFixed(1).padStart(6);
  const step = (name: string): void => {
    const now = performance.now();
    const waited = seconds(now - last - human);
    process.stdout.write(
      `${seconds(now - last)} s, ${waited} s of them waiting; ${words} words, ${keys} keys: ${name}\n`,
    );
    [last, human, words, keys] = [now, 0, 0, 0];
  };
  const button = (name: string | RegExp): Locator => page.getByRole('button', { name, exact: true });
  const link = (name: string): Locator => page.getByRole('link', { name, exact: true });

  await open('/');
  await read();
  step('read the first page');
  await click(link('Sign up free'));
  await page.getByLabel('Email address').waitFor();
  await read();
  step('read the form to sign up');
  const email = someEmail();
  await type(page.getByLabel('Email address'), email);
  await type(page.getByLabel('Password'), PASSWORD);
  for (const box of await page.getByRole('checkbox').all()) {
    await wait(FIND_BOX_MS);
    await box.check();
  }
  step('fill it in');
  await click(button('Sign up'));
  await page.getByText(email).first().waitFor();
  await read();
  step('read what comes next');
  const { href } = await mailedLink(scene.service, email);
  await wait(DECIDE_MS);
  await page.goto(href);
  await button('Confirm').waitFor();
  await read('body');
  step('follow the link of the mail');
  await click(button('Confirm'));
  await link('Open the console').waitFor();
  await read('#next');
  step('confirm the address');
  await click(link('Open the console'));
  await link('Make an endpoint').waitFor();
  await page.waitForTimeout(SETTLE_MS);
  await read();
  step('read the home page');
  await click(link('Make an endpoint'));
  await page.getByLabel('Where deliveries go').waitFor();
  await page.waitForTimeout(SETTLE_MS);
  await read();
  // The address as it is proposed.
  await wait(DECIDE_MS);
  step('read the form for an endpoint');
  await click(button('Make endpoint'));
  await page.getByRole('heading', { name: 'The endpoint is ready' }).waitFor();
  await read();
  step('make the endpoint, read on');
  await click(button(/Copy.*receiver/i));
  const command = await page.locator('pre', { hasText: 'receiver.mjs' }).textContent();
  const said = paste(command!);
  await wait(FIND_TERMINAL_MS);
  said.run();
  await page.waitForTimeout(SETTLE_MS);
  step('paste the receiver into a terminal');
  await click(button('Send a test'));
  await page.getByText('Your receiver answered 200').waitFor();
  await wait(COMPARE_MS);
  if (!/^verified /m.test(said.printed())) throw new Error(`The receiver printed: ${said.printed()}`);
  step('send a test, see it verified');
  await click(link('Open the endpoint'));
  await page.getByRole('row', { name: /Test Delivered 200/ }).waitFor();
  await read();
  step('see the delivery in the console');
  process.stdout.write(`${seconds(performance.now() - began)} s from the first page to a verified delivery\n`);
  for (const fault of faults) process.stdout.write(`fault: ${fault}\n`);
}

/** A shell in a folder of its own, to which a command is pasted. */
function paste(command: string): { run(): void; printed(): string } {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-pace-'));
  const shell = spawn('bash', { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  ends.unshift(() => {
    process.kill(-shell.pid!, 'SIGKILL');
    rmSync(folder, { recursive: true });
  });
  let printed = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  return { run: () => void shell.stdin.end(command), printed: () => printed };
}
