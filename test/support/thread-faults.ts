// Faults of threads in a service that was started with `faulty-threads.ts`, and the signals that cause them.

export const HANG_MS = 3_000;

export const FAULTS = {
  mainHangs: 'SIGXCPU',
  liveHangs: 'SIGUSR2',
  liveDies: 'SIGWINCH',
  operatorsDie: 'SIGPIPE',
  grpcDies: 'SIGXFSZ',
} as const;
