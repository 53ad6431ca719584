// When to end: on Ctrl-C, on SIGTERM, when the terminal is closed (SIGHUP), and when what reads the output has left.

import { throwUnlessLost } from '#workers/lost-output.ts';

/** One press of Ctrl-C can arrive twice: from the terminal and from npm, which passes it on. */
const ONE_PRESS_MS = 300;
const INTERRUPTED = 130;

/** Runs `use` with a signal that is aborted when it is to end. Ctrl-C once more ends the process at once. */
export async function untilAsked<Result>(use: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const asked = new AbortController();
  let askedAtMs = 0;
  const end = (): void => {
    if (!asked.signal.aborted) askedAtMs = performance.now();
    else if (performance.now() - askedAtMs > ONE_PRESS_MS) process.exit(INTERRUPTED);
    asked.abort();
  };
  const outputFailed = (error: NodeJS.ErrnoException): void => {
    throwUnlessLost(error);
    asked.abort();
  };
  process.on('SIGINT', end).on('SIGTERM', end).on('SIGHUP', end);
  process.stdout.on('error', outputFailed);
  try {
    return await use(asked.signal);
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end).off('SIGHUP', end);
    process.stdout.off('error', outputFailed);
  }
}
