import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lockForService } from '#engine/storage/service-lock.ts';
import { StorageError } from '#engine/storage/storage-error.ts';
import { withDatabase } from '#test/support/database.ts';

const { database } = await withDatabase({ after });

test('a second service on the same database is refused, until the first one is gone', async () => {
  const first = database.connect(1);
  await lockForService(first);
  const second = database.connect(1);
  await assert.rejects(lockForService(second, 0), (error) => {
    return error instanceof StorageError && /^DATABASE_URL: another service/.test(error.message);
  });
  const waiting = lockForService(second);
  await first.end();
  await waiting;
});
