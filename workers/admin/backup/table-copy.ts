// Copies rows out of a database and into one, in the text format of COPY. That format is the same in every version of
// PostgreSQL and needs no program besides the server.

import { Transform } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import type { Sql, TransactionSql } from '#engine/storage/postgres-client.ts';
import { errorText, StorageError } from '#engine/storage/storage-error.ts';
import type { BackupManifest, BackupTable } from '#schemas/backup/manifest.ts';
import { openPlainFile, tableFile } from './backup-folder.ts';
import { writeMeasured } from './measured-copy.ts';

type Table = Pick<BackupTable, 'name' | 'columns'>;
type Sequences = BackupManifest['sequences'];

/**
 * Written by migrations, who shares the database now, and what they have counted in the last minutes: never restored. A backup
 * of a cluster is restored into one service.
 */
const NEVER_COPIED = ['migration', 'cluster_node', 'cluster_slot', 'recent_event', 'request_count'];
const LINE_END = 10;
/** The fastest level. Rows of the delivery log still shrink to a fifth. */
const GZIP_LEVEL = 1;

/** The service's tables, each after the tables that it refers to. Partitions are part of their table. */
export async function listTables(sql: Sql | TransactionSql): Promise<Table[]> {
  const tables = await sql<(Table & { refersTo: string[] })[]>`
    select relname as name,
      array(select attname::text from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
      array(select distinct confrelid::regclass::text from pg_constraint
        where conrelid = c.oid and contype = 'f' and confrelid <> c.oid) as "refersTo"
    from pg_class c
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname <> all(${`{${NEVER_COPIED.join(',')}}`}::text::text[])
    order by relname`;
  const ordered: Table[] = [];
  const known = new Set<string>();
  while (ordered.length < tables.length) {
    const next = tables.filter(({ name, refersTo }) => !known.has(name) && refersTo.every((other) => known.has(other)));
    if (next.length === 0) throw new StorageError('The tables of the database refer to each other in a circle.');
    for (const { name, columns } of next) {
      ordered.push({ name, columns });
      known.add(name);
    }
  }
  return ordered;
}

/** Writes all rows that the transaction sees. Calls `onRows` with the count so far. */
export async function copyOut(
  transaction: TransactionSql,
  table: Table,
  folder: string,
  signal: AbortSignal,
  onRows: (rows: number) => void,
): Promise<BackupTable> {
  let rows = 0;
  // COPY escapes line ends inside values, so each line end closes a row.
  const counter = new Transform({
    transform(chunk: Buffer, _, done) {
      for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) rows++;
      onRows(rows);
      done(null, chunk);
    },
  });
  const source = await transaction
    .unsafe(`copy (select ${columnList(table)} from "${table.name}") to stdout`)
    .readable();
  const through = [counter, createGzip({ level: GZIP_LEVEL })];
  const measured = await writeMeasured(source, through, tableFile(folder, table), signal);
  return { name: table.name, columns: table.columns, rows, ...measured };
}

/** Copies the rows into the table, which must be empty. Throws a StorageError unless all of them arrive. */
export async function copyIn(
  transaction: TransactionSql,
  table: BackupTable,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const file = await openPlainFile(tableFile(folder, table));
  const into = await transaction.unsafe(`copy "${table.name}" (${columnList(table)}) from stdin`).writable();
  let refused: unknown;
  into.on('error', (error) => {
    refused = error;
  });
  try {
    for await (const chunk of file.createReadStream({ autoClose: false, signal }).compose(createGunzip(), { signal })) {
      if (refused !== undefined) break;
      // Rows that still wait for the socket when the copy ends would meet the statement below.
      await new Promise<void>((sent, failed) => into.write(chunk, (error) => (error ? failed(error) : sent())));
    }
    into.end();
    // The driver does not report rows that are refused after the last one was sent. The count does.
    const [{ count } = { count: -1n }] = await transaction<{ count: bigint }[]>`
      select count(*) from ${transaction(table.name)}`;
    if (count !== BigInt(table.rows)) throw new Error(`${count} rows arrived of ${table.rows}`);
  } catch (error) {
    signal.throwIfAborted();
    throw new StorageError(`The database refused the rows of ${table.name}: ${errorText(refused ?? error)}.`);
  } finally {
    await file.close();
  }
}

/** Sequences advance outside of transactions, so read them after the rows. */
export async function readSequences(sql: Sql | TransactionSql, tables: readonly Table[]): Promise<Sequences> {
  const sequences: Sequences = [];
  for (const { name, columns } of tables) {
    for (const column of columns) {
      const [row] = await sql<
        { sequence: string | null }[]
      >`select pg_get_serial_sequence(${name}, ${column}) as sequence`;
      if (row!.sequence === null) continue;
      const [value] = await sql.unsafe<{ last: string | null }[]>(
        `select case when is_called then last_value::text end as last from ${row!.sequence}`,
      );
      sequences.push({ table: name, column, last: value!.last });
    }
  }
  return sequences;
}

export async function setSequences(sql: TransactionSql, sequences: Sequences): Promise<void> {
  for (const { table, column, last } of sequences) {
    if (last !== null) await sql`select setval(pg_get_serial_sequence(${table}, ${column}), ${last}::bigint)`;
  }
}

function columnList({ columns }: Table): string {
  return columns.map((column) => `"${column}"`).join(', ');
}
