// The manifest of a backup: its contents, their sizes, and the SHA-256 of each file. It is written last.

import Type, { type Static } from 'typebox';
import { BACKUP_PATH, DIGITS, MOMENT, SHA256, SQL_NAME } from '#schemas/http/text-patterns.ts';

const Digest = Type.String({ pattern: SHA256 });
const Name = Type.String({ pattern: SQL_NAME });
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
    path: Type.String({ pattern: BACKUP_PATH }),
    bytes: Bytes,
    sha256: Digest,
  },
  { additionalProperties: false },
);

export const BackupManifest = Type.Object(
  {
    format: Type.Literal('slipstream-backup-1'),
    /** The moment whose state the backup holds. */
    takenAt: Type.String({ pattern: MOMENT }),
    migrations: Type.Array(
      Type.Object({ number: Type.Integer({ minimum: 1 }), name: Type.String() }, { additionalProperties: false }),
      { minItems: 1, maxItems: 9_999 },
    ),
    /** Each table follows the ones it refers to. */
    tables: Type.Array(BackupTable, { maxItems: 200 }),
    /** The last number of each sequence; null if the sequence is unused. */
    sequences: Type.Array(
      Type.Object(
        { table: Name, column: Name, last: Type.Union([Type.String({ pattern: DIGITS }), Type.Null()]) },
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
