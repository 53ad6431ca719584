// What single operations on the way of an update cost: nanoseconds and bytes allocated for each, over real input.
//
// Measured: nanoseconds (median lap, by tinybench, the garbage collector working as it does in the service) and bytes
// allocated, over the messages of the built-in race: parsing, merging and normalising a frame, the body, filters, ready
// queue, mailbox, breaker, in-flight cap, allowance, timer wheel, signatures and headers, the recorder, latency counts,
// codec, request bodies; and a whole delivery through a real shard, whose connections answer at once and whose store
// keeps nothing.
//
// Beside it: `JSON.stringify` and `JSON.parse` for bodies and rosters; the bare loop, and an object whose 32 bytes are
// known.
//
// Not measured: race events and models (`derive` has the whole way of a frame), network and database (`throughput`).
//
// Counted, and must be zero: laps with a wrong answer, and operations that allocate more or less than they promise
// (filters, mailbox, timers and counters: nothing).
//
// How to read: every round has processes of its own. Bytes hardly differ between rounds of one version, so a byte that
// is new is a change; times differ by a few percent. Code that is compiled into a loop is at its best: a number below
// 10 ns is a floor rather than what the service sees. Why bodies are not written by `JSON.stringify`:
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
