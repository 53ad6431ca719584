// Ctrl-C and SIGTERM during a command, as a signal to whatever it is doing.

import { Interrupted } from './command.ts';

/** Runs `use` with a signal that is aborted with an Interrupted when somebody ends the command. */
export async function interruptibly<Result>(use: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const interruption = new AbortController();
  const interrupted = (signal: NodeJS.Signals): void => interruption.abort(new Interrupted(signal));
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  try {
    return await use(interruption.signal);
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  }
}
