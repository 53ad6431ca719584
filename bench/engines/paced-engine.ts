// A delivery engine in a process of its own (paced-engine-process.ts), for benches that play a timeline at its pace
// and want to know when each update was due, what the engine used meanwhile, and what its records say afterwards.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '#engine/base/clock.ts';
import { newId } from '#engine/base/ids.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { connect, type Sql } from '#engine/storage/postgres-client.ts';
import { writeArtifact } from '#engine/timeline/artifact.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { HelperProcess } from '../suite/helper-process.ts';
import { BENCH_ORIGIN, type FromEngine, type ToEngine, type UsageSample } from './paced-engine-messages.ts';

export interface Play {
  readonly runId: string;
  readonly runNo: number;
  readonly accountId: string;
  /** When this position was or is due, on the machine's monotonic clock. */
  dueAtMs(position: number): number;
  /** Nothing further starts; what is left is skipped. */
  stop(): void;
  /** What the engine's process used, once everything is written down. */
  readonly settled: Promise<readonly UsageSample[]>;
}

export interface PlayOptions {
  readonly timeline: Timeline;
  /** Of `load`. */
  readonly artifactFile: string;
  /** Deliveries begin with this position. */
  readonly from: number;
  readonly speed: number;
  readonly endpoints: readonly EndpointSettings[];
}

const START_MS_MAX = 60_000;
/** How long after its last update was due everything of a play may take to be written down. */
const SETTLE_MS_MAX = 180_000;

export class PacedEngine {
  /** The engine's database. */
  readonly sql: Sql;
  readonly #process: HelperProcess<ToEngine, FromEngine>;
  readonly #folder: string;
  #artifacts = 0;

  private constructor(process: HelperProcess<ToEngine, FromEngine>, sql: Sql, folder: string) {
    this.#process = process;
    this.sql = sql;
    this.#folder = folder;
  }

  static start(shards: number): Promise<PacedEngine> {
    return PacedEngine.startIn(new URL('./paced-engine-process.ts', import.meta.url), [String(shards)]);
  }

  /** In another process that is spoken to in the same way. */
  static async startIn(file: URL, args: readonly string[]): Promise<PacedEngine> {
    const process = new HelperProcess<ToEngine, FromEngine>(file, args);
    const { connection, folder } = await process.next('ready', START_MS_MAX);
    return new PacedEngine(process, connect(connection, { max: 1, name: 'bench', clock: systemClock }), folder);
  }

  /** Makes a timeline ready to be played; answers its file. */
  load(timeline: Timeline): string {
    this.#artifacts++;
    const file = join(this.#folder, `artifact-${this.#artifacts}`);
    writeArtifact(file, timeline, BENCH_ORIGIN);
    return file;
  }

  /** Endpoints of a new account at these URLs, each with its own secret, that get every feed. */
  async register(urls: readonly string[]): Promise<readonly EndpointSettings[]> {
    const accountId = newId('acc', Date.now(), systemRandomBytes);
    await this.sql`insert into account (account_id, email, plan, client_id, client_secret_sealed)
      values (${accountId}, ${`${accountId}@bench.invalid`}, 'custom', ${newId('cli', Date.now(), systemRandomBytes)}, ''::bytea)`;
    const subscriptions = FEEDS.map(({ feedId }) => ({ feedId, filters: {}, active: true }));
    return urls.map((url, index) => ({
      webhookId: newId('wh', Date.now(), systemRandomBytes),
      webhookNo: index + 1,
      accountId,
      url,
      method: 'post' as const,
      active: true,
      secret: `whsec_${randomBytes(32).toString('base64')}`,
      previousSecret: null,
      filters: {},
      subscriptions,
    }));
  }

  async play({ timeline, artifactFile, from, speed, endpoints }: PlayOptions): Promise<Play> {
    const { accountId } = endpoints[0]!;
    const { sessionId } = timeline.info;
    const runId = newId('run', Date.now(), systemRandomBytes);
    const [run] = await this.sql<{ runNo: number }[]>`
      insert into run (run_id, account_id, session_id, speed, sinks, state, update_count)
      values (${runId}, ${accountId}, ${sessionId}, ${speed}, 'webhook', 'running', ${timeline.length})
      returning run_no as "runNo"`;
    const webhookIds = endpoints.map(({ webhookId }) => webhookId);
    await this.sql`
      insert into run_endpoint (run_id, webhook_id, next_position)
      select ${runId}, webhook_id, ${from} from unnest(${webhookIds}::text[]) as webhook_id`;
    const { dueMs } = timeline.columns;
    const { runNo } = run!;
    const order = { mode: 'replay' as const, runId, runNo, sessionId, accountId, speed, allFeeds: false };
    const beginsMs = dueMs[from]!;
    const settled = this.#settled(runId, (dueMs[timeline.length - 1]! - beginsMs) / speed + SETTLE_MS_MAX);
    // Whoever waits for it hears of a failure; one that comes while nobody does is heard of by the next question.
    settled.catch(() => {});
    const { zeroAtMs } = await this.#process.request(
      { kind: 'play', order, artifactFile, endpoints, beginsMs },
      'started',
      START_MS_MAX,
    );
    return {
      runId,
      runNo,
      accountId,
      dueAtMs: (position) => zeroAtMs + dueMs[position]! / speed,
      stop: () => this.#process.send({ kind: 'stop', runId }),
      settled,
    };
  }

  async #settled(runId: string, withinMs: number): Promise<readonly UsageSample[]> {
    const { usage } = await this.#process.next('settled', withinMs);
    await this.sql`update run set state = 'completed', ended_at = now() where run_id = ${runId}`;
    return usage;
  }

  /** Only for a process whose clock can. */
  leap(ms: number): void {
    this.#process.send({ kind: 'leap', ms });
  }

  async end(): Promise<void> {
    await this.sql.end({ timeout: 5 });
    await this.#process.end();
  }
}
