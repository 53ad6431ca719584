// A running service is upgraded and rolled back as docs/operating.md says: a version from a bundle in a folder of its
// own, a link that is switched, a restart. Its receivers count.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { judge, type Kill } from '#bench/load/crash-judgement.ts';
import { CrashReceiver, LIVE } from '#bench/load/crash-receiver.ts';
import { CrashScene } from '#bench/load/crash-scene.ts';
import { CrashService, type Programs } from '#bench/load/crash-service.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { type Changes, InstalledVersions } from '#test/support/installed-versions.ts';
import { eventually } from '#test/support/patience.ts';
import { ApiClient, runAdminProcess, startService } from '#test/support/service-process.ts';

const SHARDS = 2;
const ENDPOINTS = 3;
/** Arrivals of a replay after which it is well under way: a tenth of it. */
const UNDER_WAY = 50;

const installed = await InstalledVersions.unpack();

/** The version that answers. */
async function runningVersion(service: CrashService): Promise<string | undefined> {
  const metrics = await (await fetch(`${service.operators}/metrics`)).text();
  return /\bversion="([^"]+)"/.exec(metrics)?.[1];
}

/** Starts replays until a new one is well under way. Returns its id. */
async function replayUnderWay(scene: CrashScene, receiver: CrashReceiver): Promise<string> {
  const before = new Set(receiver.arrivals.map(({ runId }) => runId)).add(LIVE);
  return eventually(
    'a new replay',
    async () => {
      await scene.keepPlaying();
      const fresh = receiver.arrivals.filter(({ runId }) => !before.has(runId));
      return fresh.length >= UNDER_WAY && fresh.at(-1)!.runId;
    },
    20_000,
    100,
  );
}

interface Stage {
  readonly receiver: CrashReceiver;
  readonly service: CrashService;
  readonly scene: CrashScene;
}

/** Starts the linked version with its load. */
async function stage(t: TestContext, programs: Programs): Promise<Stage> {
  const receiver = await CrashReceiver.start();
  t.after(() => receiver.close());
  const service = new CrashService(SHARDS, programs);
  const scene = new CrashScene(service);
  t.after(async () => {
    scene.giveUp();
    await service.close();
  });
  await service.start();
  await scene.prepare(receiver, ENDPOINTS);
  return { receiver, service, scene };
}

/** Ends replay, session and service. All counts must be exact, but those of `allowed` faults. */
async function endAndJudge(
  t: TestContext,
  { receiver, service, scene }: Stage,
  kills: readonly Kill[],
  allowed: readonly string[] = [],
): Promise<void> {
  await scene.end();
  const { faults, deliveries } = await judge(service.sql, scene, receiver, kills);
  t.diagnostic(`${deliveries} deliveries, ${receiver.arrivals.length} requests`);
  assert.ok(deliveries > 0);
  for (const [fault, count] of Object.entries(faults)) if (!allowed.includes(fault)) assert.equal(count, 0, fault);
  assert.equal(await service.end('SIGTERM'), 0);
}

const now = (): number => performance.timeOrigin + performance.now();

/** Upgrades to a version with `changes`, and rolls back, each in the middle of a replay and of a live session. */
async function upgradeAndRollBack(t: TestContext, changes: Changes, allowed: readonly string[]): Promise<void> {
  installed.install('1.0.0');
  installed.switchTo('1.0.0');
  const { receiver, service, scene } = await stage(t, installed.programs);
  const restarts: Kill[] = [];
  for (const [from, to] of [
    ['1.0.0', '1.1.0'],
    ['1.1.0', '1.0.0'],
  ] as const) {
    assert.equal(await runningVersion(service), from);
    const runId = await replayUnderWay(scene, receiver);
    installed.install(to, to === '1.1.0' ? changes : {});
    installed.switchTo(to);
    restarts.push({ kind: 'drain', atMs: now() });
    assert.equal(await service.end('SIGTERM'), 0);
    const before = receiver.arrivals.length;
    await service.start();
    installed.remove(from);
    await scene.signIn();
    const since = () => receiver.arrivals.slice(before);
    await eventually('the replay continues', () => since().some((arrival) => arrival.runId === runId));
    await eventually('the live session continues', () => since().some((arrival) => arrival.runId === LIVE));
    assert.equal(await runningVersion(service), to);
  }
  await endAndJudge(t, { receiver, service, scene }, restarts, allowed);
}

/** A newer version that derives other updates from the same frames. */
const OTHER_UPDATES: Changes = {
  'engine/racing/derive/deriver-version.ts': (text) => text.replace(/(DERIVER_VERSION = )\d+/, '$199'),
  'engine/racing/normalise/timing-data.ts': (text) =>
    text.replace('entry.gapToLeader = gapOf(value);', 'entry.gapToLeader = gapOf(String(value).concat("5"));'),
};

test('an upgrade to a version that derives other updates and back, in the middle of a replay and a live session: nothing is lost, nothing comes twice, no id has two meanings', (t) =>
  // Its bodies are not those that one version alone would derive.
  upgradeAndRollBack(t, OTHER_UPDATES, ['changed']));

test('a version that migrates the database cannot be rolled back; the backup from before is restored with the old one', async (t) => {
  const migrations = readdirSync(fileURLToPath(new URL('../../schemas/database', import.meta.url)));
  const newest = migrations.filter((name) => name.endsWith('.sql')).length;
  const next = `schemas/database/${String(newest + 1).padStart(4, '0')}-tomorrow.sql`;
  installed.install('2.0.0');
  installed.install('2.1.0', { [next]: () => 'create table tomorrow ();' });
  installed.switchTo('2.0.0');
  const settings = { SECRET_KEY: 'the key of both versions' };
  const dataDir = temporaryDataDir('service');
  const start = (folder = dataDir) => startService(folder, settings, undefined, installed.programs.service);
  const admin = async (folder: string, ...args: string[]) => {
    const { code, out, err } = await runAdminProcess(folder, args, settings, installed.programs.admin);
    assert.equal(code, 0, err);
    return out;
  };
  const old = await start();
  t.after(() => old.end('SIGKILL'));
  const account = JSON.parse(await admin(dataDir, 'account', 'create', '--email', 'a@example.org', '--plan', 'custom'));
  const backup = `${temporaryDataDir()}/before`;
  await admin(dataDir, 'backup', backup);
  installed.switchTo('2.1.0');
  const warned = await runAdminProcess(dataDir, ['doctor'], settings, installed.programs.admin);
  assert.match(warned.out, new RegExp(`\\(migration ${newest}\\); the next start upgrades it to ${newest + 1}`));
  assert.match(warned.out, /Take a backup first: bin\/slipstream-admin backup FOLDER/, 'there is no npm on a server');
  await old.end('SIGTERM');
  const upgraded = await start();
  await upgraded.end('SIGTERM');
  installed.switchTo('2.0.0');
  await assert.rejects(start(), new RegExp(`at migration ${newest + 1}, but this version .* knows only ${newest}`));
  const restored = temporaryDataDir();
  await admin(restored, 'restore', backup);
  const again = await start(restored);
  t.after(() => again.end('SIGKILL'));
  assert.equal((await (await ApiClient.open(again.address, account)).call('GET', '/usage')).status, 200);
  assert.equal(await again.end('SIGTERM'), 0);
});

test('a service whose folder is removed delivers on; what needs its files fails or is tried again until they are back', async (t) => {
  installed.install('3.0.0');
  installed.switchTo('3.0.0');
  const [main, node] = ['workers/main.ts', 'node_modules/.bin/node'].map((path) => join(installed.link, path));
  const killer = fileURLToPath(new URL('../../bench/load/crash-shards.ts', import.meta.url));
  const { receiver, service, scene } = await stage(t, {
    ...installed.programs,
    service: [node!, '--import', killer, main!],
  });
  const created = await service.admin(['account', 'create', '--email', 'b@example.org', '--plan', 'custom']);
  const api = await ApiClient.open(service.address, JSON.parse(created));
  await replayUnderWay(scene, receiver);
  installed.remove('3.0.0');

  await replayUnderWay(scene, receiver);
  for (const file of ['docs', 'docs/swagger-ui-bundle.js', 'v1/openapi.json', 'verify-email', 'healthz', 'readyz'])
    assert.equal((await fetch(`${service.address}/${file}`)).status, 200, file);
  await api.call('POST', '/simulate/prepare', { sessionId: 'demo-race' });
  // It fails unless the thread that prepared the other session still runs, for ten seconds.
  await api.until('/simulate/status?session=demo-race', ({ data }) => /^(?:failed|ready)$/.test(data.status));
  const kill: Kill = { kind: 'shard', atMs: now() };
  service.killShard();
  const unready = (what: string) => async (): Promise<boolean> =>
    (await (await fetch(`${service.address}/readyz`)).text()).includes(what);
  await eventually('the shard is missed', unready('is being restarted'));
  await service.killPostgres();
  await eventually('the database is missed', unready('the database cannot be reached'));
  assert.equal((await fetch(`${service.address}/healthz`)).status, 200);

  installed.install('3.0.0');
  await eventually('the service is ready', async () => (await fetch(`${service.address}/readyz`)).status === 200);
  await api.call('POST', '/simulate/prepare', { sessionId: 'demo-race' });
  await api.until('/simulate/status?session=demo-race', ({ data }) => data.status === 'ready');
  await endAndJudge(t, { receiver, service, scene }, [kill, { kind: 'postgres', atMs: now() }]);
});
