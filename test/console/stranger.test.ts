// A stranger with nothing but a browser and a terminal: from `/` to a verified delivery that the console shows. How long a
// person takes is not measured here; with the waiting of the service it is seconds.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { mailedLink } from '#test/contract/visitor.ts';
import type { Scope } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';
import { PASSWORD, someEmail } from '#test/support/people.ts';
import { type ConsoleScene, consoleScene } from './support/console-scene.ts';

const ends: (() => unknown)[] = [];
let scene: ConsoleScene;

before(async () => {
  // The receiver needs none of the headers that operators can rename.
  scene = await consoleScene({ after: (end) => ends.unshift(end) }, { HEADER_PREFIX: 'X-Renamed' });
});
after(async () => {
  for (const end of ends) await end();
});

test('a stranger signs up, makes an endpoint, starts the receiver of the page, and sees a verified delivery', async (t) => {
  const { page, faults, open } = await scene.visitor();
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true });

  await open('/');
  await link('Sign up free').click();
  const email = someEmail();
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  for (const box of await page.getByRole('checkbox').all()) await box.check();
  await button('Sign up').click();
  await page.goto((await mailedLink(scene.service, email)).href);
  await button('Confirm').click();
  await link('Open the console').click();

  await link('Make an endpoint').click();
  // What the page proposes would do, but that port may be taken on this machine.
  await page.getByLabel('Where deliveries go').fill(`http://localhost:${await freePort()}/hook`);
  await button('Make endpoint').click();
  await page.getByRole('heading', { name: 'The endpoint is ready' }).waitFor();

  const said = await paste(t, (await page.locator('pre', { hasText: 'receiver.mjs' }).textContent())!);
  await button('Send a test').click();
  await page.getByText('Your receiver answered 200').waitFor();
  assert.match(said(), /^verified session\.status evt_/m);

  await link('Play the demo race to it').click();
  await eventually('deliveries arrive', () => said().split('verified').length > 10);
  await link('Endpoints').click();
  await page.getByRole('link', { name: /hook/ }).first().click();
  await page
    .getByRole('row', { name: /Replay Delivered 200/ })
    .first()
    .getByRole('button')
    .first()
    .click();
  await button('Check the signature').click();
  await page.getByText('the signature is right').first().waitFor();
  assert.equal(said().split('REFUSED').length - 1, 1, 'the unsigned request of this test alone');
  assert.deepEqual(faults, []);
});

/** Pastes a command into a shell, in a folder of its own, and waits for the receiver. Returns what it has printed so far. */
async function paste(scope: Scope, command: string): Promise<() => string> {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-stranger-'));
  const shell = spawn('bash', { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  scope.after(async () => {
    process.kill(-shell.pid!, 'SIGKILL');
    await once(shell, 'close');
    rmSync(folder, { recursive: true });
  });
  let printed = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  shell.stdin.end(command);
  const port = Number(/listen\((\d+)\)/.exec(command)![1]);
  await eventually('the receiver listens', () => answers(port));
  return () => printed;
}

function answers(port: number): Promise<boolean> {
  return fetch(`http://localhost:${port}/`, { method: 'POST' }).then(
    ({ status }) => status === 401,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
