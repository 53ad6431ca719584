// The process that runs one bench, started by separate-bench.ts. It runs the bench named in its arguments and sends
// progress and result to its parent.

import { errorText } from '#engine/storage/storage-error.ts';
import { BENCHES } from './benches.ts';
import { resultErrors } from './suite/result-check.ts';
import type { FromBench } from './suite/separate-bench.ts';
import { isUsageError } from './suite/usage-error.ts';

// Exit handlers, such as the one that stops a database server started here, run only on `process.exit`.
process.on('SIGINT', () => process.exit()).on('SIGTERM', () => process.exit());
// The parent was killed. This process leads the process group of everything that the bench started.
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
  if (errors.length > 0) throw new Error(`its result is invalid: ${errors.join('; ')}`);
  return { kind: 'result', result };
}
