// The log of the engine's adapters. The process passes in its logger (pino fits without an adapter) and tests pass in a
// list. No code outside `workers` decides where lines go.

export interface Log {
  /** Absent where debug lines are not wanted. */
  debug?(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
