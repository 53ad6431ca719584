// A delivery engine in its own process (paced-engine-process.ts), for benches that play a timeline at a given speed. It
// says when each update was due, what resources the engine used, and gives access to its database for the records.

import { join } from 'node:path';
import { systemClock } from '#engine/base/clock.ts';
import { newId } from '#engine/base/ids.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { connect, type Sql } from '#engine/storage/postgres-client.ts';
import { writeArtifact } from '#engine/timeline/artifact.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { TRUSTING_IT } from '../receivers/localhost-certificate.ts';
import { HelperProcess } from '../suite/helper-process.ts';
import { createEndpoints } from './bench-account.ts';
import { BENCH_ORIGIN, type FromEngine, type ToEngine, type UsageSample } from './paced-engine-messages.ts';

export interface Play {
  readonly runId: string;
  readonly runNo: number;
  readonly accountId: string;
  /** When this position is or was due, on the machine's monotonic clock. */
  dueAtMs(position: number): number;
  /** Stops the run: no more attempts start, and the remaining updates are skipped. */
  stop(): void;
  /** Resolves with the engine's resource use once everything is settled and recorded. */
  readonly settled: Promise<readonly UsageSample[]>;
}

export interface PlayOptions {
  readonly timeline: Timeline;
  /** As returned by `load`. */
  readonly artifactFile: string;
  /** The first position to deliver. */
  readonly from: number;
  readonly speed: number;
  readonly endpoints: readonly EndpointSettings[];
}

const START_MS_MAX = 60_000;
/** How long after the last update is due a play may take to settle. */
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
    return PacedEngine.startIn(new URL('./paced-engine-process.ts', import.meta.url), [String(shards)], TRUSTING_IT);
  }

  /** Starts another process that takes the same messages. */
  static async startIn(file: URL, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<PacedEngine> {
    const process = new HelperProcess<ToEngine, FromEngine>(file, args, env);
    const { connection, folder } = await process.next('ready', START_MS_MAX);
    return new PacedEngine(process, connect(connection, { max: 1, name: 'bench', clock: systemClock }), folder);
  }

  /** Writes a timeline to an artifact file that the engine can play. Returns the file. */
  load(timeline: Timeline): string {
    this.#artifacts++;
    const file = join(this.#folder, `artifact-${this.#artifacts}`);
    writeArtifact(file, timeline, BENCH_ORIGIN);
    return file;
  }

  /** Creates a new account with an endpoint for each URL, each with its own secret and subscribed to every feed. */
  register(urls: readonly string[]): Promise<readonly EndpointSettings[]> {
    return createEndpoints(
      this.sql,
      urls,
      FEEDS.map(({ feedId }) => feedId),
    );
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
    // Prevents an unhandled rejection before the caller awaits it. The caller still sees the failure.
    settled.catch(() => {});
    const { zeroAtMs } = await this.#process.ask(
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

  /** Advances the engine's clock. Only leaping-engine-process.ts supports it. */
  leap(ms: number): void {
    this.#process.send({ kind: 'leap', ms });
  }

  async end(): Promise<void> {
    await this.sql.end({ timeout: 5 });
    await this.#process.end();
  }
}
