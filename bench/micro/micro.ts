// What single operations on the way of an update cost: nanoseconds and bytes allocated for each, over real input.

import { parseArgs } from 'node:util';
import type { BenchResult, Measurement } from '../suite/result.ts';
import { UsageError } from '../suite/usage-error.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import type { Measured } from './operation.ts';
import { measureRound } from './round.ts';
import { FLOOR, SUBJECT_NAMES } from './subjects.ts';

export const help = `npm run bench -- micro [NAME...] [options]

Measures single operations with the messages of the built-in race: how long one takes (median, by tinybench) and how
many bytes it allocates. Every round has processes of its own, one for times and one for bytes. Every lap's answer is
checked; wrong ones are counted and must be none, and so are operations that allocate more or less than they promise.

  NAME...      only these subjects, and the floor that the others stand on. There are floor, merge, normalise,
               serialise, codec, filter, ready-queue, mailbox, gates, timeline, sign, timer-wheel, record, latency,
               delivery, validate
  --rounds N   rounds (default 5)
  --ms N       how long each operation is timed in a round; as much processor time warms it up before its time is taken,
               and before its bytes are counted (default 200; a whole run takes some two and a half minutes)

  npm run bench -- micro
  npm run bench -- micro filter mailbox --rounds 9`;

export const smoke: readonly string[] = ['--rounds', '1', '--ms', '1'];

/** What counting itself may be off, in bytes for each operation. */
const BYTES_OFF_MAX = 0.5;

/** An operation's rounds. */
interface Gathered {
  readonly name: string;
  promised: number | null;
  readonly ns: number[];
  readonly onHeap: number[];
  readonly outside: number[];
}

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { rounds: { type: 'string', default: '5' }, ms: { type: 'string', default: '200' } },
  });
  const rounds = wholeNumber('--rounds', values.rounds);
  const ms = wholeNumber('--ms', values.ms);
  const subjects = chosen(positionals);
  const gathered = new Map<string, Gathered>();
  const faults = { wrong: 0, misallocated: 0 };
  for (let round = 1; round <= rounds; round++) {
    for (const what of ['time', 'bytes'] as const) {
      const all = await measureRound({ what, subjects, ms });
      for (const measured of all) {
        gather(gathered, measured);
        faults.wrong += measured.wrong;
        if (misallocates(measured)) faults.misallocated++;
        const fault = faultText(measured);
        if (fault !== null) progress(`${measured.name}: ${fault}`);
      }
      progress(`round ${round} of ${rounds}: ${what} of ${all.length} operations`);
    }
  }
  return {
    bench: 'micro',
    parameters: { subjects: subjects.join(' '), rounds, ms },
    measurements: [...gathered.values()].flatMap(measurementsOf),
    plots: [],
    faults,
    notes: [],
  };
}

function chosen(names: readonly string[]): readonly string[] {
  if (names.length === 0) return SUBJECT_NAMES;
  for (const name of names) {
    if (!SUBJECT_NAMES.includes(name)) {
      throw new UsageError(`NAME: there is no subject "${name}"; there are ${SUBJECT_NAMES.join(', ')}`);
    }
  }
  return SUBJECT_NAMES.filter((name) => name === FLOOR || names.includes(name));
}

function gather(gathered: Map<string, Gathered>, measured: Measured): void {
  const { name } = measured;
  let one = gathered.get(name);
  if (one === undefined) {
    one = { name, promised: null, ns: [], onHeap: [], outside: [] };
    gathered.set(name, one);
  }
  if (measured.what === 'time') {
    one.ns.push(measured.ns);
  } else {
    one.promised = measured.promised;
    // What remains of counting itself, spread over the operations, is no part of them.
    one.onHeap.push(Number(measured.onHeap.toFixed(1)));
    one.outside.push(Math.round(measured.outside));
  }
}

function measurementsOf({ name, promised, ns, onHeap, outside }: Gathered): readonly Measurement[] {
  const target = promised === null ? {} : { target: promised };
  const measurements: Measurement[] = [
    { name: `${name}: time`, unit: 'ns', better: 'lower', samples: ns },
    { name: `${name}: allocated`, unit: 'B', better: 'lower', samples: onHeap, ...target },
  ];
  if (outside.some((bytes) => bytes > 0)) {
    measurements.push({ name: `${name}: outside the heap`, unit: 'B', better: 'lower', samples: outside });
  }
  return measurements;
}

/** Whether bytes were counted and are not those that were promised. */
export function misallocates(measured: Measured): boolean {
  if (measured.what === 'time' || measured.promised === null) return false;
  return Math.abs(measured.onHeap - measured.promised) > BYTES_OFF_MAX;
}

function faultText(measured: Measured): string | null {
  if (measured.wrong > 0) return `${measured.wrong} laps answered something else than they must`;
  if (measured.what === 'time' || !misallocates(measured)) return null;
  return `allocates ${measured.onHeap.toFixed(1)} B, promised are ${measured.promised}`;
}
