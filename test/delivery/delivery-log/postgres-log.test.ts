// The delivery log in a real PostgreSQL: what is committed, folded in parts, and left by earlier versions reads as one log.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { postgresDeliveryLogStore } from '#api/webhooks/postgres-delivery-log-store.ts';
import { loggedAttempts } from '#bench/suite/logged-attempts.ts';
import {
  LOG_FOLD_ROWS_MAX,
  LOG_JOURNAL_ROWS_AT_ONCE_MAX,
  LOG_JOURNAL_ROWS_MAX,
  LOG_PAGE_ATTEMPTS_MAX,
} from '#engine/base/limits.ts';
import { isDelivered } from '#engine/delivery/attempt-result.ts';
import type { AttemptMatch } from '#engine/delivery/delivery-log/attempt-match.ts';
import { foldJournal, journalBacklog } from '#engine/delivery/delivery-log/postgres-journal-folder.ts';
import { PostgresRecordStore } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import { type AttemptRecord, JournalFull } from '#engine/delivery/delivery-log/record-store.ts';
import { ensurePartitions, LOG_PAGES } from '#engine/storage/partitions.ts';
import { anyAttempt, DAY_MS, FIRST_MS } from '#test/support/any-attempt.ts';
import { withDatabase } from '#test/support/database.ts';

const WHENEVER = { since: new Date(0), until: new Date(Date.UTC(9999, 0)) };

const { sql } = await withDatabase({ after });
// The last four of six days go to the default partition.
await ensurePartitions(sql, LOG_PAGES, FIRST_MS, 2);
const store = new PostgresRecordStore(sql);
const log = postgresDeliveryLogStore(sql);
let writers = 0;

/** Commits each list as a batch of a writer of its own. Returns the writer's name. */
async function commit(batches: readonly (readonly AttemptRecord[])[]): Promise<string> {
  writers++;
  const writer = { name: `writer-${writers}`, epoch: 1 };
  await store.admit(writer);
  for (const [i, attempts] of batches.entries())
    await store.commit({ writer, batchNo: i + 1, attempts, usage: [], latency: [], checkpoints: [] });
  return writer.name;
}

async function empty(): Promise<void> {
  await sql`truncate log_journal, log_page, delivery_attempt`;
}

async function insertOld(attempts: readonly AttemptRecord[]): Promise<void> {
  for (const { webhookNo, runNo, mode, feed, sequence, attempt, result, latencyMs, lagMs, createdAtMs } of attempts)
    await sql`
      insert into delivery_attempt (webhook_no, run_no, mode, feed, sequence, attempt, status_code, latency_ms, lag_ms,
        failure_code, error, response_body, created_at)
      values (${webhookNo}, ${runNo}, ${mode}, ${feed}, ${sequence}, ${attempt},
        ${result.kind === 'answered' ? result.statusCode : null}, ${latencyMs}, ${lagMs},
        ${result.kind === 'failed' ? result.code : null}, ${result.kind === 'failed' ? result.detail : null},
        ${result.kind === 'answered' ? result.body : null}, ${new Date(createdAtMs)})`;
}

function sampleOf(count: number, changes: Partial<AttemptRecord> = {}): AttemptRecord[] {
  return fc.sample(anyAttempt([1]), { numRuns: count, seed: 5 }).map((attempt) => ({ ...attempt, ...changes }));
}

const anyMatch: fc.Arbitrary<AttemptMatch> = fc.record(
  {
    outcome: fc.constantFrom(null, null, 'delivered' as const, 'failed' as const),
    statusCode: fc.constantFrom(null, null, null, 200, 404),
    feed: fc.option(fc.nat({ max: 39 }), { freq: 2 }),
    mode: fc.constantFrom(null, null, 'live' as const, 'replay' as const, 'test' as const),
    runNos: fc.constantFrom(null, null, [2], [1, 3_000_000]),
    sequence: fc.option(fc.nat({ max: 9 }), { freq: 2 }),
  },
  { noNullPrototype: true },
);

function isWanted(attempt: AttemptRecord, match: AttemptMatch): boolean {
  const { outcome, statusCode, feed, mode, runNos, sequence } = match;
  const { result } = attempt;
  if (outcome !== null && (outcome === 'delivered') !== isDelivered(result)) return false;
  if (statusCode !== null && (result.kind === 'failed' || result.statusCode !== statusCode)) return false;
  if (runNos !== null && !runNos.some((runNo) => runNo === attempt.runNo)) return false;
  return (
    (feed === null || feed === attempt.feed) &&
    (mode === null || mode === attempt.mode) &&
    (sequence === null || sequence === attempt.sequence)
  );
}

test('LQ1, LQ2, AR3: answers of any size with any filter add up to the log, however much of it is folded and whichever writer wrote it', async () => {
  const batches = fc.array(fc.array(anyAttempt([1, 2]), { minLength: 1, maxLength: 30 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        old: fc.array(anyAttempt([1]), { maxLength: 4 }),
        steps: fc.array(fc.oneof(batches, fc.constant('fold' as const)), { maxLength: 5 }),
        match: fc.option(anyMatch),
        limit: fc.integer({ min: 1, max: 20 }),
        from: fc.nat({ max: 2 * DAY_MS }),
        span: fc.nat({ max: 6 * DAY_MS }),
      }),
      async ({ old, steps, match, limit, from, span }) => {
        await empty();
        await insertOld(old);
        for (const step of steps) await (step === 'fold' ? foldJournal(sql) : commit(step));
        const narrowed =
          match === null ? WHENEVER : { since: new Date(FIRST_MS + from), until: new Date(FIRST_MS + from + span) };
        const expected = (await loggedAttempts(sql))
          .filter(({ attempt }) => attempt.webhookNo === 1 && (match === null || isWanted(attempt, match)))
          .filter(({ attempt }) => attempt.createdAtMs >= narrowed.since.getTime())
          .filter(({ attempt }) => attempt.createdAtMs < narrowed.until.getTime())
          .map(({ logNo, attempt }) => `${logNo} ${attempt.sequence} ${attempt.createdAtMs}`)
          .reverse();
        const found: string[] = [];
        for (let before: bigint | null = null; ; ) {
          const { attempts, examinedTo } = await log.page(1, narrowed, match, before, limit);
          assert.equal(examinedTo, null);
          for (const { logNo, sequence, createdAt } of attempts)
            found.push(`${logNo} ${sequence} ${createdAt.getTime()}`);
          if (attempts.length < limit) break;
          before = attempts.at(-1)!.logNo;
        }
        assert.deepEqual(found, expected);
      },
    ),
    { numRuns: 60 },
  );
});

test('AR3: pages of a fold overlap when a day ends while attempts are under way, and come in the order of numbers', async () => {
  await empty();
  const overMidnight = sampleOf(60).map((attempt, i) => ({ ...attempt, createdAtMs: FIRST_MS + (i % 6) * DAY_MS }));
  await commit([overMidnight]);
  await foldJournal(sql);
  const newest = (await loggedAttempts(sql)).reverse().map(({ logNo }) => logNo);
  for (const limit of [1, 7, 10, 30]) {
    const { attempts } = await log.page(1, WHENEVER, null, null, limit);
    assert.deepEqual(
      attempts.map(({ logNo }) => logNo),
      newest.slice(0, limit),
    );
  }
});

test('a long journal is read in parts, down to its oldest row', async () => {
  await empty();
  await commit(Array.from({ length: 3 * LOG_JOURNAL_ROWS_AT_ONCE_MAX }, () => sampleOf(1)));
  const newest = (await loggedAttempts(sql)).reverse().map(({ logNo }) => logNo);
  for (const limit of [LOG_JOURNAL_ROWS_AT_ONCE_MAX + 1, 99]) {
    const { attempts } = await log.page(1, WHENEVER, null, null, limit);
    assert.deepEqual(
      attempts.map(({ logNo }) => logNo),
      newest.slice(0, limit),
    );
  }
});

test('an entry is found by its number in the journal, in a page and among old rows, and only as of its endpoint', async () => {
  await empty();
  await insertOld(sampleOf(1));
  await commit([sampleOf(3)]);
  await foldJournal(sql);
  await commit([sampleOf(2)]);
  const all = await loggedAttempts(sql);
  assert.equal(all.length, 6);
  for (const { logNo, attempt } of all) {
    assert.equal((await log.find(1, new Date(0), logNo))!.sequence, attempt.sequence);
    assert.equal(await log.find(1, new Date(attempt.createdAtMs + 1), logNo), null, 'no longer shown');
    assert.equal(await log.find(2, new Date(0), logNo), null);
  }
  assert.equal(await log.find(1, new Date(0), all.at(-1)!.logNo + 1n), null);
});

test('LQ2: with a filter a bounded number of attempts is looked at, and a cursor leads on', async () => {
  await empty();
  const same = sampleOf(1, { feed: 1, result: { kind: 'answered', statusCode: 200, body: '' } })[0]!;
  const needle = { ...same, sequence: 5, feed: 2 };
  // Every page has the feed, so none can be passed over by its head.
  const many = Array.from({ length: LOG_PAGE_ATTEMPTS_MAX }, (_, i) =>
    i === 0 ? { ...needle, sequence: 4 } : { ...same, sequence: 9 },
  );
  await commit([[needle, ...many], ...Array.from({ length: 120 }, () => many)]);
  while ((await foldJournal(sql))!.rows > 0);
  const match = { outcome: null, statusCode: null, feed: 2, mode: null, runNos: null, sequence: 5 };
  const wide = { ...match, sequence: null, statusCode: 200, runNos: [same.runNo ?? 1], feed: 3 };
  assert.deepEqual(await log.page(1, WHENEVER, wide, null, 10), { attempts: [], examinedTo: null }, 'heads suffice');
  const seen: bigint[] = [];
  let requests = 0;
  for (let before: bigint | null = null; ; requests++) {
    const { attempts, examinedTo } = await log.page(1, WHENEVER, match, before, 10);
    for (const { logNo } of attempts) seen.push(logNo);
    if (examinedTo === null) break;
    assert.ok(before === null || examinedTo < before, 'it goes on');
    before = examinedTo;
  }
  assert.equal(requests, 1);
  assert.equal(seen.length, 1);
});

test('FJ1: a fold that ends in its middle leaves the journal as it was, and the next one loses and doubles nothing', async () => {
  await empty();
  await commit([sampleOf(20), sampleOf(9)]);
  const before = await loggedAttempts(sql);
  await sql`alter table log_page add constraint no_page check (webhook_no = 0)`;
  await assert.rejects(foldJournal(sql), /no_page/);
  assert.deepEqual(await loggedAttempts(sql), before);
  assert.equal((await journalBacklog(sql)).rows, 2);
  await sql`alter table log_page drop constraint no_page`;
  assert.deepEqual(await foldJournal(sql), { rows: 2, attempts: 29, pages: 6 });
  assert.deepEqual(await journalBacklog(sql), { rows: 0, attempts: 0, ageMs: 0 });
  assert.deepEqual(await loggedAttempts(sql), before);
});

test('FJ2: two that fold at once fold everything once', async () => {
  await empty();
  // They have their connections already, so that they read the journal at the same time.
  await Promise.all(Array.from({ length: 4 }, () => sql`select pg_sleep(0.05)`));
  for (let round = 0; round < 10; round++) await commit([sampleOf(5), sampleOf(5)]);
  const before = await loggedAttempts(sql);
  const folds = await Promise.all(Array.from({ length: 4 }, () => foldJournal(sql)));
  assert.ok(folds.some((fold) => fold !== null && fold.rows > 0));
  while ((await foldJournal(sql))!.rows > 0);
  assert.deepEqual(await loggedAttempts(sql), before);
});

test('FJ4: one fold takes a bounded part of the journal, the oldest first', async () => {
  await empty();
  await commit(Array.from({ length: LOG_FOLD_ROWS_MAX + 2 }, () => sampleOf(1)));
  assert.equal((await foldJournal(sql))!.rows, LOG_FOLD_ROWS_MAX);
  const [left] = await sql<{ oldest: bigint }[]>`select min(first_log_no) as oldest from log_journal`;
  const [newest] = await sql<{ newest: bigint }[]>`select max(last_log_no) as newest from log_page`;
  assert.ok(newest!.newest < left!.oldest);
  assert.equal((await foldJournal(sql))!.rows, 2);
});

test('G7: a writer whose journal is full writes nothing until it is folded; others go on', async () => {
  await empty();
  const name = await commit([sampleOf(1)]);
  await sql`
    insert into log_journal (writer, attempts, webhook_nos, data)
    select ${name}, 0, '{}', (select data from log_journal where writer = ${name} limit 1)
    from generate_series(2, ${LOG_JOURNAL_ROWS_MAX})`;
  const attempts = sampleOf(1);
  const next = { writer: { name, epoch: 1 }, batchNo: 2, attempts, usage: [], latency: [], checkpoints: [] };
  await assert.rejects(store.commit(next), JournalFull);
  await commit([sampleOf(1)]);
  assert.equal((await sql`select from record_writer where writer = ${name} and batch_no = 1`).length, 1);
  await sql`delete from log_journal where attempts = 0`;
  await store.commit(next);
  await store.commit(next);
  assert.equal((await loggedAttempts(sql)).length, 3);
});
