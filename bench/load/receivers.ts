// Hostile receivers: 106 receivers that misbehave, each in its own way, and what they do to the engine
// (bench/receivers/hostile): refused, reset and half-closed connections, heads and bodies sent byte by byte, endless
// and lying responses, zip bombs, floods of interim responses, redirects to internal addresses, TLS handshakes broken
// at every stage, wrong certificates, names that hang, change, lie or have thousands of addresses. `--serve` runs the
// same receivers on loopback for any webhook service, and lists the expected outcome of each.
//
// Measured: the real engine (shard, actors, PostgreSQL, delivery log) sends to each for a while, beside healthy
// endpoints: the outcome in the log, how long a slot was held, how much memory grew (the larger of resident memory and
// memory in use after a garbage collection), bytes read, and the healthy endpoints' p99 with it and alone.
//
// Faults: an outcome other than the expected one, a slot held past the deadline, memory growth of more than 10 MiB, a
// healthy endpoint that missed anything, a request at the canary, the target of the redirects.
//
// Not measured: large request bodies that are not read (test/delivery/transport/http-hostile.test.ts has them), TLS
// renegotiation.
//
// Results: all 106 had the expected outcome, and every fault was zero. The longest slot was held for 10.02 s, memory
// grew by at most 3.8 MiB, and one receiver sent 74 MiB. The p99 of the healthy endpoints, which share the cores with
// the receivers, was 2.2 ms alone and 3.9 ms beside them (median of the plays); the worst play had 81 ms.

import { parseArgs } from 'node:util';
import { syntheticArtifact } from '#bench/engines/synthetic-timeline.ts';
import { systemClock } from '#engine/base/clock.ts';
import { median } from '#engine/base/median.ts';
import { createNameLookup } from '#engine/delivery/transport/name-lookup.ts';
import { openArtifact } from '#engine/timeline/artifact.ts';
import { PacedEngine } from '../engines/paced-engine.ts';
import { ArrivalReceiver } from '../receivers/arrival-receiver-process.ts';
import { HostileKit, MISBEHAVIOURS } from '../receivers/hostile/hostile-kit.ts';
import { type HostileReceiver, nameOf } from '../receivers/hostile/hostile-receiver.ts';
import { describeOutcome, type Misbehaviour } from '../receivers/hostile/misbehaviour.ts';
import { alignedTable } from '../suite/aligned-table.ts';
import { quantile } from '../suite/quantiles.ts';
import type { BenchResult, Measurement } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { type HostileParts, type HostilePlay, playHostile } from './hostile-play.ts';
import { sumOfFaults } from './play-faults.ts';

const BODY_BYTES = 450;
const MOVED_BYTES_MAX = 10 * 1_048_576;
/** Every tenth play is followed by one without hostile receivers. Whatever memory growth that shows is noise. */
const ALONE_EVERY = 10;
const PORT_MAX = 65_535;
const ENGINE = new URL('../engines/leaping-engine-process.ts', import.meta.url);

export const help = `npm run bench -- receivers [options]

The real engine sends updates to ${MISBEHAVIOURS.length} receivers that misbehave, each in its own way, and to healthy ones beside them. The
hostile receivers get one play each; those that run into the deadline share one. Each must have the outcome listed by
--serve, hold no slot past the deadline, leave memory unchanged, and affect no healthy endpoint.

  --only LIST      names of receivers (default all)
  --endpoints N    endpoints at each receiver (default 10)
  --updates N      updates, each to every endpoint (default 60)
  --rate N         updates a second (default 100)
  --healthy N      healthy endpoints (default 5)
  --quick          all in one play, with a clock that leaps past the deadline: checks the outcomes; times mean nothing

  --serve          runs the receivers on 127.0.0.1 until Ctrl-C, and lists their URLs and expected outcomes
  --port P         with --serve: uses consecutive ports from P (default: any free ones)

  npm run bench -- receivers
  npm run bench -- receivers --only gzip-bomb,endless-headers --updates 200
  npm run bench -- receivers --serve --port 9100

You can point any webhook service at the URLs that --serve lists. Slipstream accepts 127.0.0.1 and localhost in replays. The
certificates are in test/fixtures/tls; a client must trust authority.pem for the valid handshakes to succeed.`;

export const smoke = ['--endpoints', '1', '--updates', '8', '--healthy', '2', '--quick'];
export const all = ['--quick'];

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      endpoints: { type: 'string', default: '10' },
      updates: { type: 'string', default: '60' },
      rate: { type: 'string', default: '100' },
      healthy: { type: 'string', default: '5' },
      quick: { type: 'boolean', default: false },
      serve: { type: 'boolean', default: false },
      port: { type: 'string' },
    },
  });
  const rows = rowsOf(values.only);
  const port = values.port === undefined ? 0 : wholeNumber('--port', values.port);
  if (port + rows.length + 1 > PORT_MAX) throw new Error(`--port: ${port} leaves no room for ${rows.length} receivers`);
  if (values.serve) return serve(rows, port, progress);
  if (port !== 0) throw new Error('--port: needs --serve');
  const numbers = {
    endpoints: wholeNumber('--endpoints', values.endpoints),
    updates: wholeNumber('--updates', values.updates),
    rate: wholeNumber('--rate', values.rate),
    healthy: wholeNumber('--healthy', values.healthy),
  };
  const { quick } = values;
  const measured = await withParts(rows, numbers, quick, (parts, kit) => playAll(parts, kit, progress));
  return {
    bench: 'receivers',
    parameters: { ...numbers, only: values.only ?? 'all', quick: String(quick) },
    ...measured,
  };
}

function rowsOf(only: string | undefined): readonly Misbehaviour[] {
  if (only === undefined) return MISBEHAVIOURS;
  return only.split(',').map((name) => {
    const row = MISBEHAVIOURS.find((known) => known.name === name);
    if (row === undefined) throw new Error(`--only: there is no receiver "${name}"; --serve lists them`);
    return row;
  });
}

async function serve(rows: readonly Misbehaviour[], port: number, say: (line: string) => void): Promise<never> {
  const kit = await HostileKit.start(rows, port);
  const lines = kit.receivers.map(({ row, url }) => [row.name, url, describeOutcome(row.outcome), row.over, row.does]);
  const words = new Set([0, 1, 2, 3, 4]);
  for (const line of alignedTable([['name', 'url', 'outcome', 'over', 'what it does'], ...lines], words)) say(line);
  say(
    `The name server ${kit.nameServer} resolves the names, over UDP and TCP. No connection must reach the ports behind them.`,
  );
  // The open servers keep the process running.
  return new Promise(() => {});
}

interface Numbers {
  readonly endpoints: number;
  readonly updates: number;
  readonly rate: number;
  readonly healthy: number;
}

/** Starts the parts of the bench and stops them in any case. */
async function withParts<Result>(
  rows: readonly Misbehaviour[],
  { endpoints, updates, rate, healthy: healthyEndpoints }: Numbers,
  leaps: boolean,
  use: (parts: HostileParts, kit: HostileKit) => Promise<Result>,
): Promise<Result> {
  const kit = await HostileKit.start(rows);
  try {
    const healthy = await ArrivalReceiver.start();
    try {
      const engine = await PacedEngine.startIn(ENGINE, [kit.nameServer]);
      try {
        const timeline = openArtifact((await syntheticArtifact(updates, 1_000 / rate, BODY_BYTES)).bytes);
        const artifactFile = engine.load(timeline);
        return await use({ engine, healthy, timeline, artifactFile, leaps, healthyEndpoints, endpoints }, kit);
      } finally {
        await engine.end();
      }
    } finally {
      await healthy.end();
    }
  } finally {
    await kit.close();
  }
}

type Measured = Pick<BenchResult, 'measurements' | 'plots' | 'faults' | 'notes'>;

async function playAll(parts: HostileParts, kit: HostileKit, progress: (line: string) => void): Promise<Measured> {
  await resolveChangingNames(kit);
  const { receivers } = kit;
  const quick = parts.leaps;
  const late = receivers.filter(({ row }) => row.over === 'at the deadline');
  const soon = receivers.filter(({ row }) => row.over === 'soon');
  // Warms up: one-time allocations are made and code is compiled before anything is measured.
  if (!quick) for (const group of [[], soon]) await playHostile(parts, group);
  const groups = quick ? [receivers] : [...soon.map((receiver) => [receiver]), late].filter(({ length }) => length > 0);
  const alone: HostilePlay[] = [await playHostile(parts, [])];
  const plays: HostilePlay[] = [];
  for (const [index, group] of groups.entries()) {
    const play = await playHostile(parts, group);
    plays.push(play);
    for (const line of described(play, quick)) progress(line);
    if (index % ALONE_EVERY === ALONE_EVERY - 1) alone.push(await playHostile(parts, []));
  }
  const rows = plays.flatMap((play) => play.rows);
  const noise = Math.max(0, ...alone.map(({ movedBytes }) => movedBytes));
  return {
    measurements: measurementsOf(plays, alone, quick),
    plots: [],
    faults: {
      ...sumOfFaults([...plays, ...alone]),
      otherOutcome: rows.filter(({ wrong }) => wrong.length > 0).length,
      heldTooLong: rows.filter(({ heldTooLong }) => heldTooLong).length,
      memoryMoved: quick ? 0 : plays.filter(({ movedBytes }) => movedBytes > MOVED_BYTES_MAX + noise).length,
      redirectsFollowed: kit.canaryCalls,
      late: plays.reduce((sum, { late }) => sum + late, 0),
    },
    notes: ['hostile receivers share the cores of this machine with the engine and the healthy receivers'],
  };
}

/** Resolves names that change, as the service does when an endpoint is created; later they have another address. */
async function resolveChangingNames({ receivers, nameServer }: HostileKit): Promise<void> {
  const lookup = createNameLookup(systemClock, [nameServer]);
  const changing = ({ row: { by } }: HostileReceiver): boolean => by.kind === 'name' && by.answer.kind === 'change';
  for (const { row } of receivers.filter(changing)) await lookup(nameOf(row));
}

function described({ rows, lagMs, movedBytes }: HostilePlay, quick: boolean): string[] {
  const lines = rows.map(
    ({ name, attempts, expected, wrong, longestMs, readBytes }) =>
      `${name}: ${attempts} x ${expected}${wrong.length === 0 ? '' : `, BUT ${wrong.join(', ')}`}; ` +
      `longest slot ${longestMs.toFixed(0)} ms, ${(readBytes / 1_024).toFixed(0)} KiB read`,
  );
  const memory = quick ? '' : `memory ${(movedBytes / 1_048_576).toFixed(1)} MiB, `;
  return [...lines, `  ${memory}healthy p99 ${quantile(lagMs, 0.99).toFixed(2)} ms`];
}

function measurementsOf(plays: readonly HostilePlay[], alone: readonly HostilePlay[], quick: boolean): Measurement[] {
  const rows = plays.flatMap((play) => play.rows);
  const p99 = ({ lagMs }: HostilePlay): number => quantile(lagMs, 0.99);
  const aloneMs = median(alone.map(p99));
  const largest = (of: readonly HostilePlay[]): number => Math.max(...of.map((play) => play.movedBytes)) / 1_048_576;
  const lower = (name: string, unit: Measurement['unit'], value: number): Measurement => ({
    name,
    unit,
    better: 'lower',
    samples: [value],
  });
  const survived = rows.filter(({ wrong, heldTooLong }) => wrong.length === 0 && !heldTooLong).length;
  return [
    { name: 'receivers survived', unit: 'count', better: 'higher', samples: [survived], target: rows.length },
    lower('longest slot', 'ms', Math.max(...rows.map(({ longestMs }) => longestMs))),
    lower('most read of one receiver', 'KiB', Math.max(...rows.map(({ readBytes }) => readBytes)) / 1_024),
    ...(quick
      ? []
      : [lower('memory moved, most', 'MiB', largest(plays)), lower('memory moved alone, most', 'MiB', largest(alone))]),
    lower('healthy p99 alone', 'ms', aloneMs),
    lower('healthy p99 beside, median of the plays', 'ms', median(plays.map(p99))),
    lower('healthy p99 beside, of that alone', 'x', median(plays.map(p99)) / aloneMs),
    lower('healthy p99 beside, worst play', 'ms', Math.max(...plays.map(p99))),
  ];
}
