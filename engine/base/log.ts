// Where the engine's adapters tell the operator something. The process hands in its logger (pino fits as it is), tests
// hand in a list; nothing below `workers` chooses where lines go.

export interface Log {
  /** Absent where nobody looks that close. */
  debug?(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
