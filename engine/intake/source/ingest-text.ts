// A file in the operator's own format: a line of `ingest-line.ts` per message. The messages keep the order of the file;
// their `sequence` numbers are ignored.

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
