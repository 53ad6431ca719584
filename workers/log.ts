// The process's log: pino, JSON lines on standard error, so that standard output stays free for what a command prints.

import { pino } from 'pino';
import { systemClock } from '#engine/base/clock.ts';
import { LogLimit } from './log-limit.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

const INFO = 30;

/** Of the thread, whatever logs it has. */
const limit = new LogLimit(systemClock, (delayMs, callback) => void setTimeout(callback, delayMs).unref());
process.once('exit', () => limit.end());

/** `fields` stand on every line. */
export function createLog(level: string, fields: Readonly<Record<string, unknown>> = {}) {
  return pino(
    {
      level,
      base: fields,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        logMethod(args, method, lineLevel) {
          // Whoever switches on `debug` wants every line of it.
          const message = (args as unknown[]).findLast((arg) => typeof arg === 'string') as string | undefined;
          const tell = (text: string): void => method.call(this, text);
          if (lineLevel < INFO || limit.admits(lineLevel, message ?? '', tell)) method.apply(this, args);
        },
      },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
