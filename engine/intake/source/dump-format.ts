// The format of a text dump. A dump is a text file of one session as some recorder wrote it, line by line. The format
// parses its lines.

import type { LiveMessage } from './live-source.ts';

export interface DumpFormat {
  /** The name in error messages, such as `SignalR frames`. */
  readonly name: string;
  /**
   * The messages of a line, in the order of the upstream. A message without a time is a snapshot of its topic. Throws a
   * LineProblem.
   */
  parse(line: string): readonly LiveMessage[];
}
