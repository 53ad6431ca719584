// Three nodes of the service on one database, each home to the same number of accounts, which all replay a recording at 10x
// to receivers that count. The cases (cases.ts) do something to it, and the stage says what came of it.

import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createAccount } from '#api/accounts/account-creation.ts';
import { busiestSlice, deriveRace } from '#bench/load/race-slice.ts';
import { systemClock } from '#engine/base/clock.ts';
import { NODE_RENEW_MS } from '#engine/base/limits.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { DEMO_SESSION_ID } from '#engine/intake/source/demo-session/demo-session.ts';
import { slotOf } from '#engine/nodes/slots.ts';
import { parseDatabaseUrl } from '#engine/storage/connection-settings.ts';
import { connect, type Sql } from '#engine/storage/postgres-client.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { eventually } from '#test/support/patience.ts';
import { ApiClient, runAdminCommand, type ServiceProcess, startService } from '#test/support/service-process.ts';
import { Arrivals } from './arrivals.ts';
import { type Hit, Ledger, type LedgerCounts } from './ledger.ts';
import { newestLogNo, recordLog } from './ledger-of-log.ts';
import { Link } from './link.ts';

export interface StageOptions {
  readonly nodes: number;
  readonly accountsPerNode: number;
  readonly endpointsPerAccount: number;
  /** An archive folder, or `demo`. */
  readonly recording: string;
  /** Whether nodes reach database and one another over links that can be cut. */
  readonly hasLinks: boolean;
}

export interface StageNode {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly databaseLinks: readonly Link[];
  /** Over which the others reach it. */
  readonly peerLink: Link | null;
  nodeNo: number;
  service: ServiceProcess;
}

export interface StageAccount {
  readonly accountId: string;
  readonly api: ApiClient;
  /** The place of the node that is home to it at first. */
  readonly home: number;
  readonly endpoints: readonly number[];
  /** Of these endpoints, in this order. */
  readonly webhookIds: readonly string[];
  runId: string;
}

const SECRET_KEY = 'a secret of all nodes of the stage';
const SPEED = 10;
/** What is played of the recording at most, in its own time. */
const STRETCH_MS = 2_500_000;
const LONG_MS = 120_000;
const POLL_MS = 100;

export class Stage {
  readonly options: StageOptions;
  readonly nodes: StageNode[] = [];
  readonly accounts: StageAccount[] = [];
  /** When each update is due, in ms of the recording. */
  readonly dueMs: Uint32Array;
  readonly arrivals: Arrivals;
  readonly #url: string;
  #sql: Sql;
  readonly sessionId: string;
  /** The first sequence that is played: from there on the recording is busy. */
  readonly #first: number;

  static async start(url: string, options: StageOptions, progress: (line: string) => void): Promise<Stage> {
    const race = deriveRace(options.recording);
    const first = busiestSlice(race, STRETCH_MS).from + 1;
    const pids = (): number[] => stage.nodes.map(({ service }) => service.process.pid!);
    const arrivals = await Arrivals.start(pids);
    const stage: Stage = new Stage(url, options, race.columns.dueMs, first, arrivals);
    try {
      await stage.#startNodes(progress);
      await stage.#startRuns(progress);
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  private constructor(url: string, options: StageOptions, dueMs: Uint32Array, first: number, arrivals: Arrivals) {
    this.#first = first;
    this.options = options;
    this.#url = url;
    this.dueMs = dueMs;
    this.arrivals = arrivals;
    this.#sql = lookingOn(url);
    this.sessionId = options.recording === 'demo' ? DEMO_SESSION_ID : basename(options.recording);
  }

  /** Starts a node's process again, as systemd would. */
  async restart(place: number): Promise<void> {
    const node = this.nodes[place]!;
    node.service = await startService(node.dataDir, node.env);
    await this.#linkPeers();
  }

  /** Connects to the database anew: a server that hangs keeps its connections waiting. */
  reconnect(): void {
    void this.#sql.end({ timeout: 0 });
    this.#sql = lookingOn(this.#url);
  }

  /** The place of the home of each slot now, and how often all slots have changed it. */
  async homes(): Promise<{ owners: readonly number[]; moves: number }> {
    const rows = await this.#sql<{ node: number; epoch: number }[]>`
      select coalesce(node_no, 0) as node, epoch from cluster_slot order by slot`;
    return { owners: rows.map(({ node }) => node), moves: rows.reduce((sum, { epoch }) => sum + epoch, 0) };
  }

  /** Nodes of the cluster with a lease. */
  async live(): Promise<number> {
    const [row] = await this.#sql<{ count: number }[]>`
      select count(*)::int as count from cluster_node where lease_until > clock_timestamp()`;
    return row!.count;
  }

  newestLogNo(): Promise<bigint> {
    return newestLogNo(this.#sql);
  }

  /** What receivers got against what is in the log. Call when all runs have ended. */
  async ledger(hit: Hit | null): Promise<LedgerCounts> {
    const homes = this.accounts.flatMap(({ home, endpoints }) => endpoints.map(() => home));
    const webhookIds = this.accounts.flatMap((account) => account.webhookIds);
    const ledger = new Ledger(this.arrivals.ofEndpoint);
    await recordLog(ledger, this.#sql, webhookIds);
    return ledger.counts(hit, (endpoint) => homes[endpoint]!);
  }

  /** The longest pause between arrivals of each account in this time, and when it ended. */
  pauses(fromMs: number, untilMs: number, homes: readonly number[]): { lastedMs: number; endedMs: number }[] {
    return this.accounts
      .filter(({ home }) => homes.includes(home))
      .map(({ endpoints }) => {
        const times = endpoints.flatMap((endpoint) =>
          this.#of(endpoint)
            .filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs)
            .map(({ atMs }) => atMs),
        );
        let [lastedMs, endedMs, lastMs] = [0, fromMs, fromMs];
        for (const atMs of [...times.sort((a, b) => a - b), untilMs]) {
          if (atMs - lastMs > lastedMs) [lastedMs, endedMs] = [atMs - lastMs, atMs];
          lastMs = atMs;
        }
        return { lastedMs, endedMs };
      });
  }

  /** How late first arrivals of these nodes' accounts were in this time: p99 and most, in ms. */
  lags(fromMs: number, untilMs: number, homes: readonly number[]): { p99: number; most: number } {
    const all: number[] = [];
    for (const { home, endpoints } of this.accounts) {
      if (!homes.includes(home)) continue;
      // The service does not tell when a run began: its promptest update of all tells best.
      const lates = endpoints.flatMap((endpoint) =>
        this.#of(endpoint).map(({ sequence, atMs }) => ({ atMs, late: atMs - this.dueMs[sequence - 1]! / SPEED })),
      );
      const least = lates.reduce((min, { late }) => Math.min(min, late), Number.POSITIVE_INFINITY);
      for (const { atMs, late } of lates) if (atMs >= fromMs && atMs <= untilMs) all.push(late - least);
    }
    all.sort((a, b) => a - b);
    return { p99: all[Math.floor(all.length * 0.99)] ?? Number.NaN, most: all.at(-1) ?? Number.NaN };
  }

  /** Arrivals that this process sent in this time. */
  sentBy(pid: number, fromMs: number, untilMs = Number.POSITIVE_INFINITY): number {
    return this.arrivals.ofEndpoint
      .flat()
      .filter((arrival) => arrival.sender.pid === pid && arrival.atMs >= fromMs && arrival.atMs < untilMs).length;
  }

  /** Stops all runs. Returns what receivers lack, and what runs and usage say. */
  async end(): Promise<{ lost: number; delivered: number; used: number; sums: number }> {
    const at = this.nodes.find(
      ({ service }) => service.process.exitCode === null && service.process.signalCode === null,
    );
    let delivered = 0;
    let sums = 0;
    for (const { api, runId } of this.accounts) {
      const here = api.at(at!.service.address);
      await here.call('DELETE', `/simulate/stream?runId=${runId}`);
      const { data } = await here.until(
        `/simulate/runs/${runId}`,
        (body) => body.data?.state === 'stopped' || body.data?.state === 'completed',
      );
      for (const endpoint of data.endpoints) {
        const left = Object.values<number>(endpoint.skipped).reduce((sum, count) => sum + count, 0);
        if (endpoint.matched !== endpoint.delivered + endpoint.failed + left) sums++;
        delivered += endpoint.delivered;
      }
    }
    let lost = 0;
    for (const { endpoints } of this.accounts)
      for (const endpoint of endpoints) {
        const sequences = new Set(this.#of(endpoint).map(({ sequence }) => sequence));
        const last = Math.max(0, ...sequences);
        lost += Math.max(0, last - this.#first + 1) - sequences.size;
      }
    const [usage] = await this.#sql<{ used: number }[]>`select coalesce(sum(attempts), 0)::int as used from usage`;
    return { lost, delivered, used: usage!.used, sums };
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map(({ service }) => service.end('SIGKILL')));
    await Promise.all(
      this.nodes
        .flatMap(({ databaseLinks, peerLink }) => [...databaseLinks, ...(peerLink ? [peerLink] : [])])
        .map((link) => link.close()),
    );
    await this.arrivals.close();
    await this.#sql.end({ timeout: 1 });
  }

  #of(endpoint: number) {
    return this.arrivals.ofEndpoint[endpoint]!;
  }

  async #startNodes(progress: (line: string) => void): Promise<void> {
    const { nodes, hasLinks, recording } = this.options;
    const ports = await freePorts(nodes);
    const { group, host, port } = parseDatabaseUrl(this.#url);
    const servers = group?.servers ?? [{ host, port }];
    for (let place = 0; place < nodes; place++) {
      const dataDir = temporaryDataDir();
      const databaseLinks = hasLinks
        ? await Promise.all(servers.map((server) => Link.to(server.host, server.port)))
        : [];
      const peerLink = hasLinks ? await Link.to('127.0.0.1', ports[place]!) : null;
      const hosts = servers.map((server, index) => `127.0.0.1:${databaseLinks[index]?.port ?? server.port}`);
      const env = {
        DATABASE_URL: this.#url.replace(/@[^/]+\//, `@${hosts.join(',')}/`),
        SECRET_KEY,
        CLUSTER: 'on',
        CLUSTER_ADDRESS: `127.0.0.1:${ports[place]}`,
        SHARDS: '1',
      };
      if (place === 0 && recording !== 'demo') {
        progress('importing the recording');
        await runAdminCommand(dataDir, ['import', 'recording', recording, '--session', this.sessionId], env);
      }
      const service = await startService(dataDir, env);
      this.nodes.push({ dataDir, env, databaseLinks, peerLink, nodeNo: place + 1, service });
    }
    await this.#linkPeers();
    await eventually(
      'a share of slots for each node',
      async () => {
        const { owners } = await this.homes();
        const counts = this.nodes.map(({ nodeNo }) => owners.filter((owner) => owner === nodeNo).length);
        return Math.max(...counts) - Math.min(...counts) <= 1 && !owners.includes(0);
      },
      LONG_MS,
      POLL_MS,
    );
    progress(`${nodes} nodes share the accounts`);
  }

  /** Has the others reach each node over its link. */
  async #linkPeers(): Promise<void> {
    for (const { env, peerLink } of this.nodes) {
      if (peerLink === null) continue;
      await this.#sql`
        update cluster_node set address = ${`127.0.0.1:${peerLink.port}`} where address = ${env.CLUSTER_ADDRESS!}`;
    }
    // Until every node has read it: requests under way to the address of before are cut off.
    if (this.options.hasLinks) await pause(2 * NODE_RENEW_MS);
  }

  async #startRuns(progress: (line: string) => void): Promise<void> {
    const { accountsPerNode, endpointsPerAccount } = this.options;
    const { owners } = await this.homes();
    const secretBox = new SecretBox(SECRET_KEY, systemRandomBytes);
    for (const [home, { nodeNo, service }] of this.nodes.entries()) {
      // Accounts get their slots by chance.
      for (let made = 0, tries = 0; made < accountsPerNode; tries++) {
        const email = `a${home}-${tries}@example.org`;
        const account = await createAccount(
          { email, plan: 'custom' },
          { sql: this.#sql, secretBox, clock: systemClock },
        );
        if (owners[slotOf(account.accountId)] !== nodeNo) continue;
        made++;
        const api = await ApiClient.open(service.address, { ...account });
        const endpoints: number[] = [];
        const webhookIds: string[] = [];
        for (let index = 0; index < endpointsPerAccount; index++) {
          endpoints.push(this.arrivals.ofEndpoint.length);
          const answer = await api.call('POST', '/webhooks', { webhookUrl: this.arrivals.add(), feedIds: ['*'] });
          if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
          webhookIds.push(answer.body.data.webhookId);
        }
        this.accounts.push({ accountId: account.accountId, api, home, endpoints, webhookIds, runId: '' });
      }
    }
    const path = `/simulate/status?session=${this.sessionId}`;
    await this.accounts[0]!.api.call('POST', '/simulate/prepare', { sessionId: this.sessionId });
    await eventually(
      'preparation on every node',
      async () => {
        const { body } = await this.accounts[0]!.api.call('GET', path);
        return body.data?.status === 'ready' && this.nodes.every(({ dataDir }) => isPrepared(dataDir, this.sessionId));
      },
      LONG_MS,
      POLL_MS,
    );
    for (const account of this.accounts) {
      const started = await account.api.call(
        'GET',
        `/simulate/stream?session=${this.sessionId}&speed=${SPEED}&sinks=webhook&sequence=${this.#first}`,
      );
      if (started.status !== 202) throw new Error(JSON.stringify(started.body));
      account.runId = started.body.data.runId;
    }
    progress(`${this.accounts.length} replays of ${this.sessionId} to ${this.arrivals.ofEndpoint.length} endpoints`);
  }
}

function lookingOn(url: string): Sql {
  return connect(parseDatabaseUrl(url), { max: 2, name: 'looking on', clock: systemClock });
}

function isPrepared(dataDir: string, sessionId: string): boolean {
  const folder = join(dataDir, 'playback');
  return (
    existsSync(folder) &&
    readdirSync(folder).some((name) => name.startsWith(`${sessionId}.`) && name.endsWith('.playback'))
  );
}
