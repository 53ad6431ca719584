// Ctrl-C and SIGTERM during a command, as a signal to whatever it is doing.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Interrupted } from './command.ts';

/** Runs `use` with a signal that is aborted with an Interrupted when somebody ends the command. */
export async function interruptibly<Result>(use: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const interruption = new AbortController();
  const end = (signal: NodeJS.Signals): void => interruption.abort(new Interrupted(signal));
  process.on('SIGINT', end).on('SIGTERM', end);
  try {
    return await use(interruption.signal);
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}

/** Rejects with the signal's Interrupted once somebody ends the command; to race with what does not listen to the signal. */
export function interrupted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** For work that holds the thread, in which no signal is heard: lets it be heard, and throws its Interrupted. */
export async function throwIfInterrupted(signal: AbortSignal): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}
