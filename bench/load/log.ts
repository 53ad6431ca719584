// What the delivery log costs: PostgreSQL's CPU and bytes for an attempt, and how long it takes to read.
//
// Measured:
// - Writing: the real recorder commits batches of 5,000 attempts of 50, 500 and 5,000 endpoints of one account, with usage,
//   latencies and checkpoints, one attempt in a hundred failed. Every 200 ms, as the recorder does, each answer another text;
//   and back to back, all answers alike. Four ways in turn: a row for each attempt, the way before the journal
//   (peers/row-log.ts, every checkpoint a row); the journal, folded into pages as the service does; the journal alone; and
//   no attempts, every checkpoint a row. CPU is that of all processes of the server, with folding, a vacuum of all tables and a
//   checkpoint at the end. Bytes are those of the table with indexes and TOAST, once all is folded.
// - Reading: pages of 500 entries of an endpoint, at random places of 90 days of 180, as the API reads them; with
//   filters; and beside a journal of 40 commits.
// - Folding: how long a commit of 500 attempts takes while the journal is folded on its thread, and while it is not.
//
// Not measured: health (the same in every way), the rest of a delivery (`throughput`), a database larger than memory.
//
// Counted, and must be zero: attempts that are missing in the log, in usage, or in what is read.
//
// How to read: ratios first; both sides are from the same round. Node's CPU includes making the attempts.
//
// Results: docs/decisions/0034-the-delivery-log-is-a-journal-folded-into-pages.md.

import { parseArgs } from 'node:util';
import { seededRandom } from '#engine/base/random.ts';
import { createLog } from '#workers/log.ts';
import { benchFolder, openBenchDatabase } from '../engines/bench-database.ts';
import { quantile } from '../suite/quantiles.ts';
import type { BenchResult, Measurement } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { type Folding, foldLog } from './log-folding.ts';
import { ENTRIES, READ_NAMES, type Reading, readLog } from './log-reading.ts';
import { type LogCost, LogWriter, type LogWriting, WAYS, type Way } from './log-writing.ts';

const PARTS = ['writing', 'reading', 'folding'] as const;
type Part = (typeof PARTS)[number];
/** Shares of what rows cost. With many endpoints, checkpoints are most of it. */
const TARGETS = {
  cpuShare: 1 / 5,
  manyCpuShare: 1 / 3,
  storedShare: 1 / 5,
  pageMs: 10,
  filteredMs: 50,
  heldBackMs: 5,
} as const;
const MANY_ENDPOINTS = 5_000;
const SMALL = { batches: 2 } as const;

export const help = `npm run bench -- log [options]

What the delivery log costs: PostgreSQL's CPU, stored bytes and write-ahead log for an attempt, in the journal that is folded
into pages and in a row for each attempt; how long it takes to read ${ENTRIES} entries of an endpoint with millions of them; how
long a commit takes beside a fold.

  --parts LIST     ${PARTS.join(',')} (default: all)
  --endpoints LIST writing: numbers of endpoints (default 50,500,5000)
  --batches N      writing: batches of 5,000 attempts (default 25)
  --attempts N     reading: attempts of the endpoint (default 1000000)
  --reads N        reading: pages of each kind; folding: commits (default 300)
  --rounds N       rounds (default 3)

  npm run bench -- log --parts reading --attempts 10000000 --rounds 1`;

export const smoke = ['--endpoints', '50', '--batches', '1', '--attempts', '4000', '--reads', '3', '--rounds', '1'];
export const all = ['--rounds', '1'];

interface Case {
  readonly name: string;
  readonly writing: LogWriting;
  readonly target: number;
  readonly costs: Record<Way, LogCost[]>;
}

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      parts: { type: 'string', default: PARTS.join(',') },
      endpoints: { type: 'string', default: '50,500,5000' },
      batches: { type: 'string', default: '25' },
      attempts: { type: 'string', default: '1000000' },
      reads: { type: 'string', default: '300' },
      rounds: { type: 'string', default: '3' },
    },
  });
  const parts = partsOf(values.parts);
  const sizes = values.endpoints.split(',').map((size) => wholeNumber('--endpoints', size));
  const batches = wholeNumber('--batches', values.batches);
  const attempts = wholeNumber('--attempts', values.attempts);
  const reads = wholeNumber('--reads', values.reads);
  const rounds = wholeNumber('--rounds', values.rounds);
  const random = seededRandom(1);
  const log = createLog('warn');
  const cases = [true, false].flatMap((isPaced) => sizes.map((size) => caseOf(size, batches, isPaced)));
  const readings: Reading[] = [];
  const foldings: Folding[] = [];
  const faults = { unrecorded: 0, misread: 0 };
  const database = await openBenchDatabase(benchFolder(), log);
  try {
    if (parts.includes('writing')) {
      const writer = await LogWriter.open(database, log, random);
      // Connects, prepares and compiles.
      for (const way of WAYS) await writer.write(way, { ...cases[0]!.writing, ...SMALL, isPaced: false });
      for (let round = 1; round <= rounds; round++) {
        for (const { name, writing, costs } of cases) {
          for (const way of WAYS) {
            const cost = await writer.write(way, writing);
            costs[way].push(cost);
            faults.unrecorded += cost.unrecorded;
            progress(`round ${round} of ${rounds}, ${name}, ${way}: ${described(cost)}`);
          }
        }
      }
      await writer.close();
    }
    for (let round = 1; round <= rounds; round++) {
      if (parts.includes('reading')) {
        const reading = await readLog(database, { attempts, reads }, random);
        readings.push(reading);
        faults.misread += reading.wrong;
        progress(
          `round ${round} of ${rounds}, reading: p99 ${quantile(reading.readMs['no filter'], 0.99).toFixed(1)} ms`,
        );
      }
      if (parts.includes('folding')) {
        const folding = await foldLog(database, reads, random);
        foldings.push(folding);
        faults.unrecorded += folding.unrecorded;
        progress(`round ${round} of ${rounds}, folding: ${folding.serverUs.toFixed(2)} us of PostgreSQL an attempt`);
      }
    }
  } finally {
    await database.close();
  }
  return {
    bench: 'log',
    parameters: { parts: parts.join(','), endpoints: sizes.join(','), batches, attempts, reads, rounds },
    measurements: [
      ...(parts.includes('writing') ? cases.flatMap(writingMeasurements) : []),
      ...(parts.includes('reading') ? readingMeasurements(readings) : []),
      ...(parts.includes('folding') ? foldingMeasurements(foldings) : []),
    ],
    plots: [],
    faults,
    notes: [],
  };
}

function partsOf(text: string): Part[] {
  const named = text.split(',');
  const unknown = named.find((part) => !PARTS.includes(part as Part));
  if (unknown !== undefined) throw new Error(`--parts: "${unknown}" is not one of ${PARTS.join(', ')}`);
  return named as Part[];
}

function caseOf(endpoints: number, batches: number, isPaced: boolean): Case {
  return {
    name: `${endpoints} endpoints, ${isPaced ? 'a batch every 200 ms' : 'back to back, equal answers'}`,
    writing: { endpoints, batches, isPaced, differ: isPaced },
    target: endpoints < MANY_ENDPOINTS ? TARGETS.cpuShare : TARGETS.manyCpuShare,
    costs: { rows: [], 'journal and pages': [], 'journal, not folded': [], 'no log': [] },
  };
}

function described({ serverUs, nodeUs, storedBytes, walBytes }: LogCost): string {
  return (
    `${serverUs.toFixed(2)} us of PostgreSQL and ${nodeUs.toFixed(2)} us of Node an attempt, ` +
    `${storedBytes.toFixed(0)} B stored, ${walBytes.toFixed(0)} B of WAL`
  );
}

function writingMeasurements({ name, target, costs }: Case): Measurement[] {
  const ratio = (what: string, of: (cost: LogCost) => number, share?: number): Measurement => ({
    name: `${what}, pages / rows, ${name}`,
    unit: 'x',
    better: 'lower',
    samples: costs.rows.map((rows, round) => of(costs['journal and pages'][round]!) / of(rows)),
    ...(share !== undefined && { target: share }),
  });
  const own = (what: string, unit: Measurement['unit'], of: (cost: LogCost) => number): Measurement[] =>
    WAYS.map((way) => ({ name: `${what}, ${way}, ${name}`, unit, better: 'lower', samples: costs[way].map(of) }));
  return [
    ratio("PostgreSQL's CPU", ({ serverUs }) => serverUs, target),
    ratio('bytes stored', ({ storedBytes }) => storedBytes, TARGETS.storedShare),
    ratio('WAL', ({ walBytes }) => walBytes),
    ...own("PostgreSQL's CPU for an attempt", 'us', ({ serverUs }) => serverUs),
    ...own("Node's CPU for an attempt", 'us', ({ nodeUs }) => nodeUs),
    ...own('bytes stored for an attempt', 'B', ({ storedBytes }) => storedBytes),
    ...own('WAL for an attempt', 'B', ({ walBytes }) => walBytes),
  ];
}

function readingMeasurements(readings: readonly Reading[]): Measurement[] {
  const quantiles = (name: string, of: (reading: Reading) => number[], target?: number): Measurement[] =>
    [0.5, 0.99].map((share) => ({
      name: `${ENTRIES} entries, ${name}: p${share * 100}`,
      unit: 'ms',
      better: 'lower',
      samples: readings.map((reading) => quantile(of(reading), share)),
      ...(share === 0.99 && target !== undefined && { target }),
    }));
  return [
    ...READ_NAMES.flatMap((name) =>
      quantiles(name, ({ readMs }) => readMs[name], name === 'no filter' ? TARGETS.pageMs : TARGETS.filteredMs),
    ),
    ...quantiles('beside a journal', ({ besideJournalMs }) => besideJournalMs, TARGETS.pageMs),
    ...quantiles('the newest, beside a journal', ({ newestBesideJournalMs }) => newestBesideJournalMs),
  ];
}

function foldingMeasurements(foldings: readonly Folding[]): Measurement[] {
  const measure = (
    name: string,
    unit: Measurement['unit'],
    of: (folding: Folding) => number,
    target?: number,
  ): Measurement => ({
    name,
    unit,
    better: 'lower',
    samples: foldings.map(of),
    ...(target !== undefined && { target }),
  });
  return [
    measure(
      'commit p99, beside a fold longer by',
      'ms',
      ({ besideMs, aloneMs }) => quantile(besideMs, 0.99) - quantile(aloneMs, 0.99),
      TARGETS.heldBackMs,
    ),
    measure('commit p50, alone', 'ms', ({ aloneMs }) => quantile(aloneMs, 0.5)),
    measure('commit p99, alone', 'ms', ({ aloneMs }) => quantile(aloneMs, 0.99)),
    measure('commit p50, beside a fold', 'ms', ({ besideMs }) => quantile(besideMs, 0.5)),
    measure('commit p99, beside a fold', 'ms', ({ besideMs }) => quantile(besideMs, 0.99)),
    measure("folding alone, PostgreSQL's CPU for an attempt", 'us', ({ serverUs }) => serverUs),
    measure("folding alone, Node's CPU for an attempt", 'us', ({ nodeUs }) => nodeUs),
  ];
}
