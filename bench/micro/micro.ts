// What single operations on the path of an update cost: nanoseconds and bytes allocated for each, with realistic input.
//
// Measured: nanoseconds (median lap, by tinybench, with the garbage collector running as in the service) and bytes
// allocated, over the messages of the built-in race: parsing, merging and normalising a frame, serialising a body,
// filters, ready queue, mailbox, circuit breaker, in-flight cap, allowance, timer wheel, signatures and headers,
// recorder, latency counts, codec, request bodies; and a whole delivery through a real shard, whose connections respond
// at once and whose store keeps nothing.
//
// Compared with: `JSON.stringify` and `JSON.parse` for bodies and rosters. As a baseline: the bare loop, and an object
// that is known to take 32 bytes.
//
// Not measured: race events and models (`derive` has the whole path of a frame), network and database (`throughput`).
//
// Faults, which must be zero: laps with a wrong result, and operations that allocate more or less than they promise
// (filters, mailbox, timers and counters promise zero).
//
// How to read: every round runs in new processes. Bytes hardly differ between rounds of one version, so one more byte
// is a real change; times differ by a few percent. Code inlined into a loop is at its fastest: a figure below 10 ns is
// a lower bound on what the service sees. Why bodies are not written by `JSON.stringify`:
// docs/decisions/0017-schemas-are-the-single-source.md.
//
// Results (machine and method: bench/README.md):
//
//                                                       ns   bytes
//     parse a frame                                  669.1     429
//     merge a frame                                  788.1   1,609
//     normalise a frame                            1,130     2,947
//     body of timing.data                          1,369     2,331
//     body of timing.data, JSON.stringify            888.7     398
//     match, no filter                                 4.4       0
//     match, a team down to some place                 8.3       0
//     ask for a turn and get it                       10.2      29
//     offer and take a position                        8.7       0
//     in-flight cap, an answer                         8.6       0
//     allowance, taken and given back                 40.4       0
//     the view of a body                              30.9      96
//     sign a body                                    960.2     393
//     sign a body, Standard Webhooks               1,050       353
//     headers of an attempt, signatures included   2,910     2,298
//     start and cancel a deadline                     15.0       0
//     record an attempt                               45.5     180
//     latency sketch, add                             12.5       0
//     a delivery, without network and database     4,608     2,629
//     parse a request body                         1,226       817
//     check a request body                           132.4     256

import { parseArgs } from 'node:util';
import type { BenchResult, Measurement } from '../suite/result.ts';
import { UsageError } from '../suite/usage-error.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import type { Measured } from './operation.ts';
import { measureRound } from './round.ts';
import { FLOOR, SUBJECT_NAMES } from './subjects.ts';

export const help = `npm run bench -- micro [NAME...] [options]

Measures single operations with the messages of the built-in race: how long one takes (median, by tinybench) and how many
bytes it allocates. Every round has two new processes, one for times and one for bytes. A lap with a wrong result is a
fault, and so is an operation that allocates more or less than it promises.

  NAME...      measures only these subjects, and always the floor. Subjects: floor, merge, normalise, serialise, codec,
               filter, ready-queue, mailbox, gates, timeline, sign, timer-wheel, record, latency, delivery, validate
  --rounds N   rounds (default 5)
  --ms N       how long to time each operation in a round, after as much processor time for warm-up; the same warm-up
               precedes the counting of bytes (default 200; a whole run takes about two and a half minutes)

  npm run bench -- micro
  npm run bench -- micro filter mailbox --rounds 9`;

export const smoke: readonly string[] = ['--rounds', '1', '--ms', '1'];

/** Tolerance of the count, in bytes per operation. */
const BYTES_OFF_MAX = 0.5;

/** The results of all rounds of one operation. */
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
    // Rounding removes the cost of counting itself, spread over the operations.
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

/** Whether the operation allocated more or less than it promises. */
export function misallocates(measured: Measured): boolean {
  if (measured.what === 'time' || measured.promised === null) return false;
  return Math.abs(measured.onHeap - measured.promised) > BYTES_OFF_MAX;
}

function faultText(measured: Measured): string | null {
  if (measured.wrong > 0) return `${measured.wrong} laps had a wrong result`;
  if (measured.what === 'time' || !misallocates(measured)) return null;
  return `allocates ${measured.onHeap.toFixed(1)} B instead of ${measured.promised}`;
}
