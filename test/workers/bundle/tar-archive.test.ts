import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { type TarEntry, tarArchive } from '#workers/bundle/tar-archive.ts';

function fileEntry(path: string, text: string): TarEntry {
  const content = Buffer.from(text);
  const read = async function* () {
    yield content;
  };
  return { kind: 'file', path, executable: false, bytes: content.length, read };
}

async function archiveOf(t: TestContext, entries: readonly TarEntry[]): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of tarArchive(entries)) chunks.push(chunk);
  const file = join(temporaryFolder(t), 'test.tar');
  writeFileSync(file, Buffer.concat(chunks));
  return file;
}

test('tar lists what was put in: owner root, one time, the modes, sizes and links', async (t) => {
  const file = await archiveOf(t, [
    { kind: 'folder', path: 'top' },
    { kind: 'link', path: 'top/link', target: 'file' },
    { ...fileEntry('top/file', 'x'.repeat(513)), executable: true } as TarEntry,
    fileEntry('top/empty', ''),
  ]);
  const listed = execFileSync('tar', ['-tvf', file, '--numeric-owner'], { encoding: 'utf8', env: { TZ: 'UTC' } });
  assert.deepEqual(
    listed
      .trim()
      .split('\n')
      .map((line) => line.replace(/ +/g, ' ')),
    [
      'drwxr-xr-x 0/0 0 1980-01-01 00:00 top/',
      'lrw-r--r-- 0/0 0 1980-01-01 00:00 top/link -> file',
      '-rwxr-xr-x 0/0 513 1980-01-01 00:00 top/file',
      '-rw-r--r-- 0/0 0 1980-01-01 00:00 top/empty',
    ],
  );
});

test('paths of every length up to the limit of the format are read as they were written; a longer one is refused', async (t) => {
  const pathOf = (length: number): string => {
    const segments = 'a23456789/'.repeat(30).slice(0, length);
    return segments.endsWith('/') ? `${segments.slice(0, -1)}b` : segments;
  };
  const paths = Array.from({ length: 160 }, (_, index) => pathOf(90 + index));
  const file = await archiveOf(
    t,
    paths.map((path) => fileEntry(path, path)),
  );
  assert.deepEqual(execFileSync('tar', ['-tf', file], { encoding: 'utf8' }).trim().split('\n'), paths);
  for (const path of [pathOf(260), 'x'.repeat(101), `${'x'.repeat(160)}/y`])
    await assert.rejects(archiveOf(t, [fileEntry(path, '')]), /the path is too long for a tar archive/);
});
