// The log of the process: JSON lines on standard error, written by pino. Standard output stays free for results of
// commands. Warnings and errors are also told to the operators' page.

import { pino } from 'pino';
import { systemClock } from '#engine/base/clock.ts';
import { LogLimit } from './log-limit.ts';
import { throwUnlessLost } from './lost-output.ts';
import { tellWarning } from './warnings.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

const INFO = 30;

/** One limit for all logs of a thread. */
const limit = new LogLimit(systemClock, (delayMs, callback) => void setTimeout(callback, delayMs).unref());
process.once('exit', () => limit.end());

/** `fields` are part of every line. */
export function createLog(level: string, fields: Readonly<Record<string, unknown>> = {}) {
  const errorOutput = pino.destination({ dest: 2, sync: true });
  errorOutput.on('error', throwUnlessLost);
  return pino(
    {
      level,
      base: fields,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        logMethod(args, method, lineLevel) {
          // An operator who turns on `debug` wants every line of it.
          const message = (args as unknown[]).findLast((arg) => typeof arg === 'string') as string | undefined;
          const write = (text: string): void => method.call(this, text);
          if (lineLevel < INFO || limit.admits(lineLevel, message ?? '', write)) method.apply(this, args);
        },
      },
    },
    pino.multistream([
      { level: 'trace', stream: errorOutput },
      { level: 'warn', stream: { write: tellWarning } },
    ]),
  );
}
