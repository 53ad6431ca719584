// Commands know what the database did not take at the last stop: a backup holds it, the doctor shows it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Value from 'typebox/value';
import { UnrecordedFolder } from '#engine/delivery/delivery-log/unrecorded-folder.ts';
import { BackupFile } from '#schemas/backup/manifest.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { copyDataFile, listDataFiles } from '#workers/admin/backup/data-files.ts';
import { checkDataDir } from '#workers/admin/doctor/data-dir-check.ts';

const PATH = 'unrecorded/shard-0-of-6b1f-1.batches';
const { signal } = new AbortController();

function withFile(): { dataDir: string; files: UnrecordedFolder } {
  const dataDir = temporaryDataDir();
  const files = new UnrecordedFolder(dataDir);
  files.write('shard-0-of-6b1f-1', [Buffer.from('batches')]);
  return { dataDir, files };
}

test('a backup holds the file, and not one that was set aside', async () => {
  const { dataDir, files } = withFile();
  files.write('shard-1-of-6b1f-1', [Buffer.from('damaged')]);
  files.setAside('shard-1-of-6b1f-1', 'damaged');
  const listed = await listDataFiles(dataDir);
  assert.deepEqual([...listed.keys()], [PATH]);
  const folder = temporaryDataDir();
  const copied = await copyDataFile(dataDir, PATH, listed.get(PATH)!, folder, signal);
  assert.equal(readFileSync(join(folder, PATH), 'utf8'), 'batches');
  assert.ok(Value.Check(BackupFile, copied), 'the manifest can name it');
});

test('a file that a start records during the backup makes the backup fail: its attempts would be in neither', async () => {
  const { dataDir, files } = withFile();
  const listed = await listDataFiles(dataDir);
  files.remove('shard-0-of-6b1f-1');
  await assert.rejects(copyDataFile(dataDir, PATH, listed.get(PATH)!, temporaryDataDir(), signal), {
    message: `${PATH} was removed during the backup. Start the backup again.`,
  });
});

test('the doctor warns of attempts that wait in files', async () => {
  const { dataDir, files } = withFile();
  const warnings = async () => (await checkDataDir(dataDir)).filter(({ text }) => /did not take/.test(text));
  assert.deepEqual(
    (await warnings()).map(({ level, text }) => [level, text]),
    [['warning', `1 file in ${files.folder} with attempts that the database did not take`]],
  );
  files.remove('shard-0-of-6b1f-1');
  assert.deepEqual(await warnings(), []);
});
