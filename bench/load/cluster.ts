// What a cluster costs and gives on one machine: deliveries of two nodes and of one, and a request that is passed on.
//
// Measured: two nodes with one delivery thread each share one PostgreSQL. Two accounts, one at home on each, replay the
// built-in race at ten times its speed to more endpoints than the machine can serve; what usage counts in ten seconds. One
// node does the same for two other accounts: in odd rounds after the second node has left, in even rounds before it joins. With
// nothing else to do, one account asks for a session at its home and at the other node in turn: the way there over TLS, and back.
//
// Not measured: nodes with cores of their own, a network between them.
//
// Counted, and must be zero: deliveries that came twice or were wrongly signed, and a difference of log and usage.
//
// How to read: receiver, PostgreSQL and all nodes share the machine, so two nodes can give no more than one, and should give
// no less. Results: docs/scaling.md.

import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createAccount } from '#api/accounts/account-creation.ts';
import { systemClock } from '#engine/base/clock.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { DEMO_SESSION_ID } from '#engine/intake/source/demo-session/demo-session.ts';
import { slotOf } from '#engine/nodes/slots.ts';
import type { Database } from '#engine/storage/database.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { ApiClient, type Credentials } from '#workers/demo/api-client.ts';
import { ServiceProcess } from '#workers/demo/service-process.ts';
import { createLog } from '#workers/log.ts';
import { benchFolder, openBenchDatabase } from '../engines/bench-database.ts';
import { type Receiver, startReceiver } from '../receivers/receiver-process.ts';
import { loggedCount } from '../suite/logged-attempts.ts';
import { quantile } from '../suite/quantiles.ts';
import type { BenchResult } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';

export const help = `npm run bench -- cluster [options]

Two nodes on one PostgreSQL replay the built-in race at ten times its speed to more endpoints than this machine can serve; one
node does it for as many, after them or, in each second round, before. And what a request costs that the other node passes on to its account's home.

  --endpoints N   endpoints of each of the two accounts (default 300)
  --seconds N     how long deliveries are counted (default 10)
  --requests N    requests each way (default 500)
  --rounds N      rounds (default 4)`;

export const smoke = ['--endpoints', '2', '--seconds', '1', '--requests', '3', '--rounds', '1'];

const SECRET_KEY = 'a secret of all nodes of the bench';
const SPEED = 10;
const POLL_MS = 50;
const WAIT_MS_MAX = 60_000;
const SLOTS = 256;

interface Options {
  readonly endpoints: number;
  readonly seconds: number;
  readonly requests: number;
}

interface Customer {
  readonly credentials: Credentials;
  /** The place of the node that it is at home on. */
  readonly home: number;
}

interface Round {
  readonly two: number;
  readonly one: number;
  readonly homeMs: readonly number[];
  readonly passedMs: readonly number[];
  readonly faults: { readonly doubled: number; readonly wronglySigned: number; readonly unrecorded: number };
}

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      endpoints: { type: 'string', default: '300' },
      seconds: { type: 'string', default: '10' },
      requests: { type: 'string', default: '500' },
      rounds: { type: 'string', default: '4' },
    },
  });
  const options = {
    endpoints: wholeNumber('--endpoints', values.endpoints),
    seconds: wholeNumber('--seconds', values.seconds),
    requests: wholeNumber('--requests', values.requests),
  };
  const count = wholeNumber('--rounds', values.rounds);
  const rounds: Round[] = [];
  for (let round = 1; round <= count; round++) {
    const played = await play(options, round % 2 === 0);
    rounds.push(played);
    progress(
      `round ${round}: two nodes ${played.two.toFixed(0)}/s, one ${played.one.toFixed(0)}/s, ` +
        `a request ${quantile(played.homeMs, 0.5).toFixed(2)} ms at home, ${quantile(played.passedMs, 0.5).toFixed(2)} ms passed on`,
    );
  }
  const of = (value: (round: Round) => number): number[] => rounds.map(value);
  const sum = (value: (round: Round) => number): number => of(value).reduce((total, one) => total + one, 0);
  return {
    bench: 'cluster',
    parameters: { ...options, rounds: count },
    measurements: [
      { name: 'deliveries, two nodes', unit: '/s', better: 'higher', samples: of(({ two }) => two) },
      { name: 'deliveries, one node', unit: '/s', better: 'higher', samples: of(({ one }) => one) },
      { name: 'two nodes to one', unit: 'x', better: 'higher', samples: of(({ two, one }) => two / one), target: 1 },
      ...([0.5, 0.99] as const).flatMap((share) => [
        {
          name: `request at home, p${share * 100}`,
          unit: 'ms' as const,
          better: 'lower' as const,
          samples: of(({ homeMs }) => quantile(homeMs, share)),
        },
        {
          name: `request passed on, p${share * 100}`,
          unit: 'ms' as const,
          better: 'lower' as const,
          samples: of(({ passedMs }) => quantile(passedMs, share)),
        },
      ]),
    ],
    plots: [],
    faults: {
      doubled: sum(({ faults }) => faults.doubled),
      wronglySigned: sum(({ faults }) => faults.wronglySigned),
      unrecorded: sum(({ faults }) => faults.unrecorded),
    },
    notes: [],
  };
}

async function play(options: Options, isOneFirst: boolean): Promise<Round> {
  const folder = benchFolder();
  const database = await openBenchDatabase(folder, createLog('warn', {}));
  const sql = database.connect(2);
  const nodes: ServiceProcess[] = [];
  const receiver = await startReceiver();
  try {
    const startNext = async () => nodes.push(await startNode(join(folder, `node-${nodes.length}`), database));
    const onOne = async () => {
      await evenShares(sql, nodes.length);
      const customers = [await customerOf(sql, 0, 'a'), await customerOf(sql, 0, 'b')];
      return deliver(sql, receiver, nodes, customers, options);
    };
    const onTwo = async () => {
      await startNext();
      await evenShares(sql, nodes.length);
      const customers = [await customerOf(sql, 0, 'c'), await customerOf(sql, 1, 'd')];
      const times = await requests(nodes, customers[0]!, options.requests);
      const delivered = await deliver(sql, receiver, nodes, customers, options);
      await nodes.pop()!.stop();
      return { ...delivered, ...times };
    };
    await startNext();
    const before = isOneFirst ? await onOne() : null;
    const two = await onTwo();
    const one = before ?? (await onOne());
    const last = isOneFirst ? two : one;
    return {
      two: two.rate,
      one: one.rate,
      homeMs: two.homeMs,
      passedMs: two.passedMs,
      faults: {
        doubled: two.doubled + one.doubled,
        wronglySigned: two.wronglySigned + one.wronglySigned,
        unrecorded: Math.abs(last.logged - last.used),
      },
    };
  } finally {
    for (const node of nodes) await node.stop();
    await receiver.end();
    await database.close();
  }
}

async function startNode(dataDir: string, { connection }: Database): Promise<ServiceProcess> {
  const { host, port, user, database } = connection;
  return ServiceProcess.start(dataDir, new AbortController().signal, {
    DATABASE_URL: `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    SECRET_KEY,
    CLUSTER: 'on',
    CLUSTER_ADDRESS: `127.0.0.1:${await freePort()}`,
    SHARDS: '1',
  });
}

/** Waits until this many nodes have as many slots each. */
async function evenShares(sql: Sql, nodes: number): Promise<void> {
  await eventually('an even share of slots', async () => {
    const shares = await sql<{ slots: number }[]>`
      select count(*)::int as slots from cluster_slot where node_no is not null group by node_no`;
    return shares.length === nodes && shares.every(({ slots }) => slots === SLOTS / nodes);
  });
}

/** An account at home on the node that was started as the first one or the second. */
async function customerOf(sql: Sql, home: number, name: string): Promise<Customer> {
  const secretBox = new SecretBox(SECRET_KEY, systemRandomBytes);
  const rows = await sql<{ node: number }[]>`
    select dense_rank() over (order by node_no)::int - 1 as node from cluster_slot order by slot`;
  // Accounts get their slots by chance.
  for (let tries = 0; ; tries++) {
    const email = `${name}${tries}@example.org`;
    const credentials = await createAccount({ email, plan: 'custom' }, { sql, secretBox, clock: systemClock });
    if (rows[slotOf(credentials.accountId)]!.node === home) return { credentials, home };
  }
}

async function clientOf(node: ServiceProcess, { credentials }: Customer): Promise<ApiClient> {
  const api = new ApiClient(node.address, new AbortController().signal);
  await api.signIn(credentials);
  return api;
}

/** How long the same request takes at its home and over the other node, in turn; ascending. */
async function requests(nodes: readonly ServiceProcess[], customer: Customer, count: number) {
  const home = await clientOf(nodes[customer.home]!, customer);
  const other = await clientOf(nodes[1 - customer.home]!, customer);
  const [homeMs, passedMs]: [number[], number[]] = [[], []];
  for (let index = 0; index < count; index++) {
    for (const [api, times] of [
      [home, homeMs],
      [other, passedMs],
    ] as const) {
      const startedMs = performance.now();
      await api.session(DEMO_SESSION_ID);
      times.push(performance.now() - startedMs);
    }
  }
  return { homeMs: homeMs.sort((a, b) => a - b), passedMs: passedMs.sort((a, b) => a - b) };
}

/** Replays of both accounts, each asked for at its home; what usage counts meanwhile. */
async function deliver(
  sql: Sql,
  receiver: Receiver,
  nodes: readonly ServiceProcess[],
  customers: readonly Customer[],
  { endpoints, seconds }: Options,
) {
  const apis = await Promise.all(customers.map((customer) => clientOf(nodes[customer.home]!, customer)));
  const secrets: string[] = [];
  for (const api of apis) {
    for (let index = 0; index < endpoints; index++) {
      const webhookUrl = `${receiver.origin}/${secrets.length}`;
      secrets.push((await api.createWebhook({ webhookUrl, feedIds: ['*'] })).webhookSecret);
    }
  }
  await apis[0]!.prepare(DEMO_SESSION_ID);
  await eventually('the session', async () => {
    const states = await Promise.all(apis.map((api) => api.preparation(DEMO_SESSION_ID)));
    return states.every(({ status }) => status === 'ready');
  });
  await receiver.expect(secrets, (await apis[0]!.session(DEMO_SESSION_ID)).updateCount);
  const runs = await Promise.all(apis.map((api) => api.startRun(DEMO_SESSION_ID, SPEED)));
  // Until connections are open and everybody is behind.
  await pause(seconds * 500);
  const [before, startedMs] = [await recorded(sql), performance.now()];
  await pause(seconds * 1_000);
  const [after, endedMs] = [await recorded(sql), performance.now()];
  for (const [index, { runId }] of runs.entries()) await apis[index]!.stopRun(runId);
  await eventually('the end of the runs', async () => {
    const states = await Promise.all(apis.map((api, index) => api.run(runs[index]!.runId)));
    return states.every(({ state }) => state === 'stopped' || state === 'completed');
  });
  const { doubled, wronglySigned } = await receiver.report();
  const rate = ((after.used - before.used) * 1_000) / (endedMs - startedMs);
  return { rate, doubled, wronglySigned, ...(await recorded(sql)) };
}

async function recorded(sql: Sql): Promise<{ logged: number; used: number }> {
  const [row] = await sql<{ logged: number; used: number }[]>`
    select ${loggedCount(sql)} as logged, (select coalesce(sum(attempts), 0)::int from usage) as used`;
  return row!;
}

async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; !(await isSo()); waitedMs += POLL_MS) {
    if (waitedMs >= WAIT_MS_MAX) throw new Error(`did not happen: ${what}`);
    await pause(POLL_MS);
  }
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
