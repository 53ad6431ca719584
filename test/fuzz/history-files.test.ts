// Damaged or hostile releases and calendars: they are read, or refused with the place of the problem. The contents of a
// zip stay within their bounds and their folder.

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { HISTORY_ZIP_ENTRIES_MAX, SOURCE_FILE_BYTES_MAX } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { openCalendar } from '#engine/seasons/calendar/open-calendar.ts';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import { unpackRelease } from '#engine/seasons/history/yauzl-release-zip.ts';
import { dataPath, WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { SMALL_RELEASE_FILES, writeSmallRelease } from '#test/support/small-release.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { damagedBytes, damagedJson, oddJson } from './damage.ts';
import { Cases, fuzzRuns } from './runs.ts';

/** The message of the SourceError, if any. No other error may occur. */
function refusal(read: () => unknown, cases: Cases): string | null {
  try {
    read();
    cases.add('read');
    return null;
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    assert.ok(error.where !== '' && error.message.length < 3_000);
    cases.add('refused');
    return error.message;
  }
}

const table = fc.constantFrom(...SMALL_RELEASE_FILES);
/** A different value for a field of a table. */
const oddField = fc.oneof(
  fc.constantFrom(
    '',
    '""',
    '"',
    ',',
    '1e999',
    '-1',
    '99999999999999999999',
    '0x10',
    '"\u0000"',
    '"2026-02-30"',
    '"__proto__"',
  ),
  fc.string({ maxLength: 10 }),
);

test('a release with a damaged table is read, or refused with file and line', (t) => {
  const cases = new Cases(t, 'releases');
  const folder = writeSmallRelease(temporaryFolder(t));
  const valid = new Map(SMALL_RELEASE_FILES.map((file) => [file, readFileSync(join(folder, file))]));
  const damaged = table.chain((file) => {
    const field = fc.tuple(fc.nat(), oddField).map(([place, value]) => {
      const fields = valid
        .get(file)!
        .toString()
        .split(/(,|\n)/);
      fields[(place % Math.ceil(fields.length / 2)) * 2] = value;
      return Buffer.from(fields.join(''));
    });
    return fc.oneof(field, damagedBytes([valid.get(file)!])).map((bytes) => [file, bytes] as const);
  });
  fc.assert(
    fc.property(damaged, ([file, bytes]) => {
      writeFileSync(join(folder, file), bytes);
      const refused = refusal(() => readF1dbRelease(folder), cases);
      assert.ok(refused === null || refused.includes('.csv'), refused ?? '');
      refusal(() => openCalendar(folder, { season: null, current: 2023 }), cases);
      writeFileSync(join(folder, file), valid.get(file)!);
    }),
    fuzzRuns(200),
  );
});

const INDEX = JSON.stringify({
  Year: 2026,
  Meetings: [
    {
      Key: 1,
      Number: 1,
      Name: 'Australian Grand Prix',
      Location: 'Melbourne',
      Circuit: { ShortName: 'Melbourne' },
      Sessions: [
        {
          Type: 'Practice',
          Number: 1,
          Name: 'Practice 1',
          StartDate: '2026-03-06T12:30:00',
          EndDate: '2026-03-06T13:30:00',
          GmtOffset: '11:00:00',
          Path: '2026/x/',
        },
        {
          Type: 'Race',
          Name: 'Race',
          StartDate: '2026-03-08T15:00:00',
          EndDate: '2026-03-08T17:00:00',
          GmtOffset: '11:00:00',
        },
      ],
    },
    { Key: 2, Number: 0, Name: 'Pre-Season Testing', Sessions: [] },
  ],
});

test('a damaged season index is read, or refused with file and field', (t) => {
  const cases = new Cases(t, 'calendars');
  const path = join(temporaryFolder(t), 'Index-2026.json');
  const indexes = [INDEX];
  if (WITHOUT_RECORDINGS) t.diagnostic(WITHOUT_RECORDINGS);
  else indexes.push(readFileSync(dataPath('archive/_index/Index-2023.json'), 'utf8').replace(/^\ufeff/, ''));
  const index = fc.oneof(
    { arbitrary: fc.constantFrom(...indexes).chain(damagedJson), weight: 6 },
    { arbitrary: damagedBytes(indexes).map((bytes) => bytes.toString('latin1')), weight: 2 },
    oddJson,
  );
  fc.assert(
    fc.property(index, (text) => {
      writeFileSync(path, text);
      const refused = refusal(() => openCalendar(path, { season: null, current: 2026 }), cases);
      assert.ok(refused === null || refused.includes('Index-2026.json'), refused ?? '');
    }),
    fuzzRuns(200),
  );
});

interface ZipFile {
  readonly name: string;
  readonly content: Buffer;
  /** The values that the zip claims. */
  readonly claimedBytes?: number;
  readonly claimedCrc?: number;
  readonly method?: number;
}

/** A zip written byte by byte, because no library writes an invalid one. */
function zipOf(files: readonly ZipFile[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, claimedBytes = content.length, claimedCrc = crc32(content), method = 8 } of files) {
    const packed = method === 0 ? content : deflateRawSync(content);
    const nameBytes = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(claimedCrc, 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claimedBytes, 18);
    common.writeUInt16LE(nameBytes.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, nameBytes, packed]);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.of(20, 3), common, end, nameBytes]));
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const trailer = Buffer.alloc(18);
  trailer.writeUInt16LE(files.length, 4);
  trailer.writeUInt16LE(files.length, 6);
  trailer.writeUInt32LE(central.length, 8);
  trailer.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, Buffer.from('PK\x05\x06'), trailer]);
}

const small: ZipFile = { name: 'f1db-races.csv', content: Buffer.from('id,year\n1,2026\n') };

/**
 * Unpacks into its own folder and returns the refusal, if any. Asserts that the folder holds only tables, within
 * bounds.
 */
async function unpacked(zip: string, folder: string, cases: Cases): Promise<string | null> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  let refused: string | null = null;
  try {
    await unpackRelease(zip, folder, new AbortController().signal);
    cases.add('unpacked');
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    refused = error.message;
    cases.add('refused');
  }
  for (const name of readdirSync(folder)) {
    assert.match(name, /^f1db-[a-z0-9-]+\.csv$/);
    assert.ok(statSync(join(folder, name)).size <= SOURCE_FILE_BYTES_MAX);
  }
  return refused;
}

test('hostile zips are refused: bombs, names outside of the folder, wrong sizes and checksums, too many files', async (t) => {
  const cases = new Cases(t, 'zips');
  const parent = temporaryFolder(t);
  const zip = join(parent, 'f1db-csv.zip');
  const folder = join(parent, 'unpacked');
  const zeros = Buffer.alloc(SOURCE_FILE_BYTES_MAX + 1);
  for (const [files, pattern] of [
    [[small], null],
    [[{ ...small, name: '../f1db-races.csv' }], /invalid relative path|no f1db/],
    [[{ ...small, name: join(parent, 'f1db-races.csv') }], /absolute path/],
    [[{ ...small, name: 'C:\\f1db-races.csv' }], /cannot be unpacked|no f1db/],
    [[{ ...small, name: 'f1db-races.csv/../../x' }], /invalid relative path/],
    [[{ ...small, name: 'x/f1db-races.csv' }], /no f1db-\*\.csv at its root/],
    [[{ ...small, claimedCrc: 1 }], /its checksum is wrong/],
    [[{ ...small, claimedBytes: 3 }], /cannot be unpacked/],
    [[{ ...small, claimedBytes: 3_000 }], /cannot be unpacked/],
    [[{ ...small, method: 12 }], /cannot be unpacked/],
    [[{ ...small, content: zeros }], /it has \d+ bytes/],
    [[{ ...small, content: zeros, claimedBytes: 100 }], /cannot be unpacked/],
    [[small, small], /it appears twice/],
    [Array.from({ length: HISTORY_ZIP_ENTRIES_MAX + 1 }, (_, n) => ({ ...small, name: `${n}` })), /files, more than/],
    [[], /no f1db-\*\.csv|cannot be unpacked/],
  ] as const) {
    writeFileSync(zip, zipOf(files));
    const refused = await unpacked(zip, folder, cases);
    if (pattern === null) assert.equal(refused, null);
    else
      assert.match(
        refused ?? 'it was unpacked',
        pattern,
        files
          .map(({ name }) => name)
          .join()
          .slice(0, 50),
      );
    assert.deepEqual(readdirSync(parent).sort(), [basename(zip), basename(folder)], 'no file is outside of the folder');
  }
});

test('a zip that is damaged anywhere is unpacked unchanged, or refused', async (t) => {
  const cases = new Cases(t, 'zips');
  const parent = temporaryFolder(t);
  const zip = join(parent, 'f1db-csv.zip');
  const folder = join(parent, 'unpacked');
  const tables = Array.from({ length: 3 }, (_, n) => ({
    name: `f1db-${n}.csv`,
    content: Buffer.from(`id\n${'x'.repeat(n * 50)}\n`),
  }));
  const valid = zipOf([...tables, { ...small, method: 0 }]);
  const contents = new Map([...tables, small].map(({ name, content }) => [name, content]));
  await fc.assert(
    fc.asyncProperty(damagedBytes([valid, valid, Buffer.alloc(40)]), async (bytes) => {
      writeFileSync(zip, bytes);
      if ((await unpacked(zip, folder, cases)) !== null) return;
      for (const name of readdirSync(folder)) {
        const expected = contents.get(name);
        // Damage can turn a name into that of another table.
        if (expected !== undefined) assert.deepEqual(readFileSync(join(folder, name)), expected, name);
      }
    }),
    fuzzRuns(150),
  );
});
