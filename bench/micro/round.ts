// One round in its own process. Each process compiles code and lays out memory anew, which moves small figures more
// than any repetition within a process.
//
// `measureRound` starts this file as a program, which measures and sends the results.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ALLOCATION_FLAGS, allocated } from './allocation.ts';
import type { Measured } from './operation.ts';
import { operationsOf } from './subjects.ts';
import { timed } from './tinybench-timing.ts';

export interface RoundOrder {
  readonly what: 'time' | 'bytes';
  readonly subjects: readonly string[];
  /** How long to time each operation, or to warm it up before its bytes are counted. */
  readonly ms: number;
}

/** Extra time to start and prepare on a busy machine. */
const SPARE_MS = 60_000;
/** A generous number of operations for the timeout: with their minimum number of laps, some take longer than `ms`. */
const OPERATIONS_MAX = 200;

const FILE = fileURLToPath(import.meta.url);

/** Measures the nanoseconds or the bytes of every operation. */
export async function measureRound(order: RoundOrder): Promise<readonly Measured[]> {
  const child = fork(FILE, [JSON.stringify(order)], {
    execArgv: order.what === 'bytes' ? [...ALLOCATION_FLAGS] : [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    timeout: SPARE_MS + OPERATIONS_MAX * order.ms,
  });
  let measured: readonly Measured[] | null = null;
  child.once('message', (message) => {
    measured = message as readonly Measured[];
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (measured === null) throw new Error(`the measuring process ended with ${signal ?? `code ${code}`}`);
  return measured;
}

async function measure({ what, subjects, ms }: RoundOrder): Promise<readonly Measured[]> {
  const measured: Measured[] = [];
  for (const subject of subjects) {
    for (const operation of await operationsOf(subject)) {
      // Lets the process notice a disconnected parent.
      await setImmediate();
      measured.push(what === 'time' ? await timed(operation, ms) : await allocated(operation, ms));
    }
  }
  return measured;
}

if (process.argv[1] === FILE) {
  process.on('disconnect', () => process.exit());
  process.send!(await measure(JSON.parse(process.argv[2]!) as RoundOrder), () => process.disconnect());
}
