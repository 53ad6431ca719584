// The format of undercut-f1 since it uses SignalR Core, and of its imports: `{"Type", "Json", "DateTime"}` on each
// line. Its snapshot is in a separate file (`dump-folder.ts`).

import type { DumpFormat } from './dump-format.ts';
import { timedMessage } from './dumped-message.ts';
import { LineProblem } from './line-problem.ts';

export const undercutText: DumpFormat = {
  name: 'undercut-f1 lines',

  parse(line) {
    let point: unknown;
    try {
      point = JSON.parse(line);
    } catch (error) {
      throw new LineProblem(`the line is not JSON (${(error as Error).message})`);
    }
    const { Type, Json, DateTime } = (point ?? {}) as Readonly<Record<string, unknown>>;
    return [timedMessage(Type, Json, DateTime)];
  },
};
