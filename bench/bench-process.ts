// The process that one bench runs in, started by separate-bench.ts: it runs the bench that its arguments name and tells its parent
// how that went.

import { errorText } from '#engine/storage/storage-error.ts';
import { BENCHES } from './benches.ts';
import { resultErrors } from './suite/result-check.ts';
import type { FromBench } from './suite/separate-bench.ts';
import { isUsageError } from './suite/usage-error.ts';

// What hangs on the end of this process, such as a database server that a bench started in it, ends with it by `process.exit` only.
process.on('SIGINT', () => process.exit()).on('SIGTERM', () => process.exit());
// The parent was ended the hard way. This process leads a group of its own, with everything that the bench started.
process.on('disconnect', () => process.kill(-process.pid, 'SIGTERM'));

const [name, ...args] = process.argv.slice(2);
const outcome = await run().catch(
  (error): FromBench => ({ kind: 'failed', message: errorText(error), isUsage: isUsageError(error) }),
);
process.send!(outcome, () => process.exit());

async function run(): Promise<FromBench> {
  const bench = await BENCHES[name!]!.load();
  const result = await bench.run(args, (line) => process.send!({ kind: 'progress', line } satisfies FromBench));
  const errors = resultErrors(result);
  if (errors.length > 0) throw new Error(`its result makes no sense: ${errors.join('; ')}`);
  return { kind: 'result', result };
}
