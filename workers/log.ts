// The process's log: pino, JSON lines on standard error, so that standard output stays free for what a command prints.

import { pino } from 'pino';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** `fields` stand on every line. */
export function createLog(level: string, fields: Readonly<Record<string, unknown>> = {}) {
  return pino(
    { level, base: fields, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
}
