// A recording as rows: one that says what it is, and one for each piece of it. All of them are committed in one
// transaction, so a reader sees a recording whole or not at all.

import { RecordingError } from '#engine/base/recording-error.ts';
import type { Sql, TransactionSql } from '#engine/storage/postgres-client.ts';
import { DigestSum, filePieces, type RecordingDigest, sameDigest } from './recording-digest.ts';

export interface RecordingRow extends RecordingDigest {
  readonly recordingNo: bigint;
  readonly sessionId: string;
  readonly preparedFor: number | null;
}

interface ReadRow extends Omit<RecordingRow, 'bytes' | 'crc' | 'sha256'> {
  readonly bytes: bigint;
  readonly crc: bigint;
  readonly sha256: Buffer;
}

/** The tables, which a backup holds as files instead. */
export const RECORDING_TABLES: readonly string[] = ['recording', 'recording_piece'];

/** The recordings of these sessions, or of every session, by id. */
export async function recordingRows(
  sql: Sql | TransactionSql,
  sessionIds?: string | readonly string[],
): Promise<RecordingRow[]> {
  const ids = typeof sessionIds === 'string' ? [sessionIds] : sessionIds;
  const which = ids === undefined ? sql`` : sql`where session_id = any(${`{${ids.join(',')}}`}::text::text[])`;
  const rows = await sql<ReadRow[]>`
    select recording_no as "recordingNo", session_id as "sessionId", bytes, crc, sha256, prepared_for as "preparedFor"
    from recording ${which} order by session_id`;
  return rows.map((row) => ({
    ...row,
    bytes: Number(row.bytes),
    crc: Number(row.crc),
    sha256: row.sha256.toString('hex'),
  }));
}

/** Whether a cluster has kept recordings in this database, and no service has been alone with it since. */
export async function hasRecordingRows(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ kept: boolean }[]>`select exists (select from recording) as kept`;
  return row!.kept;
}

export async function removeRecording(sql: Sql, { recordingNo }: RecordingRow): Promise<void> {
  await sql`delete from recording where recording_no = ${recordingNo}`;
}

/**
 * Writes a file as the recording of its session, instead of an earlier one. The transaction must hold the session's row
 * for writing. Rejects with a RecordingError unless the file is what `digest` says. `onPiece` gets the bytes so far.
 */
export async function writeRecording(
  transaction: TransactionSql,
  sessionId: string,
  file: string,
  digest: RecordingDigest,
  onPiece: (bytesDone: number) => void,
): Promise<void> {
  await transaction`delete from recording where session_id = ${sessionId}`;
  const [row] = await transaction<{ recordingNo: bigint }[]>`
    insert into recording (session_id, bytes, crc, sha256)
    values (${sessionId}, ${BigInt(digest.bytes)}, ${BigInt(digest.crc)}, ${Buffer.from(digest.sha256, 'hex')})
    returning recording_no as "recordingNo"`;
  const sum = new DigestSum();
  let pieceNo = 0;
  for await (const piece of filePieces(file)) {
    await transaction`
      insert into recording_piece (recording_no, piece_no, data) values (${row!.recordingNo}, ${pieceNo}, ${piece})`;
    sum.add(piece);
    pieceNo++;
    onPiece(sum.bytes);
  }
  if (!sameDigest(sum.digest(), digest)) throw new RecordingError('io', `${file} was written to while it was read`);
}

/** The pieces in order, one in memory at a time. Rejects with a RecordingError unless they are the recording. */
export async function* recordingPieces(
  sql: Sql | TransactionSql,
  row: RecordingRow,
): AsyncGenerator<Buffer, void, undefined> {
  const sum = new DigestSum();
  for (let pieceNo = 0; sum.bytes < row.bytes; pieceNo++) {
    const [piece] = await sql<{ data: Buffer }[]>`
      select data from recording_piece where recording_no = ${row.recordingNo} and piece_no = ${pieceNo}`;
    if (piece === undefined) throw damagedRows(row, `piece ${pieceNo} is missing`);
    sum.add(piece.data);
    yield piece.data;
  }
  if (!sameDigest(sum.digest(), row)) throw damagedRows(row, 'its bytes are not those that were written');
}

function damagedRows({ sessionId }: RecordingRow, what: string): RecordingError {
  return new RecordingError(
    'damaged',
    `the recording of ${sessionId} in the database is damaged: ${what}; import the session again`,
  );
}
