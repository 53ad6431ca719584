// How long it takes until a recorded race can be replayed: its import by the operator, and its preparation for the
// first customer who asks, in a real service.
//
// Measured: `admin import recording` with its process, `POST /v1/simulate/prepare` until `ready` (asked for every 4
// ms), and the same question once more. Every round has a service that was just started and a session of its own.
//
// Not measured: a compiler thread that is still warm (it ends after ten idle seconds), two preparations at once.
//
// Results (machine and method: bench/README.md):
//
//     import of the Baku race               1,729 (1,700 to 1,780) ms
//     prepare, from the question to ready   1,559 (1,543 to 1,595) ms
//     prepare, ready already                    3 (2 to 3) ms

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

Imports a recording into a real service (npm run admin -- import recording), asks for its preparation as a customer
does (POST /v1/simulate/prepare) until the answer is ready, and asks once more. Each round imports it as a session of
its own into a service that has just been started: its compiler's thread is a new one, as it is after ten idle seconds. Preparations that fail and update counts that differ from the import's are counted and must not
come.

  --recording PATH  what is imported: an archive folder or a text file, or demo for the frames of the built-in race
                    (default ../shared/data/archive/2018-azerbaijan-race, demo without it)
  --rounds N        (default 5)

Example: npm run bench -- prepare --recording ../shared/data/archive/2025-miami-sprint`;

export const smoke = ['--recording', 'demo', '--rounds', '1'];

/** How often the status is asked for: what the time until ready may be off by. */
const POLL_MS = 4;
const BUILT_IN = 'demo';

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: { recording: { type: 'string' }, rounds: { type: 'string', default: '5' } },
  });
  const wanted = values.recording ?? (existsSync(RECORDING) ? RECORDING : BUILT_IN);
  if (wanted !== BUILT_IN && !existsSync(wanted)) {
    throw new Error(`--recording: there is no ${wanted}; give the path of an archive folder or a text file`);
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
      // A session of its own in every round: of one that was prepared before, the artifact is there already.
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
      `Status is asked for every ${POLL_MS} ms.`,
      ...(values.recording === undefined && wanted === BUILT_IN
        ? [`${RECORDING} is not there: the built-in race was imported instead.`]
        : []),
    ],
  };
}

/** Asks for the preparation, and how far it is until it is over. */
async function ready(api: ApiClient, sessionId: string, signal: AbortSignal) {
  let preparation = await api.prepare(sessionId);
  while (preparation.status === 'preparing') {
    await pause(POLL_MS, undefined, { signal });
    preparation = await api.preparation(sessionId);
  }
  return preparation as typeof preparation & { readonly updateCount?: number };
}

/** The frames of the built-in race as a text file that can be imported. */
function builtInRace(folder: string): string {
  const path = join(folder, 'built-in-race.ndjson');
  const lines = demoSessionFrames().map(
    ({ topic, utcMs, json }) => `{"topic":"${topic}","utc":"${new Date(utcMs).toISOString()}","data":${json}}\n`,
  );
  writeFileSync(path, lines.join(''));
  return path;
}
