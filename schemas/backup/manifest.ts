// The manifest of a backup: what is in it, how much, and the SHA-256 of each file. It is written last.

import Type, { type Static } from 'typebox';

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
/** Names of tables and columns become part of statements, and names of files part of paths. */
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
    /** Below DATA_DIR. */
    path: Type.String({ pattern: '^(recordings|live)/[A-Za-z0-9][A-Za-z0-9._-]{0,250}$' }),
    bytes: Bytes,
    sha256: Digest,
  },
  { additionalProperties: false },
);

export const BackupManifest = Type.Object(
  {
    format: Type.Literal('slipstream-backup-1'),
    /** Of the moment that the backup shows. */
    takenAt: Type.String({ pattern: '^[0-9]{4}-[0-9TZ:.-]{1,30}$' }),
    migrations: Type.Array(
      Type.Object({ number: Type.Integer({ minimum: 1 }), name: Type.String() }, { additionalProperties: false }),
      { minItems: 1, maxItems: 9_999 },
    ),
    /** Each after those that it refers to. */
    tables: Type.Array(BackupTable, { maxItems: 200 }),
    /** The number that each sequence gave last; null for one that has given none. */
    sequences: Type.Array(
      Type.Object(
        { table: Name, column: Name, last: Type.Union([Type.String({ pattern: '^[0-9]{1,19}$' }), Type.Null()]) },
        { additionalProperties: false },
      ),
      { maxItems: 200 },
    ),
    /** Days of the delivery log that have a partition: midnight, in Unix milliseconds. */
    logDays: Type.Array(Type.Integer(), { maxItems: 10_000 }),
    files: Type.Array(BackupFile, { maxItems: 100_000 }),
  },
  { additionalProperties: false },
);

export type BackupTable = Static<typeof BackupTable>;
export type BackupFile = Static<typeof BackupFile>;
export type BackupManifest = Static<typeof BackupManifest>;
