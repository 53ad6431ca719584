import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from '#engine/base/byte-writer.ts';
import { LOG_BLOCK_NUMBERS_MAX, LOG_PAGE_ATTEMPTS_MAX } from '#engine/base/limits.ts';
import { isDelivered } from '#engine/delivery/attempt-result.ts';
import { AttemptsWriter, MODES, readAttempts } from '#engine/delivery/delivery-log/attempt-columns.ts';
import { AttemptList } from '#engine/delivery/delivery-log/attempt-list.ts';
import { JournalRow, JournalRowWriter } from '#engine/delivery/delivery-log/journal-row.ts';
import { attemptsOfPage, foldedPages, type NumberedAttempt } from '#engine/delivery/delivery-log/log-page.ts';
import type { AttemptRecord } from '#engine/delivery/delivery-log/record-store.ts';
import { anyAttempt, DAY_MS, FIRST_MS } from '#test/support/any-attempt.ts';

function rowOf(attempts: readonly AttemptRecord[], firstLogNo: bigint): JournalRow {
  const writing = new JournalRowWriter().write(attempts, 7);
  let step = writing.next();
  while (!step.done) step = writing.next();
  const { webhookNos, bytes } = step.value;
  assert.deepEqual(
    webhookNos,
    [...new Set(attempts.map(({ webhookNo }) => webhookNo))].sort((a, b) => a - b),
  );
  return new JournalRow(firstLogNo, Uint8Array.from(bytes));
}

const byNumber = (a: NumberedAttempt, b: NumberedAttempt): number => (a.logNo < b.logNo ? -1 : 1);

test('any attempts of one endpoint are read as they were written', () => {
  const bytes = new ByteWriter();
  const writer = new AttemptsWriter(bytes);
  fc.assert(
    fc.property(fc.array(anyAttempt([7]), { maxLength: 100 }), fc.nat(), (attempts, gap) => {
      bytes.clear();
      const offsets = attempts.map((_, i) => i * (1 + (gap % 1_000)));
      writer.write(AttemptList.from(attempts), [...attempts.keys()], offsets);
      assert.deepEqual(readAttempts(bytes.view(), 7), { attempts, offsets });
    }),
  );
});

test('G4: NUL becomes U+FFFD, as in the rows of earlier versions', () => {
  const bytes = new ByteWriter();
  const [attempt] = fc.sample(anyAttempt([1]), 1);
  const withNul = { ...attempt!, result: { kind: 'answered', statusCode: 200, body: 'a\0b' } } as const;
  new AttemptsWriter(bytes).write(AttemptList.from([withNul]), [0], [0]);
  const { attempts } = readAttempts(bytes.view(), 1);
  assert.deepEqual(attempts[0]!.result, { kind: 'answered', statusCode: 200, body: 'a\ufffdb' });
});

test('FP1, FP2: pages hold exactly the attempts of the journal, and heads are true of them', () => {
  fc.assert(
    fc.property(fc.array(fc.array(anyAttempt([3, 9, 4_000]), { maxLength: 60 }), { maxLength: 5 }), (batches) => {
      const firstNos = batches.map((_, i) => BigInt(LOG_BLOCK_NUMBERS_MAX) * BigInt(i + 1));
      const rows = batches.map((attempts, i) => rowOf(attempts, firstNos[i]!));
      const expected = batches.flatMap((attempts, i) =>
        attempts.map((attempt, offset) => ({ logNo: firstNos[i]! + BigInt(offset), attempt })),
      );
      const folded: NumberedAttempt[] = [];
      for (const { head, data } of foldedPages(rows)) {
        const own = attemptsOfPage(head, data);
        folded.push(...own);
        assert.ok(own.length > 0 && own.length <= LOG_PAGE_ATTEMPTS_MAX);
        const attempts = own.map(({ attempt }) => attempt);
        const runNos = attempts.map(({ runNo }) => runNo ?? 0);
        const times = attempts.map(({ createdAtMs }) => createdAtMs);
        const sequences = attempts.map(({ sequence }) => sequence);
        assert.deepEqual(head, {
          webhookNo: attempts[0]!.webhookNo,
          dayMs: Math.floor(times[0]! / DAY_MS) * DAY_MS,
          firstLogNo: own[0]!.logNo,
          lastLogNo: own.at(-1)!.logNo,
          attempts: own.length,
          failed: attempts.filter(({ result }) => !isDelivered(result)).length,
          firstAtMs: Math.min(...times),
          lastAtMs: Math.max(...times),
          feeds: attempts.reduce((feeds, { feed }) => feeds | (1n << BigInt(feed)), 0n),
          modes: attempts.reduce((modes, { mode }) => modes | (1 << MODES.indexOf(mode)), 0),
          firstRunNo: Math.min(...runNos),
          lastRunNo: Math.max(...runNos),
          firstSequence: Math.min(...sequences),
          lastSequence: Math.max(...sequences),
        });
        assert.ok(
          times.every((ms) => Math.floor(ms / DAY_MS) * DAY_MS === head.dayMs),
          'one day',
        );
      }
      assert.deepEqual(folded.sort(byNumber), expected);
    }),
    { numRuns: 60 },
  );
});

test('a page has a bounded number of attempts', () => {
  const [attempt] = fc.sample(anyAttempt([1]), 1);
  const same = { ...attempt!, createdAtMs: FIRST_MS };
  const row = rowOf(
    Array.from({ length: 2 * LOG_PAGE_ATTEMPTS_MAX + 1 }, () => same),
    5n,
  );
  const sizes = [...foldedPages([row])].map(({ head }) => head.attempts);
  assert.deepEqual(sizes, [LOG_PAGE_ATTEMPTS_MAX, LOG_PAGE_ATTEMPTS_MAX, 1]);
});
