// What a test can do to the threads of a service that was started with `faulty-threads.ts`, and by which signal.

export const HANG_MS = 3_000;

export const FAULTS = {
  mainHangs: 'SIGHUP',
  liveHangs: 'SIGUSR2',
  liveDies: 'SIGWINCH',
  operatorsDie: 'SIGPIPE',
} as const;
