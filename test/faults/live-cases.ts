// A live session of fifty frames a second that a source feeds to the nodes of a cluster, with 300 endpoints: they get what those
// of a service alone get, byte for byte, also when the node that is fed is killed.

import { setTimeout as pause } from 'node:timers/promises';
import { createAccount } from '#api/accounts/account-creation.ts';
import { systemClock } from '#engine/base/clock.ts';
import { NODE_SLOTS_MAX } from '#engine/base/limits.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { deliveryIdPrefix } from '#engine/delivery/sign/delivery-headers.ts';
import { LiveSession } from '#engine/intake/live/live-session.ts';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { openSource } from '#engine/intake/source/open-source.ts';
import { slotOf } from '#engine/nodes/slots.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { parseDatabaseUrl } from '#engine/storage/connection-settings.ts';
import { connect, type Sql } from '#engine/storage/postgres-client.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import { type ClusterProcesses, startCluster } from '#test/support/cluster-processes.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { followSessions } from '#test/support/live-sessions.ts';
import { eventually } from '#test/support/patience.ts';
import { ApiClient, type ServiceProcess, startService } from '#test/support/service-process.ts';
import type { CaseOptions, Outcome } from './fault-case.ts';
import { Feeder } from './feeder.ts';
import { type Arrival, type Hit, Ledger } from './ledger.ts';
import { newestLogNo, recordLog, startedEarlyInLog } from './ledger-of-log.ts';
import { LiveReceivers } from './live-receivers.ts';

type Env = Readonly<Record<string, string>>;

/** By endpoint. */
interface Audience {
  readonly accountIds: readonly string[];
  readonly webhookIds: readonly string[];
}

const SESSION = '2026-live-race';
const FRAMES = 1_250;
const FRAMES_PER_SECOND = 50;
const ACCOUNTS = 12;
const ENDPOINTS_PER_ACCOUNT = 25;
const KILLED_AT_FRAME = 500;
const LAST_RECORD_MS = 1_000;
const LONG_MS = 60_000;
const ON_AGAIN_MS_MAX = 5_000;
const COPY = 'alone';

export function fedAtAnyNode(options: CaseOptions): Promise<Outcome> {
  return fed(options, FRAMES_PER_SECOND, async () => null);
}

/** A single request feeds one node until that is killed. */
export function fedNodeKilled(options: CaseOptions): Promise<Outcome> {
  return fed(options, FRAMES, async ({ nodes }, sql, feeder) => {
    await eventually('frames before the kill', () => feeder.sent >= KILLED_AT_FRAME, LONG_MS);
    const atMs = performance.now();
    nodes[0]!.process.kill('SIGKILL');
    options.progress('the node that is fed is killed');
    await pause(LAST_RECORD_MS);
    return { home: 0, atMs, untilMs: performance.now(), logNo: await newestLogNo(sql) };
  });
}

async function fed(
  { nodes, recording, progress }: CaseOptions,
  framesPerRequest: number,
  during: (cluster: ClusterProcesses, sql: Sql, feeder: Feeder) => Promise<Hit | null>,
): Promise<Outcome> {
  const ends: (() => unknown)[] = [];
  const frames = (recording === 'demo' ? [...demoSessionFrames()] : [...openSource(recording).frames()]).slice(
    0,
    FRAMES,
  );
  const receivers = new LiveReceivers(bodiesOf(frames));
  const feederOf = (services: readonly ServiceProcess[]): Feeder =>
    new Feeder({
      nodes: () => services.filter(isAlive).map(({ operators }) => operators),
      sessionId: SESSION,
      frames,
      framesPerSecond: FRAMES_PER_SECOND,
      framesPerRequest,
    });
  try {
    let audience: Audience = { accountIds: [], webhookIds: [] };
    let alone: readonly number[][] = [];
    const cluster = await startCluster({ after: (end) => void ends.push(end) }, nodes, async (dataDir, env) => {
      const { CLUSTER, CLUSTER_ADDRESS, ...envAlone } = env;
      audience = await makeAudience(dataDir, envAlone, receivers);
      const service = await startService(temporaryDataDir(), await onCopy(envAlone));
      progress('a service alone is fed');
      receivers.expect(prefixesOf(audience));
      await feederOf([service]).run();
      await eventually('all updates from a service alone', () => receivers.missing === 0, LONG_MS);
      await service.end('SIGKILL');
      if (receivers.wrong > 0) throw new Error(`${receivers.wrong} deliveries of a service alone are wrong`);
      alone = receivers.ofEndpoint.map(orderOf);
    });
    const { accountIds, webhookIds } = audience;
    const sql = cluster.database.connect(2);
    const owners = await sharedSlots(sql, nodes);
    progress('a cluster is fed');
    receivers.expect(prefixesOf(audience));
    const feeder = feederOf(cluster.nodes);
    const [hit] = await Promise.all([during(cluster, sql, feeder), feeder.run()]);
    await eventually('all updates', () => receivers.missing === 0, LONG_MS);
    const distinct = webhookIds.length * receivers.updates;
    await eventually('all of usage', async () => (await usedAttempts(sql)) >= distinct, LONG_MS);
    const used = await usedAttempts(sql);
    const ledger = new Ledger(receivers.ofEndpoint);
    await recordLog(ledger, sql, webhookIds);
    const homeOf = (endpoint: number): number => owners[slotOf(accountIds[endpoint]!)]! - 1;
    const { logged, loggedTwice, unrecorded, wronglyRepeated } = ledger.counts(hit, homeOf);
    const onMs = hit === null ? Number.NaN : onAgainAfter(receivers.ofEndpoint, hit.atMs);
    const left = cluster.nodes.filter((node) => node.output().includes('other updates of a live session')).length;
    const order = receivers.ofEndpoint.map(orderOf);
    const early = await startedEarlyInLog(sql);
    const figures = {
      ...(hit !== null && { 'all endpoints go on after, ms': onMs, 'it had sent and not recorded': unrecorded }),
      'requests of the source that ended well': feeder.requests,
      endpoints: webhookIds.length,
      updates: receivers.updates,
      received: distinct,
      repeated: receivers.ofEndpoint.reduce((sum, arrivals) => sum + arrivals.length, -distinct),
      logged,
      used,
      'started before an earlier update': early,
      'came before an earlier update': sumOf(order, overtaken),
      'the same, of a service alone': sumOf(alone, overtaken),
    };
    const problems = [
      ...(onMs > ON_AGAIN_MS_MAX ? ['on more than 5 s after the kill'] : []),
      ...(receivers.wrong > 0 ? [`${receivers.wrong} deliveries have another body or id than they should`] : []),
      ...(wronglyRepeated > 0 ? [`${wronglyRepeated} repetitions should not be`] : []),
      ...(logged === distinct && used === distinct && loggedTwice === 0
        ? []
        : [`received ${distinct}, in the log ${logged}, ${loggedTwice} of them twice, in usage ${used}`]),
      ...(early > 0 ? [`${early} first attempts started before one of an earlier update`] : []),
      ...(left > 0 ? [`${left} nodes made other updates`] : []),
    ];
    return { figures, problems };
  } finally {
    for (const end of ends.reverse()) await end();
    receivers.close();
  }
}

/** What is published of these frames. */
function bodiesOf(frames: readonly Frame[]): Buffer[] {
  const { sessions } = followSessions(temporaryDataDir());
  const session = sessions.begin({ sessionId: SESSION, seriesId: 'f1', origin: 'ingest' }, frames[0]!.utcMs);
  if (!(session instanceof LiveSession)) throw new Error(String(session));
  for (const frame of frames) session.take(frame, 0);
  const { timeline } = new LiveTimeline(session.memory);
  return Array.from({ length: timeline.length }, (_, position) => Buffer.from(timeline.body(position)));
}

/** Accounts and endpoints in the database of `env`, which nobody uses afterwards. */
async function makeAudience(dataDir: string, env: Env, receivers: LiveReceivers): Promise<Audience> {
  const service = await startService(dataDir, env);
  const sql = connect(parseDatabaseUrl(env.DATABASE_URL!), { max: 1, name: 'accounts', clock: systemClock });
  const secretBox = new SecretBox(env.SECRET_KEY!, systemRandomBytes);
  const accountIds: string[] = [];
  const webhookIds: string[] = [];
  for (let made = 0; made < ACCOUNTS; made++) {
    const account = await createAccount(
      { email: `a${made}@example.org`, plan: 'custom' },
      { sql, secretBox, clock: systemClock },
    );
    const api = await ApiClient.open(service.address, { ...account });
    for (let index = 0; index < ENDPOINTS_PER_ACCOUNT; index++) {
      const webhookUrl = receivers.url(webhookIds.length);
      const { status, body } = await api.call('POST', '/webhooks', { webhookUrl, feedIds: ['*'] });
      if (status !== 201) throw new Error(JSON.stringify(body));
      accountIds.push(account.accountId);
      webhookIds.push(body.data.webhookId);
    }
  }
  await sql.end();
  await service.end('SIGTERM');
  return { accountIds, webhookIds };
}

/** Settings with a copy of the database of these. */
async function onCopy(env: Env): Promise<Env> {
  const settings = parseDatabaseUrl(env.DATABASE_URL!);
  const sql = connect({ ...settings, database: 'template1' }, { max: 1, name: 'copying', clock: systemClock });
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${settings.database}`;
  await sql`create database ${sql(COPY)} template ${sql(settings.database)}`;
  await sql.end();
  return { ...env, DATABASE_URL: env.DATABASE_URL!.replace(`/${settings.database}?`, `/${COPY}?`) };
}

function prefixesOf({ webhookIds }: Audience): string[] {
  return webhookIds.map((webhookId) => deliveryIdPrefix('live', SESSION, webhookId));
}

/** The node of each slot, when each has its share. */
async function sharedSlots(sql: Sql, nodes: number): Promise<number[]> {
  return eventually(
    'a share of slots for each node',
    async () => {
      const rows = await sql<{ node: number }[]>`select coalesce(node_no, 0) as node from cluster_slot order by slot`;
      const owners = rows.map(({ node }) => node);
      const counts = Array.from({ length: nodes }, (_, place) => owners.filter((owner) => owner === place + 1).length);
      return Math.min(...counts) >= Math.floor(NODE_SLOTS_MAX / nodes) ? owners : null;
    },
    LONG_MS,
  );
}

async function usedAttempts(sql: Sql): Promise<number> {
  const [row] = await sql<{ used: number }[]>`select coalesce(sum(attempts), 0)::int as used from usage`;
  return row!.used;
}

function isAlive({ process: { exitCode, signalCode } }: ServiceProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** Sequences in the order of their first arrival. */
function orderOf(arrivals: readonly Arrival[]): number[] {
  return [...new Set(arrivals.map(({ sequence }) => sequence))];
}

/** How many came after one with a higher sequence. */
function overtaken(order: readonly number[]): number {
  let highest = 0;
  let count = 0;
  for (const sequence of order) {
    if (sequence < highest) count++;
    highest = Math.max(highest, sequence);
  }
  return count;
}

function sumOf(orders: readonly (readonly number[])[], count: (order: readonly number[]) => number): number {
  return orders.reduce((sum, order) => sum + count(order), 0);
}

/** How long after this moment the last endpoint went on after its longest pause. */
function onAgainAfter(ofEndpoint: readonly (readonly Arrival[])[], sinceMs: number): number {
  let onMs = sinceMs;
  for (const arrivals of ofEndpoint) {
    const times = [sinceMs, ...arrivals.map(({ atMs }) => atMs).filter((atMs) => atMs > sinceMs)];
    let [longestMs, endedMs] = [0, sinceMs];
    for (let index = 1; index < times.length; index++) {
      const lastedMs = times[index]! - times[index - 1]!;
      if (lastedMs > longestMs) [longestMs, endedMs] = [lastedMs, times[index]!];
    }
    onMs = Math.max(onMs, endedMs);
  }
  return onMs - sinceMs;
}
