// How long the real service takes to start, on a new and on an existing data folder, and to stop.
//
// Measured: from the start of the process to its ready line; from SIGTERM to exit. `GET /readyz` must return 200, and
// the exit code must be 0.
//
// Not measured: a cold page cache, a large database, recovery after `kill -9`.
//
// Results (machine and method: bench/README.md):
//
//     ready, existing data folder             888 (820 to 968) ms
//     ready, new data folder                2,464 (2,411 to 2,614) ms
//     SIGTERM to exit, existing data folder    56 (49 to 129) ms

import { parseArgs } from 'node:util';
import { makeDataFolder, removeDataFolder } from '#workers/demo/data-folder.ts';
import { startTimed } from '../engines/timed-service.ts';
import type { BenchResult } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';

export const help = `npm run bench -- startup [options]

Every round starts the service in its own process on a new data folder, stops it with SIGTERM, and starts and stops it
again on the same folder. A start ends when the service prints that it is ready; GET /readyz must then return 200. Other
statuses and exit codes other than 0 are faults.

  --rounds N   rounds (default 5; a round takes about five seconds)

Example: npm run bench -- startup --rounds 9`;

export const smoke = ['--rounds', '1'];

/** For an existing data folder. */
const READY_TARGET_MS = 1_500;

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({ args: [...args], options: { rounds: { type: 'string', default: '5' } } });
  const rounds = wholeNumber('--rounds', values.rounds);
  const readyMs = { new: [] as number[], existing: [] as number[] };
  const endMs = { new: [] as number[], existing: [] as number[] };
  const stepMs = { database: [] as number[], session: [] as number[] };
  const faults = { unclean: 0, unanswered: 0 };
  for (let round = 1; round <= rounds; round++) {
    const folder = makeDataFolder();
    try {
      for (const kind of ['new', 'existing'] as const) {
        const service = await startTimed(folder);
        readyMs[kind].push(service.readyMs);
        const answered = await fetch(`${service.address}/readyz`).then(
          ({ status }) => status === 200,
          () => false,
        );
        if (!answered) faults.unanswered++;
        for (const [step, ms] of service.steps) stepMs[step].push(ms);
        const { ms, code } = await service.end();
        if (code !== 0) faults.unclean++;
        endMs[kind].push(ms);
      }
    } finally {
      removeDataFolder(folder);
    }
    const [fresh, existing] = [readyMs.new.at(-1)!, readyMs.existing.at(-1)!];
    progress(`round ${round} of ${rounds}: new ${fresh.toFixed(0)} ms, existing ${existing.toFixed(0)} ms`);
  }
  const ms = (name: string, samples: readonly number[]) => ({ name, unit: 'ms', better: 'lower', samples }) as const;
  return {
    bench: 'startup',
    parameters: { rounds },
    measurements: [
      { ...ms('ready, existing data folder', readyMs.existing), target: READY_TARGET_MS },
      ms('ready, new data folder', readyMs.new),
      ms('of it until the database has its tables', stepMs.database),
      ms('of it until the built-in session is there', stepMs.session),
      ms('SIGTERM to exit, existing data folder', endMs.existing),
      ms('SIGTERM to exit, new data folder', endMs.new),
    ].filter(({ samples }) => samples.length === rounds),
    plots: [],
    faults,
    notes: ['The files are in the page cache, as on a restart. The first start after a boot takes longer.'],
  };
}
