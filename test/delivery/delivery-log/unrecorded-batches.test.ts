// What a stopping shard keeps in files, and what the next start makes of them.

import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { UNRECORDED_FILE_BYTES_MAX, UNRECORDED_FILES_MAX } from '#engine/base/limits.ts';
import { failed } from '#engine/delivery/attempt-result.ts';
import {
  type AttemptRecord,
  JournalFull,
  newCheckpoint,
  type RecordBatch,
  type Writer,
} from '#engine/delivery/delivery-log/record-store.ts';
import { keepBatches, recordKept } from '#engine/delivery/delivery-log/unrecorded-batches.ts';
import { UnrecordedFolder } from '#engine/delivery/delivery-log/unrecorded-folder.ts';
import { decodeBatches, encodeBatch, encodeHeader } from '#engine/delivery/delivery-log/unrecorded-format.ts';
import { DAY_UNKNOWN } from '#engine/delivery/usage/day.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { MemoryRecordStore } from '#test/support/memory-record-store.ts';

const WRITER: Writer = { name: 'shard 0 of 6b1f', epoch: 1 };

function attempt(sequence: number, changes: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    webhookNo: 7,
    runNo: 3,
    mode: 'replay',
    feed: 6,
    sequence,
    attempt: 1,
    result: { kind: 'answered', statusCode: 200, body: 'ok' },
    latencyMs: 12.34,
    lagMs: 56.78,
    createdAtMs: Date.UTC(2026, 10, 20) + sequence,
    ...changes,
  };
}

function batch(batchNo: number, changes: Partial<RecordBatch> = {}): RecordBatch {
  return {
    writer: WRITER,
    batchNo,
    attempts: [
      attempt(10 * batchNo),
      attempt(10 * batchNo + 1, { runNo: null, mode: 'test', lagMs: null, result: failed('tls', 'a "quoted" text\0') }),
    ],
    usage: [
      {
        accountId: 'acc_1',
        month: '2026-11-01',
        day: 20,
        feedId: 'timing.data',
        attempts: 2,
        succeeded: 1,
        failed: 1,
        skipped: 3,
      },
    ],
    latency: [
      { accountId: 'acc_1', month: '2026-11-01', feedId: 'timing.data', counts: Uint32Array.from([0, 2 ** 31, 1]) },
    ],
    checkpoints: [
      {
        ...newCheckpoint('run_1', 'wh_1'),
        nextPosition: batchNo,
        pending: [{ position: 1, attemptsMade: 2, dueAtMs: 1_790_000_000_123.5 }],
        matched: 2,
        delivered: 1,
        skipped: { paused: 3 },
        spans: [{ first: 3, last: 5, reason: 'paused' }],
        due: [{ month: '2026-11-01', outcome: 'on_time', updates: 2 }],
        heldBefore: 9,
      },
    ],
    ...changes,
  };
}

function setUp() {
  const dataDir = temporaryDataDir();
  const files = new UnrecordedFolder(dataDir);
  const store = new MemoryRecordStore();
  const lines: { level: string; message: string; details: Record<string, unknown> }[] = [];
  const line = (level: string) => (details: object, message: string) => {
    lines.push({ level, message, details: { ...details } });
  };
  const log = { info: line('info'), warn: line('warn'), error: line('error') };
  const present = (): string[] => readdirSync(files.folder).sort();
  const fold = async (): Promise<void> => store.fold();
  return { dataDir, files, store, log, lines, present, parts: { files, store, log, fold } };
}

const FILE = 'shard-0-of-6b1f-1.batches';

test('UR1: a batch comes back from its file as it was', () => {
  const batches = [batch(4), batch(5, { attempts: [], usage: [], latency: [] })];
  const bytes = Buffer.concat([encodeHeader(2), ...batches.map(encodeBatch)]);
  assert.deepEqual([...decodeBatches(bytes)], batches);
});

test('UR1, R8: late checkpoints and those that become rows come back from its file, too', () => {
  const known = batch(4);
  const lateRows = { checkpoints: [...known.checkpoints], upToBatchNo: 3 };
  const late: RecordBatch = { ...known, checkpointsAreLate: true, lateRows };
  assert.deepEqual([...decodeBatches(Buffer.concat([encodeHeader(1), encodeBatch(late)]))], [late]);
});

test('UR1: a file of the version that recorded no lag can be read', () => {
  const known = batch(4);
  const older = { ...known, attempts: [...known.attempts].map(({ lagMs, ...rest }) => rest) } as unknown as RecordBatch;
  const bytes = Buffer.concat([encodeHeader(1), encodeBatch(older)]);
  const attempts = [...known.attempts].map((row) => ({ ...row, lagMs: null }));
  assert.deepEqual([...decodeBatches(bytes)], [{ ...known, attempts }]);
});

test('UR1, R4: a file of the version that counted months only counts for its month, and for no day', () => {
  const known = batch(4);
  const older = { ...known, usage: known.usage.map(({ day, ...rest }) => rest) } as unknown as RecordBatch;
  const bytes = Buffer.concat([encodeHeader(1), encodeBatch(older)]);
  const usage = known.usage.map((row) => ({ ...row, day: DAY_UNKNOWN }));
  assert.deepEqual([...decodeBatches(bytes)], [{ ...known, usage }]);
});

test('UR1: a start records what was kept and removes the file, which only its user could read', async () => {
  const { files, store, parts, present, lines } = setUp();
  await store.admit(WRITER);
  assert.equal(keepBatches(parts, [batch(1), batch(2)]), 2);
  assert.deepEqual(present(), [FILE]);
  assert.equal(statSync(join(files.folder, FILE)).mode & 0o777, 0o600);
  assert.equal(statSync(files.folder).mode & 0o777, 0o700);
  await recordKept(parts);
  assert.deepEqual(present(), []);
  assert.deepEqual(
    store.attempts.map(({ sequence }) => sequence),
    [10, 11, 20, 21],
  );
  assert.equal(store.checkpoint('run_1', 'wh_1')!.nextPosition, 2);
  assert.equal([...store.usage.values()][0]!.attempts, 4);
  assert.deepEqual(
    lines.map(({ level, details }) => [level, details.attempts]),
    [
      ['warn', 4],
      ['info', 4],
    ],
  );
});

test('UR1, R8: a kept batch whose checkpoints are late comes late, so that what came late before it stays', async () => {
  const { store, parts } = setUp();
  await store.admit(WRITER);
  const late = (batchNo: number, webhookId: string): RecordBatch =>
    batch(batchNo, { checkpoints: [newCheckpoint('run_1', webhookId)], checkpointsAreLate: true });
  await store.commit(late(1, 'wh_1'));
  keepBatches(parts, [late(2, 'wh_2')]);
  await recordKept(parts);
  assert.equal(store.checkpoint('run_1', 'wh_2'), undefined);
  store.supersedeWriters();
  assert.notEqual(store.checkpoint('run_1', 'wh_1'), undefined);
  assert.notEqual(store.checkpoint('run_1', 'wh_2'), undefined);
});

test('UR2: a batch that the database had taken nevertheless is written once, also if the start dies in between', async () => {
  const { store, parts, present } = setUp();
  await store.admit(WRITER);
  await store.commit(batch(1));
  keepBatches(parts, [batch(1), batch(2)]);
  store.fault = 'lose-answer';
  await assert.rejects(recordKept(parts), /the answer was lost/);
  assert.deepEqual(present(), [FILE], 'it stays for the next start');
  store.fault = 'none';
  await recordKept(parts);
  await store.commit(batch(2));
  assert.equal(store.attempts.length, 4);
});

test('UR6: a journal that is full is folded for what was kept: nothing else folds it before the start', async () => {
  const { store, parts, present } = setUp();
  await store.admit(WRITER);
  keepBatches(parts, [batch(1), batch(2)]);
  let room = 0;
  const commit = store.commit.bind(store);
  store.commit = async (kept) => {
    if (room-- <= 0) throw new JournalFull();
    return commit(kept);
  };
  const fold = async (): Promise<void> => {
    room = 1;
  };
  await recordKept({ ...parts, fold });
  assert.deepEqual([store.attempts.length, present()], [4, []]);
  keepBatches(parts, [batch(3)]);
  const failing = () => Promise.reject(new Error('cannot fold'));
  await assert.rejects(recordKept({ ...parts, fold: failing }), /cannot fold/);
  assert.deepEqual(present(), [FILE], 'it stays for the next start');
});

test('UR2: a thread that was never admitted, because the database was away since its start, is admitted now', async () => {
  const { store, parts } = setUp();
  await store.admit(WRITER);
  keepBatches(parts, [batch(1, { writer: { ...WRITER, epoch: 2 } })]);
  await recordKept(parts);
  assert.equal(store.attempts.length, 2);
});

test('UR4: another database, one that another service has used, and an older one take nothing, and the file stays', async () => {
  for (const prepare of [
    async () => {},
    async (store: MemoryRecordStore) => {
      await store.admit(WRITER);
      store.supersedeWriters();
    },
    async (store: MemoryRecordStore) => {
      await store.admit(WRITER);
      await store.commit(batch(2));
    },
  ]) {
    const { store, parts, present, lines } = setUp();
    await prepare(store);
    const before = store.attempts.length;
    keepBatches(parts, [batch(4)]);
    await recordKept(parts);
    assert.equal(store.attempts.length, before);
    assert.deepEqual(present(), [FILE]);
    assert.match(lines.at(-1)!.message, /^did not record the attempts of a file: this database/);
    assert.deepEqual([lines.at(-1)!.level, lines.at(-1)!.details.attempts], ['error', 2]);
  }
});

test('UR5: of a damaged file the batches before the damage are recorded, it is kept aside, and the start goes on', async () => {
  for (const damage of [
    (path: string) => truncateSync(path, statSync(path).size - 1),
    (path: string) => {
      const bytes = readFileSync(path);
      bytes[bytes.length - 9]! ^= 1;
      writeFileSync(path, bytes);
    },
  ]) {
    const { files, store, parts, present, lines } = setUp();
    await store.admit(WRITER);
    keepBatches(parts, [batch(1), batch(2)]);
    damage(join(files.folder, FILE));
    await recordKept(parts);
    assert.equal(store.attempts.length, 2);
    assert.deepEqual(present(), ['shard-0-of-6b1f-1.damaged']);
    assert.equal(lines.at(-1)!.level, 'error');
    assert.match(String(lines.at(-1)!.details.error), /damaged at byte/);
  }
});

test('UR5: a file that is empty, of another kind or longer than it says is set aside; one of another version stays', async () => {
  const { files, parts, present } = setUp();
  const newer = Buffer.from(encodeHeader(0));
  newer.writeUInt32LE(2, 8);
  newer.writeUInt32LE(crc32(newer.subarray(0, 16)), 16);
  for (const [name, bytes] of [
    ['a', Buffer.alloc(0)],
    ['b', Buffer.from('not a file of batches')],
    ['c', newer],
  ] as const)
    files.write(name, [bytes]);
  files.write('d', [encodeHeader(0)]);
  appendFileSync(join(files.folder, 'd.batches'), 'x');
  await recordKept(parts);
  assert.deepEqual(present(), ['a.damaged', 'b.damaged', 'c.batches', 'd.damaged']);
});

test('UR5: what the database will never take is set aside; an outage is not: the start fails and the file stays', async () => {
  const { store, parts, present } = setUp();
  await store.admit(WRITER);
  keepBatches(parts, [batch(1)]);
  const refusing = (code: string) => ({
    ...parts,
    store: {
      admit: store.admit.bind(store),
      lastBatch: store.lastBatch.bind(store),
      commit: async () => {
        throw Object.assign(new Error('refused'), { code });
      },
    },
  });
  await assert.rejects(recordKept(refusing('57P01')));
  assert.deepEqual(present(), [FILE]);
  await recordKept(refusing('23514'));
  assert.deepEqual(present(), ['shard-0-of-6b1f-1.refused']);
});

test('UR5: what has no room in the file is counted; so is everything when there are too many files', () => {
  const { files, parts, lines } = setUp();
  const body = 'x'.repeat(UNRECORDED_FILE_BYTES_MAX / 4);
  const large = (batchNo: number): RecordBatch =>
    batch(batchNo, { attempts: [attempt(batchNo, { result: { kind: 'answered', statusCode: 200, body } })] });
  const written: number[] = [];
  const memory = {
    ...parts,
    files: { ...silent(files), write: (_: string, all: readonly Uint8Array[]) => void written.push(all.length) },
  };
  assert.equal(keepBatches(memory, [1, 2, 3, 4, 5].map(large)), 3);
  assert.deepEqual(written, [4], 'a header and three batches');
  assert.deepEqual(
    lines.map(({ level, details }) => [level, details.attempts]),
    [
      ['warn', 3],
      ['error', 2],
    ],
  );
  const full = {
    ...parts,
    files: { ...silent(files), names: () => Array.from({ length: UNRECORDED_FILES_MAX }, String) },
  };
  assert.equal(keepBatches(full, [batch(1), batch(2)]), 0);
  assert.deepEqual([lines.at(-1)!.level, lines.at(-1)!.details.attempts], ['error', 4]);
});

test('UR5: a folder that cannot be written costs the attempts, and says so', () => {
  const { dataDir, parts, lines } = setUp();
  writeFileSync(join(dataDir, 'unrecorded'), 'in the way');
  assert.equal(keepBatches({ ...parts, files: new UnrecordedFolder(dataDir) }, [batch(1)]), 0);
  assert.deepEqual([lines.at(-1)!.level, lines.at(-1)!.details.attempts], ['error', 2]);
});

/** A folder that has no files and takes none. */
function silent({ folder }: UnrecordedFolder) {
  const never = (): never => {
    throw new Error('not to be called');
  };
  return { folder, names: (): readonly string[] => [], write: never, read: never, remove: never, setAside: never };
}
