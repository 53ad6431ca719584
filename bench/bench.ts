// The bench suite's front door: lists the benches, or runs one.

import * as api from './load/api-requests.ts';
import * as derive from './load/derive.ts';
import * as live from './load/live.ts';
import * as liveMemory from './load/live-memory.ts';
import * as throughput from './load/throughput.ts';
import * as models from './models.ts';

interface Bench {
  readonly summary: string;
  readonly help: string;
  /** Answers the exit code: 0 when every correctness counter is zero. */
  readonly run: (args: readonly string[]) => Promise<number>;
}

const BENCHES: Readonly<Record<string, Bench>> = { throughput, api, derive, live, 'live-memory': liveMemory, models };

const [name, ...args] = process.argv.slice(2);
const bench = name === undefined ? undefined : BENCHES[name];
if (bench === undefined) {
  const wanted = name !== undefined && name !== '--help';
  if (wanted) console.error(`There is no bench "${name}".\n`);
  console.log('npm run bench -- NAME [--help]\n');
  for (const [title, { summary }] of Object.entries(BENCHES)) console.log(`  ${title.padEnd(12)} ${summary}`);
  process.exitCode = wanted ? 2 : 0;
} else if (args.includes('--help')) {
  console.log(bench.help);
} else {
  process.exitCode = await bench.run(args).catch((error: Error) => {
    console.error(error.message);
    return 2;
  });
}
