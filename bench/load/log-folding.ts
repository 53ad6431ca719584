// How long commits take while the journal is folded, and while it is not.

import { systemClock } from '#engine/base/clock.ts';
import type { Random } from '#engine/base/random.ts';
import { PostgresRecordStore } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import type { Database } from '#engine/storage/database.ts';
import { PiscinaJournalFolder } from '#workers/tasks/piscina-journal-folder.ts';
import { loggedCount } from '../suite/logged-attempts.ts';
import { postmasterPid, serverCpuUs } from '../suite/server-cpu.ts';
import { AttemptLoad, createRun } from './log-writing.ts';

export interface Folding {
  /** Milliseconds, rising. */
  readonly aloneMs: number[];
  readonly besideMs: number[];
  /** Of one folded attempt, in microseconds, with nothing beside it: of PostgreSQL, and of Node. */
  readonly serverUs: number;
  readonly nodeUs: number;
  /** Attempts that folding has lost or doubled. */
  readonly unrecorded: number;
}

/** What folding finds, in rows of the journal at most, and what is committed meanwhile, as often as a shard commits at most. */
const FOUND = { rowsMax: 120, attempts: 5_000 } as const;
const COMMITTED = { attempts: 500, everyMs: 10 } as const;
const ENDPOINTS = 50;

export async function foldLog(database: Database, commits: number, random: Random): Promise<Folding> {
  const sql = database.connect(1);
  await sql`truncate delivery_attempt, log_journal, log_page`;
  const { runId, runNo } = await createRun(sql);
  const load = new AttemptLoad(runId, runNo, { endpoints: ENDPOINTS, differ: true }, random);
  const store = new PostgresRecordStore(sql);
  const writer = { name: runId, epoch: 1 };
  await store.admit(writer);
  let batchNo = 0;
  let made = 0;
  const commit = async (count: number): Promise<number> => {
    const attempts = Array.from({ length: count }, () => load.next().attempt);
    const startedMs = systemClock.nowMs();
    await store.commit({ writer, batchNo: ++batchNo, attempts, usage: [], latency: [], checkpoints: [] });
    made += count;
    return systemClock.nowMs() - startedMs;
  };
  const fill = async (): Promise<void> => {
    for (let row = 0; row < Math.min(FOUND.rowsMax, commits); row++) await commit(FOUND.attempts);
  };
  const folder = new PiscinaJournalFolder(database.connection);
  const foldAll = async (): Promise<number> => {
    let folded = 0;
    for (;;) {
      const fold = await folder.fold();
      if (fold === null || fold.rows === 0) return folded;
      folded += fold.attempts;
    }
  };
  try {
    // Connects and compiles.
    await fill();
    await foldAll();
    const postmaster = await postmasterPid(sql);
    await fill();
    const cpu = process.cpuUsage();
    const serverUs = serverCpuUs(postmaster);
    const folded = await foldAll();
    const { user, system } = process.cpuUsage(cpu);
    const foldedUs = serverCpuUs(postmaster) - serverUs;

    const aloneMs: number[] = [];
    const besideMs: number[] = [];
    while (aloneMs.length < commits) {
      aloneMs.push(await commit(COMMITTED.attempts));
      await systemClock.sleep(COMMITTED.everyMs);
    }
    while (besideMs.length < commits) {
      await fill();
      let isFolding = true;
      const folding = folder.fold().finally(() => {
        isFolding = false;
      });
      while (isFolding) {
        const ms = await commit(COMMITTED.attempts);
        if (isFolding) besideMs.push(ms);
        await systemClock.sleep(COMMITTED.everyMs);
      }
      await folding;
      await foldAll();
    }
    const [found] = await sql<{ logged: number }[]>`select ${loggedCount(sql)} as logged`;
    const byTime = (a: number, b: number): number => a - b;
    return {
      aloneMs: aloneMs.sort(byTime),
      besideMs: besideMs.sort(byTime),
      serverUs: foldedUs / folded,
      nodeUs: (user + system) / folded,
      unrecorded: Math.abs(made - found!.logged),
    };
  } finally {
    await folder.close();
  }
}
