// What a kind of text dump must answer. A dump is a text file with the messages of one session, line by line, as somebody's
// recorder wrote them; a format says what a line holds.

import type { LiveMessage } from './live-source.ts';

export interface DumpFormat {
  /** For people: `SignalR frames`. */
  readonly name: string;
  /**
   * The messages of a line, in the order in which they were said. A message without a time is the whole state of its
   * topic. Throws a LineProblem.
   */
  parse(line: string): readonly LiveMessage[];
}
