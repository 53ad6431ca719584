// The format of FastF1's live timing client: a Python list `['TimingData', {...}, '2025-09-20T12:29:40.365Z']` on each
// line. Newer versions begin with a snapshot: a line per topic, with its data as JSON text and an empty time.

import type { DumpFormat } from './dump-format.ts';
import { snapshotMessage, timedMessage } from './dumped-message.ts';
import { LineProblem } from './line-problem.ts';
import { jsonOfPythonLiteral } from './python-literal.ts';

export const fastf1Text: DumpFormat = {
  name: 'FastF1 text',

  parse(line) {
    const list: unknown = JSON.parse(jsonOfPythonLiteral(line));
    if (!Array.isArray(list) || list.length !== 3) throw new LineProblem('it is not a list of topic, data and time');
    const [topic, data, utc] = list;
    return [utc === '' ? snapshotMessage(topic, data) : timedMessage(topic, data, utc)];
  },
};
