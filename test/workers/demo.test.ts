import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const DEMO = fileURLToPath(new URL('../../workers/demo.ts', import.meta.url));

/** Starts the demo with temporary files in a folder of its own, so that what it leaves behind can be seen. */
function startDemo(t: TestContext, args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'sd-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [DEMO, ...args], {
    env: { PATH: process.env.PATH, NODE_OPTIONS: process.env.NODE_OPTIONS, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGTERM'));
  let output = '';
  const heard = (chunk: Buffer): void => {
    output += chunk;
  };
  child.stdout.on('data', heard);
  child.stderr.on('data', heard);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const until = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (pattern.test(output)) resolve();
      };
      child.stdout.on('data', look);
      child.once('close', () => reject(new Error(output)));
    });
  return { child, folder, ended, until, output: () => output };
}

function schemesInTable(output: string): (string | undefined)[] {
  return [...output.matchAll(/^\d+ +(https?) /gm)].map(([, scheme]) => scheme);
}

function serviceAddress(output: string): string | undefined {
  return /ready on (\S+)/.exec(output)?.[1];
}

test('the demo plays the built-in session, verifies what arrives, passes, and leaves nothing behind', async (t) => {
  const demo = startDemo(t, ['--seconds', '3', '--endpoints', '2']);
  assert.equal(await demo.ended, 0, demo.output());
  assert.match(demo.output(), /2 receivers registered/);
  assert.match(demo.output(), /receiver 1 speaks https, with a certificate made on the spot; the others speak http/);
  assert.match(demo.output(), /all of them get the built-in race in full/);
  assert.match(demo.output(), /EXPECTED +RECEIVED +LOST/);
  assert.deepEqual(schemesInTable(demo.output()), ['https', 'http']);
  for (const protocol of ['server-sent events', 'gRPC']) {
    const streamed = new RegExp(`a stream over ${protocol} had ([\\d,]+) updates, byte for byte those of the webhooks`);
    assert.ok(Number(streamed.exec(demo.output())![1]!.replace(',', '')) > 100, demo.output());
  }
  assert.match(demo.output(), /PASSED in/);
  assert.deepEqual(readdirSync(demo.folder), []);
});

test('with --https every receiver speaks https, and the demo passes as well', async (t) => {
  const demo = startDemo(t, ['--https', '--seconds', '3', '--endpoints', '3']);
  assert.equal(await demo.ended, 0, demo.output());
  assert.match(demo.output(), /all of them speak https, with a certificate made on the spot/);
  assert.deepEqual(schemesInTable(demo.output()), ['https', 'https', 'https']);
  assert.match(demo.output(), /PASSED in/);
  assert.deepEqual(readdirSync(demo.folder), []);
});

test('an interrupted demo stops its service and its database, removes its folder and says so with its exit code', async (t) => {
  const demo = startDemo(t, []);
  await demo.until(/replay prepared/);
  demo.child.kill('SIGINT');
  assert.equal(await demo.ended, 130);
  assert.match(demo.output(), /interrupted; everything is stopped/);
  assert.deepEqual(readdirSync(demo.folder), []);
  await assert.rejects(fetch(`${serviceAddress(demo.output())}/healthz`));
});

test('a demo whose terminal is closed stops its service and removes its folder', async (t) => {
  const demo = startDemo(t, []);
  await demo.until(/service ready on/);
  demo.child.kill('SIGHUP');
  assert.equal(await demo.ended, 129);
  assert.deepEqual(readdirSync(demo.folder), []);
  await assert.rejects(fetch(`${serviceAddress(demo.output())}/healthz`));
});

test('a demo whose reader has left, as after | head -1, stops its service and removes its folder', async (t) => {
  const demo = startDemo(t, []);
  await demo.until(/service ready on/);
  demo.child.stdout.destroy();
  assert.equal(await demo.ended, 1);
  await assert.rejects(fetch(`${serviceAddress(demo.output())}/healthz`), 'the service has ended');
  assert.deepEqual(readdirSync(demo.folder), []);
  assert.doesNotMatch(demo.output(), /EPIPE/);
});

test('a missing recording ends the demo with the reason', async (t) => {
  const demo = startDemo(t, ['--recording', '/nowhere']);
  assert.equal(await demo.ended, 1);
  assert.match(demo.output(), /\/nowhere: there is nothing at this path/);
  assert.ok(existsSync(demo.folder) && readdirSync(demo.folder).length === 0);
});
