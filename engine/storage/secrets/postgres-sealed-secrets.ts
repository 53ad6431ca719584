// All sealed secrets in the database: checks that they can be opened, and reseals them under another key.
//
// K1 Resealing compares and sets: a secret that was replaced meanwhile stays as it is.
// K2 A key is retired under a lock that excludes writers, once no secret is sealed under it. From then on the database
//    refuses secrets under that key (schemas/database/0008-retired-secret-keys.sql), so the key may be thrown away.

import { RESEAL_BATCH_ROWS } from '#engine/base/limits.ts';
import type { Sql, TransactionSql } from '#engine/storage/postgres-client.ts';
import { StorageError } from '#engine/storage/storage-error.ts';
import type { SecretBox } from './secret-box.ts';

interface SealedColumn {
  readonly table: string;
  readonly id: string;
  readonly column: string;
}

/** Every column that holds sealed secrets. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'account', id: 'account_id', column: 'client_secret_sealed' },
  { table: 'webhook', id: 'webhook_id', column: 'secret_sealed' },
  { table: 'webhook', id: 'webhook_id', column: 'previous_secret_sealed' },
  { table: 'webhook', id: 'webhook_id', column: 'headers_sealed' },
];
const ROTATION_LOCK = 7_305_808_866;

/** Throws a StorageError unless all secrets are sealed under keys of this box and its first key is not retired. */
export async function requireKeys(sql: Sql, box: SecretBox): Promise<void> {
  const [retired] = await sql<{ at: Date }[]>`
    select retired_at as at from retired_secret_key where key_id = ${box.keyIds[0]!}`;
  if (retired !== undefined) {
    const day = retired.at.toISOString().slice(0, 10);
    throw new StorageError(`SECRET_KEY: this key was retired on ${day}. Start with the key that replaced it.`);
  }
  const strange = await secretsUnderOtherKeys(sql, box);
  if (strange > 0) {
    throw new StorageError(
      `SECRET_KEY: ${strange} of the secrets in the database were sealed under another key. Restore DATA_DIR/secret.key ` +
        'from the backup, or set SECRET_KEY to the key of that time. During a rotation, set SECRET_KEY_PREVIOUS to it.',
    );
  }
}

/** Returns how many secrets in the database no key of this box opens. */
export async function secretsUnderOtherKeys(sql: Sql | TransactionSql, box: SecretBox): Promise<number> {
  const known = box.keyIds.map((id) => id.toString('hex'));
  let strange = 0;
  for (const [keyId, count] of await secretsByKey(sql)) if (!known.includes(keyId)) strange += count;
  return strange;
}

/** Runs `rotate` under a lock in the database. Throws a StorageError when another process is rotating the key. */
export async function withRotationLock<Result>(sql: Sql, rotate: () => Promise<Result>): Promise<Result> {
  const connection = await sql.reserve();
  try {
    const [row] = await connection<
      { taken: boolean }[]
    >`select pg_try_advisory_lock(${ROTATION_LOCK}::bigint) as taken`;
    if (!row!.taken) throw new StorageError('Another rotation of the key is running. Wait until it ends.');
    try {
      return await rotate();
    } finally {
      await connection`select pg_advisory_unlock(${ROTATION_LOCK}::bigint)`;
    }
  } finally {
    connection.release();
  }
}

/**
 * Reseals all secrets of other keys under the first key, a bounded number of rows at a time (K1). Returns their number.
 */
export async function reseal(sql: Sql, box: SecretBox, onProgress: (resealed: number) => void): Promise<number> {
  let resealed = 0;
  for (const column of SEALED_COLUMNS) {
    for (let last: string | null = ''; last !== null; ) {
      const batch: Batch = await resealBatch(sql, box, column, last);
      resealed += batch.resealed;
      last = batch.last;
      onProgress(resealed);
    }
  }
  return resealed;
}

/** Retires all keys but the first (K2). Returns false when a secret has been sealed under one of them meanwhile. */
export function retirePrevious(sql: Sql, box: SecretBox): Promise<boolean> {
  const previous = box.keyIds.slice(1);
  return sql.begin(async (transaction) => {
    await transaction`lock table account, webhook in share row exclusive mode`;
    const used = await secretsByKey(transaction);
    if (previous.some((id) => used.has(id.toString('hex')))) return false;
    for (const id of previous) {
      await transaction`insert into retired_secret_key (key_id) values (${id}) on conflict do nothing`;
    }
    return true;
  });
}

interface Batch {
  readonly resealed: number;
  /** The id of its last row; null when there are no more. */
  readonly last: string | null;
}

async function resealBatch(
  sql: Sql,
  box: SecretBox,
  { table, id, column }: SealedColumn,
  after: string,
): Promise<Batch> {
  const previous = box.keyIds.slice(1).map((keyId) => keyId.toString('hex'));
  const rows = await sql<{ id: string; sealed: Buffer }[]>`
    select ${sql(id)} as id, ${sql(column)} as sealed from ${sql(table)}
    where ${sql(id)} > ${after} and encode(substring(${sql(column)} from 2 for 4), 'hex') = any(${previous})
    order by ${sql(id)} limit ${RESEAL_BATCH_ROWS}`;
  if (rows.length === 0) return { resealed: 0, last: null };
  const ids = rows.map((row) => row.id);
  const before = rows.map(({ sealed }) => sealed.toString('hex'));
  const anew = rows.map(({ sealed }) => box.seal(box.open(sealed)).toString('hex'));
  const updated = await sql`
    update ${sql(table)} as secret set ${sql(column)} = decode(row.anew, 'hex')
    from unnest(${ids}::text[], ${before}::text[], ${anew}::text[]) as row (id, before, anew)
    where secret.${sql(id)} = row.id and secret.${sql(column)} = decode(row.before, 'hex')`;
  return { resealed: updated.count, last: ids.at(-1)! };
}

/** Returns the number of secrets under each key, by the hexadecimal id of the key. */
async function secretsByKey(sql: Sql | TransactionSql): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { table, column } of SEALED_COLUMNS) {
    const rows = await sql<{ keyId: string; count: number }[]>`
      select encode(substring(${sql(column)} from 2 for 4), 'hex') as "keyId", count(*)::int as count
      from ${sql(table)} where ${sql(column)} is not null group by 1`;
    for (const { keyId, count } of rows) counts.set(keyId, (counts.get(keyId) ?? 0) + count);
  }
  return counts;
}
