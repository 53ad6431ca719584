// How long it takes until a recorded race can be replayed: its import by the operator, and its preparation for the
// first customer, in a real service.
//
// Measured: `admin import recording`, including its process; `POST /v1/simulate/prepare` until the session is `ready`
// (polled every 4 ms); and the same request again. Every round has a newly started service and its own session.
//
// Not measured: a warm compiler thread (it exits after ten idle seconds), two preparations at once.
//
// Results (machine and method: bench/README.md):
//
//     import of the Baku race               1,729 (1,700 to 1,780) ms
//     prepare, from request to ready        1,559 (1,543 to 1,595) ms
//     prepare, already ready                    3 (2 to 3) ms

import { existsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import type { ApiClient } from '#workers/demo/api-client.ts';
import { BenchService } from '../engines/bench-service.ts';
import type { BenchResult } from '../suite/result.ts';
import { ARCHIVE } from '../suite/shared-data.ts';
import { wholeNumber } from '../suite/whole-number.ts';

const RECORDING = join(ARCHIVE, '2018-azerbaijan-race');

export const help = `npm run bench -- prepare [options]

Imports a recording into a real service (npm run admin -- import recording), requests its preparation as a customer does
(POST /v1/simulate/prepare), waits until it is ready, and requests it once more. Each round imports the recording as a new
session into a newly started service, whose compiler thread is cold, as it is after ten idle seconds. Failed preparations
and update counts that differ from the import's are faults.

  --recording PATH  an archive folder or a text file, or demo for the frames of the built-in race
                    (default ../shared/data/archive/2018-azerbaijan-race if present, else demo)
  --rounds N        rounds (default 5)

Example: npm run bench -- prepare --recording ../shared/data/archive/2025-miami-sprint`;

export const smoke = ['--recording', 'demo', '--rounds', '1'];

/** The polling interval, and thus the error of the time until ready. */
const POLL_MS = 4;
const BUILT_IN = 'demo';

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: { recording: { type: 'string' }, rounds: { type: 'string', default: '5' } },
  });
  const wanted = values.recording ?? (existsSync(RECORDING) ? RECORDING : BUILT_IN);
  if (wanted !== BUILT_IN && !existsSync(wanted)) {
    throw new Error(`--recording: ${wanted} does not exist; give the path of an archive folder or a text file`);
  }
  const rounds = wholeNumber('--rounds', values.rounds);
  const importMs: number[] = [];
  const coldMs: number[] = [];
  const knownMs: number[] = [];
  const faults = { failed: 0, differing: 0 };
  let updates = 0;
  const service = await BenchService.start({});
  try {
    const path = wanted === BUILT_IN ? builtInRace(service.process.dataDir) : wanted;
    for (let round = 1; round <= rounds; round++) {
      if (round > 1) await service.restart();
      const api = await service.openApi();
      const importing = performance.now();
      // A new session in every round: one that was prepared before already has its artifact.
      const sessionId = `${2000 + round}-bench-race`;
      const args = ['import', 'recording', path, '--session', sessionId];
      const imported = (await service.process.admin(args, service.signal)) as { updates: number };
      importMs.push(performance.now() - importing);
      updates = imported.updates;

      const asked = performance.now();
      const { status, updateCount } = await ready(api, sessionId, service.signal);
      coldMs.push(performance.now() - asked);
      if (status !== 'ready') faults.failed++;
      if (updateCount !== imported.updates) faults.differing++;

      const askedAgain = performance.now();
      if ((await api.prepare(sessionId)).status !== 'ready') faults.failed++;
      knownMs.push(performance.now() - askedAgain);
      progress(
        `round ${round} of ${rounds}: import ${importMs.at(-1)!.toFixed(0)} ms, ` +
          `prepare ${coldMs.at(-1)!.toFixed(0)} ms, again ${knownMs.at(-1)!.toFixed(1)} ms`,
      );
    }
  } finally {
    await service.end();
  }
  const ms = (name: string, samples: readonly number[]) => ({ name, unit: 'ms', better: 'lower', samples }) as const;
  return {
    bench: 'prepare',
    parameters: { recording: basename(wanted), updates, rounds },
    measurements: [
      ms('import', importMs),
      ms('prepare, from the question to ready', coldMs),
      ms('prepare, ready already', knownMs),
    ],
    plots: [],
    faults,
    notes: [
      `The status is polled every ${POLL_MS} ms.`,
      ...(values.recording === undefined && wanted === BUILT_IN
        ? [`${RECORDING} does not exist; the built-in race was imported instead.`]
        : []),
    ],
  };
}

/** Requests the preparation and polls until it is over. */
async function ready(api: ApiClient, sessionId: string, signal: AbortSignal) {
  let preparation = await api.prepare(sessionId);
  while (preparation.status === 'preparing') {
    await pause(POLL_MS, undefined, { signal });
    preparation = await api.preparation(sessionId);
  }
  return preparation as typeof preparation & { readonly updateCount?: number };
}

/** Writes the frames of the built-in race to a text file for import. */
function builtInRace(folder: string): string {
  const path = join(folder, 'built-in-race.ndjson');
  const lines = demoSessionFrames().map(
    ({ topic, utcMs, json }) => `{"topic":"${topic}","utc":"${new Date(utcMs).toISOString()}","data":${json}}\n`,
  );
  writeFileSync(path, lines.join(''));
  return path;
}
