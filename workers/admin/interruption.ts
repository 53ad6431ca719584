// Turns Ctrl-C, SIGTERM and the end of the terminal (SIGHUP) during a command into an AbortSignal for its work.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Interrupted } from './command.ts';

/** Runs `use` with a signal that is aborted with an Interrupted on one of them. */
export async function interruptibly<Result>(use: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const interruption = new AbortController();
  const end = (signal: NodeJS.Signals): void => interruption.abort(new Interrupted(signal));
  process.on('SIGINT', end).on('SIGTERM', end).on('SIGHUP', end);
  try {
    return await use(interruption.signal);
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end).off('SIGHUP', end);
  }
}

/**
 * Rejects with the signal's Interrupted once the signal is aborted. Race it with work that does not listen to the
 * signal.
 */
export function interrupted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/**
 * Throws the signal's Interrupted. Gives the event loop a turn first, so that work which occupies the thread notices a
 * signal.
 */
export async function throwIfInterrupted(signal: AbortSignal): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}
