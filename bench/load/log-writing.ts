// Attempts that the real recorder commits in batches, to a log of rows and to the journal with its folding: what
// PostgreSQL does for each.

import { systemClock } from '#engine/base/clock.ts';
import { newId } from '#engine/base/ids.ts';
import { RECORD_BATCH_ATTEMPTS, RECORD_BATCH_MS } from '#engine/base/limits.ts';
import { type Random, systemRandomBytes } from '#engine/base/random.ts';
import { JournalKeeper } from '#engine/delivery/delivery-log/journal-keeper.ts';
import { journalBacklog } from '#engine/delivery/delivery-log/postgres-journal-folder.ts';
import { PostgresRecordStore } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import {
  type AttemptRecord,
  NO_SPANS,
  NOTHING_SKIPPED,
  type RecordBatch,
  type RecordStore,
} from '#engine/delivery/delivery-log/record-store.ts';
import { Recorder } from '#engine/delivery/delivery-log/recorder.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import type { Database } from '#engine/storage/database.ts';
import { ensurePartitions, OLD_ATTEMPTS } from '#engine/storage/partitions.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { createLog } from '#workers/log.ts';
import { PiscinaJournalFolder } from '#workers/tasks/piscina-journal-folder.ts';
import { RowLog } from '../peers/row-log.ts';
import { loggedCount } from '../suite/logged-attempts.ts';
import { postmasterPid, serverCpuUs } from '../suite/server-cpu.ts';

export const WAYS = ['rows', 'journal and pages', 'journal, not folded', 'no log'] as const;
export type Way = (typeof WAYS)[number];

export interface LogWriting {
  readonly endpoints: number;
  readonly batches: number;
  /** A batch every RECORD_BATCH_MS, or the next one at once. */
  readonly isPaced: boolean;
  /** Whether each answer is another text. */
  readonly differ: boolean;
}

/** For each attempt. */
export interface LogCost {
  readonly serverUs: number;
  /** All threads of this process, which also makes the attempts. */
  readonly nodeUs: number;
  readonly storedBytes: number;
  readonly walBytes: number;
  /** Attempts that are not in the log, or not in usage. */
  readonly unrecorded: number;
}

/** Whose vacuum is part of a case, and happens at its end only. */
const TABLES = [
  'delivery_attempt',
  'log_journal',
  'log_page',
  'late_checkpoints',
  'run_endpoint',
  'usage',
  'usage_latency',
];
const FEEDS = [6, 7, 8, 9, 10, 11];
const FAILED_SHARE = 0.01;

/** Where the attempts are in the end. */
const STORED_IN = {
  rows: 'delivery_attempt',
  'journal and pages': 'log_page',
  'journal, not folded': 'log_journal',
  'no log': null,
} as const satisfies Record<Way, string | null>;

export class LogWriter {
  readonly #log: ReturnType<typeof createLog>;
  readonly #random: Random;
  readonly #sql: Sql;
  readonly #postmaster: number;
  readonly #folder: PiscinaJournalFolder;
  #writers = 0;

  private constructor(
    database: Database,
    log: ReturnType<typeof createLog>,
    random: Random,
    sql: Sql,
    postmaster: number,
  ) {
    this.#log = log;
    this.#random = random;
    this.#sql = sql;
    this.#postmaster = postmaster;
    this.#folder = new PiscinaJournalFolder(database.connection);
  }

  static async open(database: Database, log: ReturnType<typeof createLog>, random: Random): Promise<LogWriter> {
    const sql = database.connect(1);
    await ensurePartitions(sql, OLD_ATTEMPTS, systemClock.wallMs(), 2);
    for (const table of TABLES) {
      for (const name of await partsOf(sql, table))
        await sql.unsafe(`alter table ${name} set (autovacuum_enabled = false, toast.autovacuum_enabled = false)`);
    }
    return new LogWriter(database, log, random, sql, await postmasterPid(sql));
  }

  async close(): Promise<void> {
    await this.#folder.close();
  }

  async write(way: Way, writing: LogWriting): Promise<LogCost> {
    const sql = this.#sql;
    await sql.unsafe(`truncate ${TABLES.join(', ')} cascade`);
    await sql.unsafe('checkpoint');
    const folder = way === 'journal and pages' ? this.#folder : null;
    // Starts the thread, if it is not there.
    await folder?.fold();
    const before = await this.#used();
    const accountId = await this.#commitAll(way, writing, folder);
    while (folder !== null && (await folder.fold())?.rows !== 0);
    await sql.unsafe(`vacuum ${TABLES.join(', ')}`);
    await sql.unsafe('checkpoint');
    const after = await this.#used();
    const attempts = writing.batches * RECORD_BATCH_ATTEMPTS;
    const stored = STORED_IN[way] === null ? [] : await partsOf(sql, STORED_IN[way]);
    const [found] = await sql<{ logged: number; used: number; bytes: number }[]>`
      select ${loggedCount(sql)} as logged,
        (select sum(attempts)::int from usage where account_id = ${accountId}) as used,
        (select sum(pg_total_relation_size(name::regclass))::float8 from unnest(${stored}::text[]) name) as bytes`;
    return {
      serverUs: (after.serverUs - before.serverUs) / attempts,
      nodeUs: (after.nodeUs - before.nodeUs) / attempts,
      storedBytes: (found!.bytes ?? 0) / attempts,
      walBytes: (after.walBytes - before.walBytes) / attempts,
      unrecorded:
        Math.abs(attempts - found!.used) + (way === 'no log' ? found!.logged : Math.abs(attempts - found!.logged)),
    };
  }

  async #used() {
    const [row] = await this.#sql<{ walBytes: number }[]>`
      select (pg_current_wal_lsn() - '0/0')::float8 as "walBytes"`;
    const { user, system } = process.cpuUsage();
    return { serverUs: serverCpuUs(this.#postmaster), nodeUs: user + system, walBytes: row!.walBytes };
  }

  /** Returns the account. */
  async #commitAll(way: Way, writing: LogWriting, folder: PiscinaJournalFolder | null): Promise<string> {
    const sql = this.#sql;
    const { accountId, runId, runNo } = await createRun(sql);
    let woken: () => void = () => {};
    let failed: (error: Error) => void = () => {};
    const recorder = new Recorder({
      store: storeOf(way, sql),
      clock: systemClock,
      meter: new ShardMeter().records,
      writer: { name: `${way} ${this.#writers++}`, epoch: 1 },
      wake: () => woken(),
      keep: () => 0,
      reportProblem: (error) => failed(error),
      ...((way === 'rows' || way === 'no log') && { checkpointsAtOnceMax: Number.POSITIVE_INFINITY }),
    });
    const keeper =
      folder === null
        ? null
        : new JournalKeeper({
            backlog: () => journalBacklog(sql),
            fold: () => folder.fold(),
            clock: systemClock,
            log: this.#log,
          });
    const written = (): Promise<void> =>
      new Promise((resolve, reject) => {
        woken = resolve;
        failed = reject;
        recorder.advance(systemClock.nowMs());
      });
    const load = new AttemptLoad(runId, runNo, writing, this.#random);
    const ledger = recorder.openLedger(accountId);
    const startedMs = systemClock.nowMs();
    for (let batch = 0; batch < writing.batches; batch++) {
      for (let i = 0; i < RECORD_BATCH_ATTEMPTS; i++) {
        const { actor, attempt, isDelivered } = load.next();
        recorder.attempt(actor, ledger, attempt, isDelivered ? attempt.lagMs : null);
      }
      await written();
      const waitMs = startedMs + (batch + 1) * RECORD_BATCH_MS - systemClock.nowMs();
      if (writing.isPaced && waitMs > 0) await systemClock.sleep(waitMs);
    }
    let isWritten = false;
    recorder.whenWritten(() => {
      isWritten = true;
    });
    while (!isWritten) await written();
    await keeper?.close();
    return accountId;
  }
}

/** The table, or its partitions. */
async function partsOf(sql: Sql, table: string): Promise<string[]> {
  const parts = await sql<{ name: string }[]>`
    select relid::regclass::text as name from pg_partition_tree(${table}::regclass) where isleaf`;
  return parts.length === 0 ? [table] : parts.map(({ name }) => name);
}

function storeOf(way: Way, sql: Sql): RecordStore {
  const store = way === 'rows' ? new RowLog(sql) : new PostgresRecordStore(sql);
  return {
    admit: (writer) => store.admit(writer),
    // Health is the same in every way, and comes every few seconds.
    commit: ({ health: _, ...batch }: RecordBatch) =>
      store.commit(way === 'no log' ? { ...batch, attempts: [] } : batch),
    checkpoints: async () => [],
  };
}

export async function createRun(sql: Sql) {
  const accountId = newId('acc', Date.now(), systemRandomBytes);
  const runId = newId('run', Date.now(), systemRandomBytes);
  await sql`
    insert into account (account_id, email, plan, client_id, client_secret_sealed)
    values (${accountId}, ${`${accountId}@bench.invalid`}, 'custom', ${accountId}, ''::bytea)`;
  const [run] = await sql<{ runNo: number }[]>`
    insert into run (run_id, account_id, session_id, speed, sinks, state, update_count)
    values (${runId}, ${accountId}, 'synthetic', 10, 'webhook', 'running', 0) returning run_no as "runNo"`;
  return { accountId, runId, runNo: run!.runNo };
}

/** One update after the other, each to all endpoints of a run. */
export class AttemptLoad {
  readonly #actors;
  readonly #runNo: number;
  readonly #differ: boolean;
  readonly #random: Random;
  #made = 0;

  constructor(
    runId: string,
    runNo: number,
    { endpoints, differ }: Pick<LogWriting, 'endpoints' | 'differ'>,
    random: Random,
  ) {
    this.#runNo = runNo;
    this.#differ = differ;
    this.#random = random;
    this.#actors = Array.from({ length: endpoints }, (_, index) => {
      const webhookId = newId('wh', Date.now(), systemRandomBytes);
      const counts = { delivered: 0, failed: 0, lagMs: 0 };
      const actor = {
        checkpoint: () => ({
          runId,
          webhookId,
          nextPosition: counts.delivered + counts.failed,
          pending: [],
          matched: counts.delivered + counts.failed,
          ...counts,
          skipped: NOTHING_SKIPPED,
          breaker: 'closed' as const,
          spans: NO_SPANS,
        }),
        failed: (error: Error) => {
          throw error;
        },
      };
      return { actor, counts, webhookNo: index + 1 };
    });
  }

  next() {
    const { actor, counts, webhookNo } = this.#actors[this.#made % this.#actors.length]!;
    const sequence = 1 + Math.floor(this.#made / this.#actors.length);
    this.#made++;
    const latencyMs = 0.5 + 3 * this.#random.next();
    const lagMs = latencyMs + this.#random.next();
    const isDelivered = this.#random.next() >= FAILED_SHARE;
    if (isDelivered) counts.delivered++;
    else counts.failed++;
    counts.lagMs = lagMs;
    const body = this.#differ ? `{"received":"${Math.floor(this.#random.next() * 2 ** 40).toString(36)}"}` : 'ok';
    const attempt: AttemptRecord = {
      webhookNo,
      runNo: this.#runNo,
      mode: 'replay',
      feed: FEEDS[sequence % FEEDS.length]!,
      sequence,
      attempt: 1,
      result: { kind: 'answered', statusCode: isDelivered ? 200 : 500, body },
      latencyMs,
      lagMs,
      createdAtMs: systemClock.wallMs(),
    };
    return { actor, attempt, isDelivered };
  }
}
