// Isolation: what dead, hanging and slow endpoints cost healthy ones. Healthy endpoints get the same steady load alone,
// and in a run in which half or nine tenths of all endpoints are unhealthy.
//
// Measured: lag, from due to fully received, at the healthy endpoints' receiver, which has its own process. 20 healthy
// endpoints get 100 updates a second for 6 s: alone, and with as many unhealthy endpoints (50 %) or nine times as many
// (90 %) in the same run, on the same shard. Dead endpoints refuse connections, hanging ones accept and never respond,
// slow ones respond after 2 s; "mixed" is all three kinds. Each round plays every case once, in rotated order. The
// ratio is to the healthy endpoints alone in the same round.
//
// Reported separately: the first fifth, at most 1 s, in which connections are opened and circuit breakers trip: every
// unhealthy endpoint fails twenty times.
//
// How a play ends: when the healthy endpoints have everything, the bench stops the run and the unhealthy endpoints drop
// what they hold, so no play waits for deadlines and retries. The remaining updates are skipped and counted: every sum
// must be exact, for unhealthy endpoints as well (I1).
//
// With `--https`: 25 healthy https endpoints, each with an origin of its own, alone and beside four times as many whose TLS
// handshake hangs, fails, or takes 5 s, a third each. The run is long enough, 15 s, for hanging handshakes to reach their
// deadline, and for the late ones to get what they missed. Healthy handshakes resume TLS sessions from the second play on.
// "Until the late ones" leaves out what follows when the late handshakes end, which began before the first update was due:
// from then on these endpoints are healthy, too, and get every update at the same moment as the others. What that alone costs is a third case: as many more endpoints that
// are healthy from the start.
//
// Not measured: the deadlines of hanging endpoints, which take 10 s (`--updates 2000` reaches them); a network.
//
// How to read: all processes share the machine's cores. Slow endpoints are served, so they also cost the healthy ones
// CPU: 180 of them respond at the same moment, again and again. Endpoints with late handshakes are served after 5 s, and
// what they missed, 16,500 updates, is due at once. All deliveries of one update are late together, so a p99 is the sixth
// worst of 600 moments: look at the rounds, and at the plot over time.
//
// Results over http, healthy endpoints, ms (machine and method: bench/README.md):
//
//                     p50   p99   p99.9   p99 of the start       p99 relative to alone
//     alone           1.2   2.9   5.4      3.4
//     50 % dead       1.1   2.6   4.3      3.2                   0.95 (0.54 to 1.17)
//     90 % dead       1.1   2.7   4.5     17.2                   0.91 (0.57 to 1.35)
//     50 % hanging    1.2   2.6   4.6      3.1                   0.93 (0.54 to 1.14)
//     90 % hanging    1.2   2.6   3.3      9.0                   0.86 (0.61 to 1.09)
//     50 % slow       1.1   2.4   3.9      3.3                   0.97 (0.50 to 1.08)
//     90 % slow       1.2   5.8   13.7     9.0                   2.03 (1.30 to 3.60)
//     50 % mixed      1.2   2.8   4.6      3.6                   1.04 (0.58 to 1.09)
//     90 % mixed      1.1   3.1   5.3      8.1                   1.04 (0.90 to 1.36)
//
// Results over https: docs/decisions/0028-connections-over-https-are-kept.md, drawn from results/2026-11-23-https*.json.

import { parseArgs } from 'node:util';
import { syntheticArtifact } from '#bench/engines/synthetic-timeline.ts';
import { openArtifact } from '#engine/timeline/artifact.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { PacedEngine } from '../engines/paced-engine.ts';
import { ArrivalReceiver } from '../receivers/arrival-receiver-process.ts';
import { BAD_HANDSHAKES, IllHandshakes, LATE_HANDSHAKE_MS } from '../receivers/ill-handshakes-process.ts';
import { ILLNESSES, IllReceiver, SLOW_MS } from '../receivers/ill-receiver-process.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import { latencyCurve, quantile } from '../suite/quantiles.ts';
import type { BenchResult, Measurement, Series } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { clockNote, lagsBetween, lagsOf, largestOverTime, splitAt } from './lag.ts';
import { faultsOf, type PlayFaults, sumOfFaults } from './play-faults.ts';
import { type EndpointRecord, readRecords } from './play-records.ts';

const BODY_BYTES = 450;
const SHARES_PERCENT = [50, 90];
/** Updates played once before the first round, to compile the code. */
const WARM_UP_UPDATES = 100;
/** The start of a play, in which connections are opened and circuit breakers trip. Its lags are reported separately. */
const BEGINNING_SHARE = 0.2;
const BEGINNING_MS_MAX = 1_000;
/** How long after the last update is due the healthy endpoints may take to receive everything. */
const LATE_MS_MAX = 60_000;
const BINS = 100;
/** The first late handshake ends no earlier. Endpoints are connected to a moment before the first update is due. */
const EARLY_MS = LATE_HANDSHAKE_MS - 500;
const TARGET = { kind: 'dead', percent: 90, ratio: 1.2 } as const;
/** Endpoints with bad handshakes for each healthy one. */
const BAD_HANDSHAKES_EACH = 4;
const DEFAULTS = { http: { healthy: '20', updates: '600' }, https: { healthy: '25', updates: '1500' } } as const;

const KINDS = [...ILLNESSES, 'mixed'] as const;
type Kind = (typeof KINDS)[number];

export const help = `npm run bench -- isolation [options]

Healthy endpoints get updates at a steady rate: alone, with as many unhealthy endpoints, and with nine times as many. Dead
endpoints refuse connections, hanging ones accept and never respond, slow ones respond after ${SLOW_MS / 1_000} s; mixed is all three.
Every round plays each case once. The ratio is to the healthy endpoints alone in the same round. The start of a play, in
which connections are opened and circuit breakers trip, is reported separately: its first fifth, at most 1 s.

  --healthy N    healthy endpoints (default ${DEFAULTS.http.healthy}, over https ${DEFAULTS.https.healthy})
  --updates N    updates, each to every endpoint (default ${DEFAULTS.http.updates}, over https ${DEFAULTS.https.updates})
  --rate N       updates a second (default 100)
  --kinds LIST   any of ${KINDS.join(', ')} (default all)
  --https        healthy https endpoints, alone and beside ${BAD_HANDSHAKES_EACH} times as many whose TLS handshake hangs, fails, or takes
                 ${LATE_HANDSHAKE_MS / 1_000} s, a third each; and beside as many more healthy ones as are late
  --shards N     delivery threads (default 1)
  --rounds N     rounds (default 5)

  npm run bench -- isolation --kinds dead --rounds 10
  npm run bench -- isolation --healthy 50 --rate 20
  npm run bench -- isolation --https`;

export const smoke = ['--healthy', '3', '--updates', '40', '--rate', '100', '--kinds', 'mixed', '--rounds', '1'];

/** The unhealthy endpoints beside the healthy ones. */
interface Company {
  readonly name: string;
  /** One for each endpoint beside those that are timed. */
  readonly urls: readonly string[];
  readonly targetRatio: number | null;
  /** What is bad of them. */
  readonly bad: 'responses' | 'handshakes' | 'nothing';
  /** The case that has the same load without anything bad; null if there is none. */
  readonly equal: Company | null;
}

const ALONE: Company = { name: 'alone', urls: [], targetRatio: null, bad: 'nothing', equal: null };

/** One play. Latencies are those of the healthy endpoints, in milliseconds. */
interface PlayResult {
  readonly company: Company;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  /** p99 of the start of the play, which the others exclude. */
  readonly beginningP99: number;
  /** p99 after the start and before the first late handshake ends. */
  readonly earlyP99: number;
  readonly curve: Series;
  readonly overTime: Series;
  readonly bad: readonly EndpointRecord[];
  readonly faults: PlayFaults;
}

interface Parts {
  readonly engine: PacedEngine;
  readonly receiver: ArrivalReceiver;
  readonly ill: IllReceiver | IllHandshakes;
  /** The cases of a round, the healthy endpoints alone first. */
  readonly companies: readonly Company[];
}

interface Load {
  readonly timeline: Timeline;
  readonly artifactFile: string;
  readonly healthy: number;
}

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      healthy: { type: 'string' },
      updates: { type: 'string' },
      rate: { type: 'string', default: '100' },
      kinds: { type: 'string' },
      https: { type: 'boolean', default: false },
      shards: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const { https } = values;
  const defaults = DEFAULTS[https ? 'https' : 'http'];
  const healthy = wholeNumber('--healthy', values.healthy ?? defaults.healthy);
  const updates = wholeNumber('--updates', values.updates ?? defaults.updates);
  const rate = wholeNumber('--rate', values.rate);
  const shards = wholeNumber('--shards', values.shards);
  const rounds = wholeNumber('--rounds', values.rounds);
  if (https && values.kinds !== undefined)
    throw new Error('--kinds: with --https, all kinds of bad handshakes are mixed');
  const kinds = https ? null : kindsOf(values.kinds ?? KINDS.join(','));
  return withParts(shards, healthy, kinds, async (parts) => {
    const { companies } = parts;
    const clockMs = await parts.receiver.clockAgreementMs();
    const load = await loadOf(parts.engine, healthy, updates, rate);
    await playOnce(parts, await loadOf(parts.engine, healthy, Math.min(updates, WARM_UP_UPDATES), rate), ALONE);
    const plays: PlayResult[] = [];
    for (let round = 1; round <= rounds; round++) {
      // Rotates the order, so no case always follows the same one.
      const first = (round - 1) % companies.length;
      for (const company of [...companies.slice(first), ...companies.slice(0, first)]) {
        const play = await playOnce(parts, load, company);
        plays.push(play);
        progress(`round ${round} of ${rounds}, ${describe(play)}`);
      }
    }
    return {
      bench: 'isolation',
      parameters: { healthy, updates, rate, kinds: kinds?.join(',') ?? 'handshakes', shards, rounds },
      measurements: measurementsOf(companies, plays),
      plots: [
        {
          title: 'Latency of healthy endpoints by rarity',
          xTitle: 'x: one in x deliveries is slower',
          yTitle: 'milliseconds from due to received',
          xScale: 'log',
          yScale: 'log',
          series: plays.slice(-companies.length).map(({ curve }) => curve),
        },
        {
          title: 'Largest latency of healthy endpoints over time',
          xTitle: 'seconds since the first update was due',
          yTitle: 'milliseconds from due to received',
          xScale: 'linear',
          yScale: 'log',
          series: plays.slice(-companies.length).map(({ overTime }) => overTime),
        },
      ],
      faults: sumOfFaults(plays),
      notes: [
        clockNote(clockMs),
        'unhealthy endpoints share the cores of this machine with the healthy ones and the engine',
      ],
    };
  });
}

function kindsOf(list: string): readonly Kind[] {
  const kinds = list.split(',').map((text) => {
    const kind = KINDS.find((known) => known === text);
    if (kind === undefined) throw new Error(`--kinds: "${text}" is none of ${KINDS.join(', ')}`);
    return kind;
  });
  if (new Set(kinds).size < kinds.length) throw new Error('--kinds: the list repeats a kind');
  return kinds;
}

function companyOf(kind: Kind, percent: number, healthy: number, ill: IllReceiver): Company {
  const count = Math.round((healthy * percent) / (100 - percent));
  const urls = Array.from({ length: count }, (_, index) =>
    ill.url(kind === 'mixed' ? ILLNESSES[index % ILLNESSES.length]! : kind, index),
  );
  const targetRatio = kind === TARGET.kind && percent === TARGET.percent ? TARGET.ratio : null;
  return { name: `${percent} % ${kind}`, urls, targetRatio, bad: 'responses', equal: null };
}

/** The case with bad handshakes, after the one in which those that are late are prompt and the others are not there. */
function badHandshakes(healthy: number, ill: IllHandshakes): readonly [Company, Company] {
  const count = healthy * BAD_HANDSHAKES_EACH;
  const kinds = Array.from({ length: count }, (_, index) => BAD_HANDSHAKES[index % BAD_HANDSHAKES.length]!);
  const prompt = kinds.flatMap((kind, index) => (kind === 'late' ? [ill.url('prompt', index)] : []));
  const equal = {
    name: `${prompt.length} more healthy ones`,
    urls: prompt,
    targetRatio: null,
    bad: 'nothing',
    equal: null,
  } as const;
  const urls = kinds.map((kind, index) => ill.url(kind, index));
  return [equal, { name: `${count} bad handshakes`, urls, targetRatio: TARGET.ratio, bad: 'handshakes', equal }];
}

/** Starts the processes of the bench and stops them in any case. `kinds`: null for bad handshakes, over https. */
async function withParts<Result>(
  shards: number,
  healthy: number,
  kinds: readonly Kind[] | null,
  use: (parts: Parts) => Promise<Result>,
): Promise<Result> {
  const started: { end(): Promise<void> }[] = [];
  const keep = <Part extends { end(): Promise<void> }>(part: Part): Part => {
    started.push(part);
    return part;
  };
  try {
    if (kinds === null) {
      const receiver = keep(await ArrivalReceiver.start({ scheme: 'https', origins: healthy }));
      const ill = keep(await IllHandshakes.start());
      const engine = keep(await PacedEngine.start(shards));
      return await use({ engine, receiver, ill, companies: [ALONE, ...badHandshakes(healthy, ill)] });
    }
    const receiver = keep(await ArrivalReceiver.start());
    const ill = keep(await IllReceiver.start());
    const engine = keep(await PacedEngine.start(shards));
    const beside = kinds.flatMap((kind) => SHARES_PERCENT.map((share) => companyOf(kind, share, healthy, ill)));
    return await use({ engine, receiver, ill, companies: [ALONE, ...beside] });
  } finally {
    for (const part of started.toReversed()) await part.end();
  }
}

async function loadOf(engine: PacedEngine, healthy: number, updates: number, rate: number): Promise<Load> {
  const { bytes } = await syntheticArtifact(updates, 1_000 / rate, BODY_BYTES);
  const timeline = openArtifact(bytes);
  return { timeline, artifactFile: engine.load(timeline), healthy };
}

async function playOnce({ engine, receiver, ill }: Parts, load: Load, company: Company): Promise<PlayResult> {
  const { timeline, artifactFile, healthy } = load;
  const updates = timeline.length;
  const endpoints = await engine.register([...receiver.urls(healthy), ...company.urls]);
  const expected = { secrets: endpoints.slice(0, healthy).map(({ secret }) => secret), first: 1, updates };
  await receiver.expect(expected);
  await ill.accept();
  const play = await engine.play({ timeline, artifactFile, from: 0, speed: 1, endpoints });
  const untilMs = play.dueAtMs(updates - 1) + LATE_MS_MAX;
  // If the play fails, the race rejects at once.
  await Promise.race([receiver.settled(untilMs - monotonicMs()), play.settled]);
  // Beside bad endpoints the play may not end by itself. Without them, what the others still miss is part of the load.
  if (company.bad === 'nothing') await play.settled;
  play.stop();
  const badRequests = await ill.dropAll();
  await play.settled;
  const arrivals = await receiver.report();
  const webhookIds = endpoints.map(({ webhookId }) => webhookId);
  const records = await readRecords(engine.sql, play, webhookIds, updates);
  const lag = lagsOf(arrivals, expected, play.dueAtMs);
  const lengthMs = play.dueAtMs(updates - 1) - play.dueAtMs(0);
  const beginningMs = Math.min(BEGINNING_MS_MAX, lengthMs * BEGINNING_SHARE);
  const [beginning, sorted] = splitAt(lag, beginningMs);
  if (beginning.length === 0 || sorted.length === 0)
    throw new Error(`only ${arrivals.distinct} deliveries arrived, too few to measure; play more (--updates)`);
  const healthyLogged = attemptsOf(records.endpoints.slice(0, healthy));
  const bad = records.endpoints.slice(healthy);
  const faults = faultsOf(arrivals, healthy * updates, healthyLogged, records);
  return {
    company,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    p999: quantile(sorted, 0.999),
    beginningP99: quantile(beginning, 0.99),
    earlyP99: quantile(lagsBetween(lag, beginningMs, EARLY_MS), 0.99),
    curve: latencyCurve(company.name, sorted),
    overTime: largestOverTime(company.name, lag, BINS),
    bad,
    // Every request at an unhealthy endpoint must be a logged attempt (I10). Attempts that reached none are only
    // logged.
    faults: { ...faults, unrecorded: faults.unrecorded + Math.max(0, badRequests - attemptsOf(bad)) },
  };
}

function attemptsOf(endpoints: readonly EndpointRecord[]): number {
  return endpoints.reduce((sum, { logged }) => sum + logged, 0);
}

function describe({ company, p50, p99, p999, beginningP99, earlyP99, bad }: PlayResult): string {
  const sumOf = (count: (record: EndpointRecord) => number): number =>
    bad.reduce((sum, record) => sum + count(record), 0);
  const skipped = sumOf(({ matched, delivered, failed }) => matched - delivered - failed);
  const beside =
    bad.length === 0
      ? ''
      : `; ${bad.length} others: ${attemptsOf(bad)} attempts, ${sumOf(({ delivered }) => delivered)} delivered, ` +
        `${sumOf(({ failed }) => failed)} failed, ${skipped} skipped`;
  return (
    `${company.name}: p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}, p99.9 ${p999.toFixed(2)} ms, ` +
    `p99 of the start ${beginningP99.toFixed(2)}, until the late ones ${earlyP99.toFixed(2)} ms${beside}`
  );
}

function measurementsOf(companies: readonly Company[], plays: readonly PlayResult[]): Measurement[] {
  const playsIn = (company: Company): readonly PlayResult[] => plays.filter((play) => play.company === company);
  return companies.flatMap((company) => {
    const own = playsIn(company);
    const latency = (name: string, latencyOf: (play: PlayResult) => number): Measurement => ({
      name: `healthy ${name}, ${company.name}`,
      unit: 'ms',
      better: 'lower',
      samples: own.map(latencyOf),
    });
    const latencies = [
      latency('p50', ({ p50 }) => p50),
      latency('p99', ({ p99 }) => p99),
      latency('p99.9', ({ p999 }) => p999),
      latency('p99 of the beginning', ({ beginningP99 }) => beginningP99),
    ];
    if (company === ALONE) return latencies;
    const ratio = (
      name: string,
      latencyOf: (play: PlayResult) => number,
      other: Company,
      target: number | null,
    ): Measurement => ({
      name: `healthy ${name} of that ${other === ALONE ? '' : 'beside '}${other.name}, ${company.name}`,
      unit: 'x',
      better: 'lower',
      // The plays of every case are in the order of the rounds.
      samples: own.map((play, round) => latencyOf(play) / latencyOf(playsIn(other)[round]!)),
      ...(target !== null && { target }),
    });
    const { targetRatio, equal } = company;
    const ratios = [ratio('p99', ({ p99 }) => p99, ALONE, targetRatio)];
    if (company.bad === 'handshakes')
      ratios.push(ratio('p99 until the late ones', ({ earlyP99 }) => earlyP99, ALONE, targetRatio));
    if (equal !== null) ratios.push(ratio('p99', ({ p99 }) => p99, equal, null));
    return [...latencies, ...ratios];
  });
}
