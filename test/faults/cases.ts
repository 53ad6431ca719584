// The faults of a cluster and its database: each case is done to a stage under load, and says what came of it.

import { setTimeout as pause } from 'node:timers/promises';
import { NODE_LEASE_MS } from '#engine/base/limits.ts';
import { eventually } from '#test/support/patience.ts';
import { ReplicatedServers } from '#test/support/replicated-servers.ts';
import type { CaseOptions, FaultCase, Outcome } from './fault-case.ts';
import type { Hit } from './ledger.ts';
import { fedAtAnyNode, fedNodeKilled } from './live-cases.ts';
import { PatroniServers } from './patroni-servers.ts';
import { restoreProblems } from './restored.ts';
import { Stage } from './stage.ts';

/** Until replays of the recording are at their pace, and as long as LOOK_MS. */
const WARM_MS = 15_000;
const LOOK_MS = 10_000;
const AFTERWARDS_MS = 8_000;
const OUTAGE_MS = 20_000;
const RESTART_MS = 5_000;
const CUT_MS = 30_000;
const BACK_MS = 20_000;
const ON_AGAIN_MS_MAX = 3_000;
const PATRONI_KILLS = 2;
const OTHERS_P99_RATIO_MAX = 1.5;
const OTHERS_GAP_MS_MAX = 250;
/** When a node that is cut off or dead has recorded its last, and nobody else has recorded for it. */
const LAST_RECORD_MS = 1_000;

export const CASES: Readonly<Record<string, FaultCase>> = {
  patroni: {
    summary: "Debian's Patroni, etcd and three PostgreSQL; the primary is killed twice, with its Patroni",
    run: patroni,
  },
  killed: {
    summary: 'PostgreSQL is killed and started again five seconds later',
    run: (options) =>
      ofDatabase(options, async (servers) => {
        await servers.kill(0);
        await pause(RESTART_MS);
        const backMs = performance.now();
        await servers.restart(0);
        return backMs;
      }),
  },
  stopped: {
    summary: 'PostgreSQL stands still for twenty seconds',
    run: (options) =>
      ofDatabase(options, async (servers) => {
        servers.freeze(0);
        await pause(OUTAGE_MS);
        servers.thaw(0);
        return performance.now();
      }),
  },
  promoted: {
    summary: 'PostgreSQL stands still, and its synchronous standby is promoted by hand five seconds later',
    run: (options) =>
      ofDatabase(options, async (servers) => {
        servers.freeze(0);
        await pause(RESTART_MS);
        await servers.promote(1);
        return performance.now();
      }),
  },
  'node-killed': {
    summary: 'a node is killed: its accounts, and what the accounts of the other nodes notice',
    run: (options) => ofNode(options, (stage) => void stage.nodes[0]!.service.process.kill('SIGKILL'), null),
  },
  'node-stopped': {
    summary: 'a node stands still for thirty seconds, and wakes up',
    run: (options) =>
      ofNode(
        options,
        (stage) => void stage.nodes[0]!.service.process.kill('SIGSTOP'),
        (stage) => void stage.nodes[0]!.service.process.kill('SIGCONT'),
      ),
  },
  'node-cut': {
    summary: 'a node is cut from PostgreSQL for thirty seconds',
    run: (options) =>
      ofNode(
        options,
        (stage) => stage.nodes[0]!.databaseLinks.forEach((link) => void link.cut()),
        (stage) => stage.nodes[0]!.databaseLinks.forEach((link) => void link.heal()),
      ),
  },
  backup: {
    summary: 'a backup from one node is restored into a single service, which has everything',
    run: (options) =>
      replicated(options, false, async () => ({ figures: {}, problems: [], hit: null }), restoreProblems),
  },
  'fed-at-any-node': {
    summary: 'a source of a live session sends to another node each second: the same arrives as from a service alone',
    run: fedAtAnyNode,
  },
  'fed-node-killed': {
    summary: 'the node that a source of a live session sends to is killed, and it goes on at another one',
    run: fedNodeKilled,
  },
  'nodes-cut': { summary: 'all nodes are cut from each other for thirty seconds', run: nodesCut },
};

async function patroni(options: CaseOptions): Promise<Outcome> {
  PatroniServers.check();
  options.progress('starting etcd, Patroni and PostgreSQL');
  const servers = await PatroniServers.start();
  try {
    return await staged(servers.url, options, false, async (stage) => {
      const figures: Record<string, number> = {};
      const problems: string[] = [];
      for (let kill = 1; kill <= PATRONI_KILLS; kill++) {
        const primary = await servers.settledPrimary();
        const { moves } = await stage.homes();
        const atMs = performance.now();
        servers.kill(primary);
        options.progress(`kill ${kill}: the primary is gone`);
        const writesMs = await servers.takesWrites(primary);
        await pause(AFTERWARDS_MS);
        const onMs = onAgain(stage, atMs);
        figures[`kill ${kill}: new primary takes writes after, ms`] = writesMs - atMs;
        figures[`kill ${kill}: all accounts deliver after, ms`] = onMs - atMs;
        figures[`kill ${kill}: later than the primary, ms`] = onMs - writesMs;
        options.progress(
          `kill ${kill}: a primary after ${Math.round(writesMs - atMs)} ms, on after ${Math.round(onMs - atMs)} ms`,
        );
        if (onMs - writesMs > ON_AGAIN_MS_MAX) problems.push(`kill ${kill}: on more than 3 s after the new primary`);
        const moved = (await stage.homes()).moves - moves;
        if (moved > 0) problems.push(`kill ${kill}: ${moved} slots moved`);
        servers.restart(primary);
      }
      await servers.settledPrimary();
      return { figures, problems, hit: null };
    });
  } finally {
    await servers.close();
  }
}

/** `outage` returns when the database was there again, on the monotonic clock. */
async function ofDatabase(
  options: CaseOptions,
  outage: (servers: ReplicatedServers) => Promise<number>,
): Promise<Outcome> {
  return replicated(options, false, async (stage, servers) => {
    const { moves } = await stage.homes();
    const atMs = performance.now();
    const backMs = await outage(servers);
    options.progress('the database is back');
    await pause(AFTERWARDS_MS);
    const onMs = onAgain(stage, atMs);
    stage.reconnect();
    const moved = (await stage.homes()).moves - moves;
    const problems = [
      ...(onMs - backMs > ON_AGAIN_MS_MAX ? ['on more than 3 s after the database'] : []),
      ...(moved > 0 ? [`${moved} slots moved`] : []),
    ];
    const figures = { 'database away, ms': backMs - atMs, 'all accounts deliver after it is back, ms': onMs - backMs };
    return { figures, problems, hit: null };
  });
}

/** The first node is hit; `heal` null: it is dead. Afterwards it is started again, as systemd does. */
async function ofNode(
  options: CaseOptions,
  hit: (stage: Stage) => void,
  heal: ((stage: Stage) => void) | null,
): Promise<Outcome> {
  return replicated(options, true, async (stage) => {
    const others = stage.nodes.map((_, place) => place).slice(1);
    const { service } = stage.nodes[0]!;
    const pid = service.process.pid!;
    const atMs = performance.now();
    const before = stage.lags(atMs - LOOK_MS, atMs, others);
    const gapBefore = longest(stage, atMs - LOOK_MS, atMs, others);
    hit(stage);
    options.progress('the node is hit');
    await pause(LAST_RECORD_MS);
    const hitNode: Hit = { home: 0, atMs, untilMs: performance.now(), logNo: await stage.newestLogNo() };
    await pause(LOOK_MS - LAST_RECORD_MS);
    const lookedMs = performance.now();
    const after = stage.lags(atMs, lookedMs, others);
    const gapAfter = longest(stage, atMs, lookedMs, others);
    const onMs = Math.max(...stage.pauses(atMs, lookedMs, [0]).map(({ endedMs }) => endedMs)) - atMs;
    if (heal !== null) {
      await pause(CUT_MS - LOOK_MS);
      heal(stage);
      options.progress('it is healed');
      await eventually('the end of the node that was replaced', () => service.process.exitCode !== null, BACK_MS);
    }
    const tooLate = stage.sentBy(pid, atMs + NODE_LEASE_MS);
    await stage.restart(0);
    await eventually('all nodes', async () => (await stage.live()) === stage.nodes.length, BACK_MS);
    await pause(AFTERWARDS_MS);
    const ratio = after.p99 / before.p99;
    const figures = {
      'its accounts deliver again after, ms': onMs,
      'it sent after its lease': tooLate,
      "others' p99 before, ms": before.p99,
      "others' p99 after, ms": after.p99,
      "others' p99, ratio": ratio,
      "others' longest lag after, ms": after.most,
      "others' longest gap before, ms": gapBefore,
      "others' longest gap after, ms": gapAfter,
    };
    const problems = [
      ...(tooLate > 0 ? [`${tooLate} sent without a lease`] : []),
      ...(ratio > OTHERS_P99_RATIO_MAX ? ["the others' p99 is more than 1.5 times that of before"] : []),
      ...(gapAfter > OTHERS_GAP_MS_MAX ? ["a gap of others' deliveries is longer than 250 ms"] : []),
    ];
    return { figures, problems, hit: hitNode };
  });
}

async function nodesCut(options: CaseOptions): Promise<Outcome> {
  return replicated(options, true, async (stage) => {
    const all = stage.nodes.map((_, place) => place);
    const links = stage.nodes.flatMap(({ peerLink }) => (peerLink === null ? [] : [peerLink]));
    const account = stage.accounts.find(({ home }) => home === 0)!;
    const elsewhere = account.api.at(stage.nodes[1]!.service.address);
    const { moves } = await stage.homes();
    const atMs = performance.now();
    for (const link of links) link.cut();
    options.progress('the nodes are cut from each other');
    const askedMs = performance.now();
    const refused = (await elsewhere.call('GET', '/webhooks')).status;
    const refusedMs = performance.now() - askedMs;
    const atHome = (await account.api.call('GET', '/webhooks')).status;
    await pause(CUT_MS - (performance.now() - atMs));
    for (const link of links) link.heal();
    const healedMs = performance.now();
    await eventually(
      'an answer over the other node',
      async () => (await elsewhere.call('GET', '/webhooks')).status === 200,
      BACK_MS,
    );
    const answeredMs = performance.now() - healedMs;
    const gap = longest(stage, atMs, healedMs, all);
    await pause(AFTERWARDS_MS);
    const moved = (await stage.homes()).moves - moves;
    const problems = [
      ...(refused === 503 ? [] : [`a request over a node that is cut off got ${refused}`]),
      ...(atHome === 200 ? [] : [`a request at home got ${atHome}`]),
      ...(moved > 0 ? [`${moved} slots moved`] : []),
      ...(gap > OTHERS_GAP_MS_MAX ? ['a gap of deliveries is longer than 250 ms'] : []),
    ];
    const figures = {
      'refused over another node after, ms': refusedMs,
      'answered over it after the cut, ms': answeredMs,
      'longest gap, ms': gap,
    };
    return { figures, problems, hit: null };
  });
}

interface Done extends Outcome {
  /** The node whose unrecorded deliveries come again. Null: nothing may come again. */
  readonly hit: Hit | null;
}

async function replicated(
  options: CaseOptions,
  hasLinks: boolean,
  act: (stage: Stage, servers: ReplicatedServers) => Promise<Done>,
  afterwards?: (stage: Stage) => Promise<string[]>,
): Promise<Outcome> {
  const servers = await ReplicatedServers.start();
  try {
    return await staged(servers.url(), options, hasLinks, (stage) => act(stage, servers), afterwards);
  } finally {
    await servers.close();
  }
}

async function staged(
  url: string,
  options: CaseOptions,
  hasLinks: boolean,
  act: (stage: Stage) => Promise<Done>,
  /** Called when all runs have ended. Returns what is wrong. */
  afterwards: (stage: Stage) => Promise<readonly string[]> = async () => [],
): Promise<Outcome> {
  const stage = await Stage.start(url, { ...options, hasLinks }, options.progress);
  try {
    await pause(WARM_MS);
    const { figures, problems, hit } = await act(stage);
    const { lost, delivered, used, sums } = await stage.end();
    const ledger = await stage.ledger(hit);
    const { distinct, repeated } = stage.arrivals;
    const { logged, unrecorded } = ledger;
    const counts = {
      ...(hit !== null && { 'it had sent and not recorded': unrecorded }),
      received: distinct,
      lost,
      repeated,
      logged,
      used,
    };
    const wrong = [
      ...(lost > 0 ? [`${lost} lost`] : []),
      ...(ledger.wronglyRepeated > 0 ? [`${ledger.wronglyRepeated} of ${repeated} repetitions should not be`] : []),
      ...(ledger.unreceived > 0 ? [`${ledger.unreceived} are in the log and were not received`] : []),
      ...(ledger.loggedTwice > 0 ? [`${ledger.loggedTwice} are in the log twice`] : []),
      ...(ledger.recordedTooEarly > 0 ? [`${ledger.recordedTooEarly} were recorded before they were received`] : []),
      ...(logged === distinct && used === distinct && delivered === distinct
        ? []
        : [`received ${distinct}, delivered ${delivered}, in the log ${logged}, in usage ${used}`]),
      ...(sums > 0 ? [`the sums of ${sums} endpoints are wrong`] : []),
    ];
    const later = await afterwards(stage);
    return { figures: { ...figures, ...counts }, problems: [...problems, ...wrong, ...later] };
  } finally {
    await stage.close();
  }
}

/** When the last account went on after its longest pause. */
function onAgain(stage: Stage, atMs: number): number {
  const all = stage.nodes.map((_, place) => place);
  return Math.max(...stage.pauses(atMs, performance.now(), all).map(({ endedMs }) => endedMs));
}

function longest(stage: Stage, fromMs: number, untilMs: number, homes: readonly number[]): number {
  return Math.max(...stage.pauses(fromMs, untilMs, homes).map(({ lastedMs }) => lastedMs));
}
