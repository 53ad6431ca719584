// Patterns of texts that come from outside, and what an error says in place of each.

export const MONTH = '^[0-9]{4}-(0[1-9]|1[0-2])$';
/** PostgreSQL takes no text with U+0000. */
export const SESSION = '^[^\\u0000]*$';
/** An id that is part of a path: not `..` or nothing. */
export const ID = '\\w';
export const DRIVER_CODE = '^[A-Za-z]{3}$';
export const DRIVER_NUMBER = '^(0|[1-9][0-9]{0,2})$';
export const SHA256 = '^[0-9a-f]{64}$';
/** Strict, because table and column names become part of SQL statements, and table names part of file names. */
export const SQL_NAME = '^[a-z][a-z0-9_]{0,62}$';
export const BACKUP_PATH = '^(recordings|live|unrecorded|playback)/[A-Za-z0-9][A-Za-z0-9._-]{0,250}$';
export const MOMENT = '^[0-9]{4}-[0-9TZ:.-]{1,30}$';
export const DIGITS = '^[0-9]{1,19}$';

/** By pattern, what a text must be. */
export const EXPECTED: Readonly<Record<string, string>> = {
  [MONTH]: 'a month such as 2026-11',
  [SESSION]: 'the id of a session such as demo-race',
  [ID]: 'an id with a letter or digit in it',
  [DRIVER_CODE]: 'a three-letter driver code such as VER',
  [DRIVER_NUMBER]: 'a racing number such as "44"',
  [SHA256]: 'a SHA-256 of 64 hexadecimal digits',
  [SQL_NAME]: 'the name of a table or column such as account',
  [BACKUP_PATH]: 'a path such as recordings/demo-race.frames',
  [MOMENT]: 'a time such as 2026-11-23T14:00:00Z',
  [DIGITS]: 'a whole number in digits such as 17',
};
