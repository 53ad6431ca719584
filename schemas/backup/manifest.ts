// The manifest of a backup: its contents, their sizes, and the SHA-256 of each file. It is written last.

import Type, { type Static } from 'typebox';

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
/** Strict, because table and column names become part of SQL statements, and table names part of file names. */
const Name = Type.String({ pattern: '^[a-z][a-z0-9_]{0,62}$' });
const Bytes = Type.Integer({ minimum: 0 });

export const BackupTable = Type.Object(
  {
    name: Name,
    columns: Type.Array(Name, { minItems: 1, maxItems: 200 }),
    rows: Type.Integer({ minimum: 0 }),
    bytes: Bytes,
    sha256: Digest,
  },
  { additionalProperties: false },
);

export const BackupFile = Type.Object(
  {
    /** Relative to DATA_DIR. */
    path: Type.String({ pattern: '^(recordings|live|unrecorded|playback)/[A-Za-z0-9][A-Za-z0-9._-]{0,250}$' }),
    bytes: Bytes,
    sha256: Digest,
  },
  { additionalProperties: false },
);

export const BackupManifest = Type.Object(
  {
    format: Type.Literal('slipstream-backup-1'),
    /** The moment whose state the backup holds. */
    takenAt: Type.String({ pattern: '^[0-9]{4}-[0-9TZ:.-]{1,30}$' }),
    migrations: Type.Array(
      Type.Object({ number: Type.Integer({ minimum: 1 }), name: Type.String() }, { additionalProperties: false }),
      { minItems: 1, maxItems: 9_999 },
    ),
    /** Each table follows the ones it refers to. */
    tables: Type.Array(BackupTable, { maxItems: 200 }),
    /** The last number of each sequence; null if the sequence is unused. */
    sequences: Type.Array(
      Type.Object(
        { table: Name, column: Name, last: Type.Union([Type.String({ pattern: '^[0-9]{1,19}$' }), Type.Null()]) },
        { additionalProperties: false },
      ),
      { maxItems: 200 },
    ),
    /** Days with a partition of the delivery log: midnight in Unix milliseconds. */
    logDays: Type.Array(Type.Integer(), { maxItems: 10_000 }),
    /** Absent in backups of versions before the journal. */
    pageDays: Type.Optional(Type.Array(Type.Integer(), { maxItems: 10_000 })),
    files: Type.Array(BackupFile, { maxItems: 100_000 }),
  },
  { additionalProperties: false },
);

export type BackupTable = Static<typeof BackupTable>;
export type BackupFile = Static<typeof BackupFile>;
export type BackupManifest = Static<typeof BackupManifest>;
