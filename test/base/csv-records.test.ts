import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readCsv } from '#engine/base/csv-records.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

function table(t: TestContext, content: string | Buffer): string {
  const path = join(temporaryFolder(t), 'table.csv');
  writeFileSync(path, content);
  return path;
}

test('columns are found by their header, and each record names its line', (t) => {
  const path = table(t, '"id","name","round"\n"a","Ä, b",1\n"c","say ""so""\nand on",22\n"d",,\n');
  assert.deepEqual(readCsv(path, ['round', 'name']), [
    { where: 'table.csv:2', values: { round: '1', name: 'Ä, b' } },
    { where: 'table.csv:3', values: { round: '22', name: 'say "so"\nand on' } },
    { where: 'table.csv:5', values: { round: null, name: null } },
  ]);
});

test('an empty field is null, and an empty quoted text is an empty text', (t) => {
  const path = table(t, 'a,b,c\n,"",\n');
  assert.deepEqual(readCsv(path, ['a', 'b', 'c'])[0]!.values, { a: null, b: '', c: null });
});

test('a byte order mark, CR LF and a missing last line end do no harm', (t) => {
  const path = table(t, '\ufeff"a","b"\r\n1,"2"\r\n3,4');
  assert.deepEqual(
    readCsv(path, ['a', 'b']).map(({ values }) => values),
    [
      { a: '1', b: '2' },
      { a: '3', b: '4' },
    ],
  );
});

test('an invalid table is refused with file and line', (t) => {
  for (const [content, pattern] of [
    ['', /^table\.csv: it is empty/],
    ['a,b\n1,2\n', /^table\.csv:1: there is no column c/],
    ['a,b,c\n1,2,3\n1,2\n', /^table\.csv:3: 2 fields instead of 3/],
    ['a,b,c\n1,2,3,4\n', /^table\.csv:2: 4 fields instead of 3/],
    ['a,b,c\n\n', /^table\.csv:2: 1 fields instead of 3/],
    ['a,b,c\n1,"2,3\n4,5,6\n', /^table\.csv:2: a quoted field is not closed/],
    ['a,b,c\n1,2"x",3\n', /^table\.csv:2: there is a quote where none is allowed/],
    ['a,b,c\n1,"2"x,3\n', /^table\.csv:2: there is a quote where none is allowed/],
    [Buffer.from([0x61, 0xff]), /^table\.csv: it is not UTF-8 text/],
  ] as const) {
    assert.throws(
      () => readCsv(table(t, content), ['a', 'b', 'c']),
      (error) => error instanceof SourceError && pattern.test(error.message),
      String(content),
    );
  }
});

test('a path that is missing or a folder is named in the error', (t) => {
  const folder = temporaryFolder(t);
  assert.throws(() => readCsv(join(folder, 'none.csv'), ['a']), /none\.csv: there is nothing at this path/);
  assert.throws(() => readCsv(folder, ['a']), /this is not a file/);
});
