// A file of an operator's own: a line of `ingest-line.ts` for each message. The order is that of the file; numbers that the
// sender gave its messages play no part.

import type { DumpFormat } from './dump-format.ts';
import { readIngestLine } from './ingest-line.ts';
import { LineProblem } from './line-problem.ts';

export const ingestText: DumpFormat = {
  name: 'NDJSON',

  parse(line) {
    const message = readIngestLine(line);
    if ('problem' in message) throw new LineProblem(message.problem);
    const { topic, json, utcMs } = message;
    return [{ topic, json, utcMs }];
  },
};
