// A real service that is stopped in the middle of a replay while its database is silent, and again while it is away. It
// ends in time, and the next start knows every attempt that was made.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { SERVICE_STOP_MS_MAX } from '#engine/base/limits.ts';
import type { ProxyState } from '#test/support/database-proxy.ts';
import { ReplayBehindProxy } from '#test/support/replay-behind-proxy.ts';

const stage = new ReplayBehindProxy();
before(() => stage.begin());
after(() => stage.end());

async function stoppedWhile(t: { diagnostic(text: string): void }, state: ProxyState): Promise<void> {
  await stage.received(20);
  await stage.proxy.become(state);
  const before = await stage.recorded();
  await stage.received(30);
  const startMs = performance.now();
  assert.equal(await stage.service.end('SIGTERM'), 0, stage.service.output());
  const tookMs = performance.now() - startMs;
  t.diagnostic(`SIGTERM with a database that is ${state.kind} took ${(tookMs / 1_000).toFixed(1)} s`);
  const arrived = stage.receiver.received.length;
  assert.ok((await stage.recorded()).logged < arrived, 'the log lacks some: they are in the file');
  assert.equal(readdirSync(`${stage.dataDir}/unrecorded`).length, 1);
  await stage.proxy.become({ kind: 'well' });
  await stage.startService();
  assert.ok(
    (await stage.recorded()).logged >= arrived,
    `of ${arrived} attempts ${before.logged} were recorded before the stop`,
  );
  assert.deepEqual(readdirSync(`${stage.dataDir}/unrecorded`), []);
  // On the machine of a developer that is busy, too.
  assert.ok(tookMs < 2 * SERVICE_STOP_MS_MAX, `${tookMs} ms`);
}

test('UR1: stopped while its database is silent', (t) => stoppedWhile(t, { kind: 'silent' }));

test('UR1: stopped while its database is away', (t) => stoppedWhile(t, { kind: 'away' }));

test('I1, I10: afterwards every attempt is in the log once and counted once, and nothing came again', async () => {
  await stage.received(20);
  await stage.api.call('DELETE', `/simulate/stream?runId=${stage.runId}`);
  const { data } = await stage.api.until(`/simulate/runs/${stage.runId}`, ({ data }) => data.state === 'stopped');
  const { matched, delivered, failed, skipped } = data.endpoints[0];
  const skips = Object.values<number>(skipped).reduce((sum, count) => sum + count, 0);
  assert.equal(matched, delivered + failed + skips, 'I1');
  assert.deepEqual(await stage.recorded(), {
    logged: stage.receiver.received.length,
    used: stage.receiver.received.length,
  });
  assert.equal(new Set(stage.receiver.received.map(({ sequence }) => sequence)).size, stage.receiver.received.length);
});
