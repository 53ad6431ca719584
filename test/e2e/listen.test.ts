// `listen` as a process of a customer, while the service is killed and started again on the same data.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDataDir } from '#test/support/database.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { eventually } from '#test/support/patience.ts';
import { runAdminCommand, type ServiceProcess, startService } from '#test/support/service-process.ts';
import { newSecret } from '#test/support/signed-deliveries.ts';
import { verifyingReceiver } from '#test/support/verifying-receiver.ts';

const run = promisify(execFile);
const LISTEN = fileURLToPath(new URL('../../workers/listen.ts', import.meta.url));
/** The last part of the built-in race, which has 8,690 updates: nine seconds at ten times its speed. */
const AFTER = 7_900;
const LAST = 8_690;

function startListen(t: TestContext, args: readonly string[], env: Readonly<Record<string, string>>) {
  const { PATH, NODE_OPTIONS } = process.env;
  const child = spawn(process.execPath, [LISTEN, ...args], { env: { PATH, NODE_OPTIONS, ...env } });
  const printed = { out: '', err: '' };
  child.stdout.on('data', (text) => {
    printed.out += text;
  });
  child.stderr.on('data', (text) => {
    printed.err += text;
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, printed, ended };
}

test('the service is killed twice: the receiver has every update once and in order, and Ctrl-C ends it', async (t) => {
  const dataDir = temporaryDataDir('service');
  const [port] = (await freePorts(1)) as [number];
  const start = (): Promise<ServiceProcess> => startService(dataDir, { PORT: String(port), SHARDS: '1' });
  let service = await start();
  t.after(() => service.end('SIGTERM'));
  const account = await runAdminCommand(dataDir, ['account', 'create', '--email', 'a@example.org', '--plan', 'free']);
  const secret = newSecret();
  const receiver = await verifyingReceiver(t, () => secret);
  const env = {
    SLIPSTREAM_URL: `${service.address}/v1`,
    SLIPSTREAM_CLIENT_ID: account.clientId!,
    SLIPSTREAM_CLIENT_SECRET: account.clientSecret!,
    SLIPSTREAM_WEBHOOK_SECRET: secret,
  };
  const replay = ['--session', 'demo-race', '--speed', '10', '--after', String(AFTER)];
  const listen = startListen(t, ['--forward-to', receiver.url, ...replay], env);
  for (const count of [100, 400]) {
    await eventually(`${count} deliveries`, () => receiver.received.length >= count || listen.child.exitCode !== null);
    await service.end('SIGKILL');
    service = await start();
  }
  assert.equal(await listen.ended, 0, listen.printed.err);
  const delivered = receiver.received.filter(({ attempt }) => attempt === 1).map(({ sequence }) => sequence);
  assert.deepEqual(
    delivered.toSorted((a, b) => a - b),
    Array.from({ length: LAST - AFTER }, (_, index) => AFTER + 1 + index),
  );
  assert.equal(new Set(receiver.received.map(({ id }) => id)).size, delivered.length);
  assert.equal(receiver.forged, 0);
  assert.match(listen.printed.err, /\nInterrupted: .*\. Back in \d+\.\d s\n(.*\n)*Connected again\n/);
  assert.match(listen.printed.err, /\n790 updates: 790 delivered, 0 failed; \d+ retr/);
  assert.doesNotMatch(listen.printed.out + listen.printed.err, new RegExp(account.clientSecret!));
  assert.ok(!listen.printed.err.includes(secret));

  const live = startListen(t, ['--forward-to', receiver.url], env);
  await eventually('it listens', () => live.printed.err.includes('Listening: '));
  // One press arrives from the terminal and from npm.
  live.child.kill('SIGINT');
  live.child.kill('SIGINT');
  assert.equal(await live.ended, 0);
  assert.match(live.printed.err, /\n0 updates: 0 delivered, 0 failed; 0 retries\n$/);

  const print = `'${process.execPath}' '${LISTEN}' --print ${replay.join(' ')} | head -n 1`;
  const { stdout, stderr } = await run('/bin/sh', ['-c', print], { env: { PATH: process.env.PATH, ...env } });
  assert.equal(JSON.parse(stdout).sequence, AFTER + 1);
  assert.match(stderr, /^Listening: .*\n\d+ updates?\nTo continue there: --session demo-race --after \d+\n$/);

  receiver.answer = () => null;
  const before = receiver.received.length;
  const unanswered = startListen(t, ['--forward-to', receiver.url, ...replay], env);
  await eventually('an attempt', () => receiver.received.length > before);
  unanswered.child.kill('SIGINT');
  const first = await Promise.race([unanswered.ended, pause(600, 'waits')]);
  unanswered.child.kill('SIGINT');
  assert.deepEqual([first, await unanswered.ended], ['waits', 130], 'the second Ctrl-C waits for no answer');
});
