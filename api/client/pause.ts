// Waiting that the program can cut short.

import { BACKOFF_MS_MAX, BACKOFF_MS_MIN } from './bounds.ts';

/** Waits. Throws the signal's reason as soon as it is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** The pause after so many failures in a row, from 1: between half and all of a time that doubles up to its bound. */
export function backoffMs(failures: number): number {
  const ms = Math.min(BACKOFF_MS_MIN * 2 ** (failures - 1), BACKOFF_MS_MAX);
  return ms / 2 + (Math.random() * ms) / 2;
}
