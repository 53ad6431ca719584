// Streams of updates over gRPC and server-sent events, in a real service, beside deliveries to webhooks.
//
// Measured:
//   fan-out  one update of a live session to all streams of a kind: from sending its frame until the last has read it
//            whole. Flat out: many updates at once, with the CPU of the whole service process for each, as in the bench
//            `endpoints`. The same with endpoints instead of streams.
//   race     the busiest stretch of a real race at 10x as one replay, whose streams and deliveries all go by its clock:
//            deliveries alone, streams of each kind alone, and all at once. Lags at arrival. The control of streams is a bare server
//            that sends the same bytes at the same times to as many of the same clients (bare-streams.ts); the control of
//            deliveries beside them is further endpoints that get the same, as many as take about the CPU of the streams.
//   stalled  streams that read nothing of a recorded session, as many as above: memory of the service for each, and the
//            lag of a hundred others that follow a live session, beside them and alone.
//
// Not measured: a network, TLS, real client libraries. The clients are as cheap as they can be (receivers/stream-receiver.ts),
// share the machine with the service, and have a process for each kind.
//
// How to read: the service does not tell when a replay began, so the lags of the race count from the update that was
// least late in the whole play, deliveries included. So all lags are too small by that one's own, a fraction of a millisecond.
// Beside deliveries, streams begin a millisecond later (docs/decisions/0038). Their lags include it; those of results up to decision
// 0037 do not. Alone they give way only for two seconds after the one endpoint has got an update. The CPU of the few updates of a
// stream is that of the whole process, deriving included.
//
// Results of `--parts fan-out,stalled --rounds 1` on two cores with nothing else running. No update was lost, doubled or misordered.
// In brackets: before frames of gRPC were shared by all calls, two rounds.
//
//     one update to all 1,000, ms:  grpc 13.6 (15.5), sse 20.5 (22), endpoints 46 (45)
//     flat out, updates a second:   grpc 376,000, sse 723,000, endpoints 20,000
//     CPU of an update, us:         grpc 1.5 (4.8), sse 1.3 (3.3), endpoints 40 (44)
//     a stream that is not read:    43 KiB (96)
//     p99 of 100 others beside 1,000 that are not read, relative to alone: 1.08 (0.93)
//
// Results of the race (`--parts race --rounds 1`), lag p99 in ms, each value a play of ten or fifteen seconds, on two cores of a
// virtual machine that stalls now and then: a single pause of ten milliseconds in ten seconds is the p99.
//
//                                    the service               the bare servers
//     100 grpc streams               3.5, 5.6                  4.5, 4.8
//     100 sse streams                3.8, 4.2, 4.4, 4.8, 7.4, 10.8   2.6, 2.7, 2.9, 2.9, 3.0, 8.7
//
// Both at once with alarms (docs/decisions/0037), plays of 8 to 30 s: grpc 2.6 to 8.0, sse 3.1 to 6.0; the bare servers 7.1 and 5.5.
// 25 endpoints alone 4.2 to 5.4, beside both 6.6 and 8.3, beside the bare servers 6.1, beside 45 further endpoints 8.1, 8.5 and 10.
//
// With streams that give way (0038), two plays of 6 s: deliveries beside both 7.5 and 9.0, alone 4.3 and 5.9, beside bare servers that
// begin a millisecond later 4.5 and 5.8; both at once: grpc 5.0 and 5.5, sse 4.4 and 4.8.
//
// With streams that wait longer for several updates at once (0038), two plays of 6 s on a slower machine: deliveries beside both 6.3 and
// 15.0, alone 6.5 and 7.3, beside bare servers 8.3 and 9.7; both at once: grpc 7.9 and 6.2, sse 7.2 and 5.8; bare servers grpc 7.0 and
// 7.5, sse 5.4 and 4.3.
//
// Since streams share a turn (0038), five plays of 8 s in turn with the same before: deliveries beside both 6.3, before 6.6, alone 5.2,
// beside bare servers 6.0; beside deliveries grpc 7.6, sse 6.1; bare servers grpc 6.1, sse 4.7. This bench, two plays of 6 s: deliveries
// beside both 10.0 and 6.0, alone 8.1 and 6.1, beside bare servers 8.7 and 5.6; without deliveries grpc 6.4 and 5.7, sse 5.7 and 4.0,
// bare servers 4.9 and 4.4, 2.8 and 2.7.
//
// Where the tail of gRPC came from: the library copied each message for each call, and the gRPC thread collected these copies,
// about once a second, in pauses of up to ten milliseconds. What was looked at besides: timers were 0.7 ms late at p50 and 1.9 at p99;
// a turn of a hundred streams takes 0.6 ms (gRPC) and 0.8 ms (sse), 2.6 at p99; the group commit of usage takes 1.5 % of the time.
// What is late beyond that is late in whole frames, often on all threads at once, with the bare servers too.

import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { assert } from '#engine/base/assert.ts';
import { systemClock } from '#engine/base/clock.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { BenchService } from '../engines/bench-service.ts';
import { ArrivalReceiver } from '../receivers/arrival-receiver-process.ts';
import { type StreamProtocol, StreamReceiver } from '../receivers/stream-receiver-process.ts';
import { readUsage } from '../suite/process-usage.ts';
import { quantile } from '../suite/quantiles.ts';
import type { BenchResult, Measurement } from '../suite/result.ts';
import { UsageError } from '../suite/usage-error.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { BareStreams } from './bare-streams-process.ts';
import { busiestSlice, DEFAULT_RECORDING, deriveRace } from './race-slice.ts';
import { lagsOf, leastLateOrigin, makeEndpoints, sessionOf } from './served-race.ts';
import { firstLine, STEADY_FEED, STEADY_FIRST_SEQUENCE, steadyLine } from './steady-frames.ts';

export const help = `npm run bench -- streams [options]

Opens streams of a real service from other processes, over gRPC and as server-sent events.
  fan-out   one update of a live session to --streams streams of each kind, and to as many endpoints; CPU of each
  race      --seconds of a real race at 10x to --racing streams of each kind and 25 endpoints, alone and together
  stalled   --streams streams that stop reading: memory of each, and the lag of 100 others
Lost, doubled and misordered updates are faults.

  --streams N    streams of a kind in the first and the last part (default 1000)
  --racing N     streams of a kind in the race (default 100)
  --seconds N    length of the race's part (default 15)
  --updates N    single updates of the fan-out (default 20)
  --parts LIST   which of the three parts (default all of them)
  --rounds N     rounds, each with every part (default 3)

Example: npm run bench -- streams --parts race --rounds 1`;

export const smoke = ['--streams', '10', '--racing', '2', '--seconds', '2', '--updates', '2', '--rounds', '1'];
export const all = ['--rounds', '1'];

const TARGETS = { fanOutMs: 100, lagP99Ms: 5, besideAlone: 1.1, besideStalled: 1.2 };
const SPEED = 10;
const ENDPOINTS = 25;
/** As many as take the CPU of 200 streams, receivers and clients included. */
const FURTHER_ENDPOINTS = 45;
const OTHERS = 100;
const FLAT_UPDATES = 40;
const BETWEEN_MS = 250;
const ARRIVAL_MS_MAX = 60_000;
/** Streams join a replay while it plays; what comes before is not measured. */
const JOIN_MS = 3_000;
/** Bare servers play at the times of the run beside them, which are learnt from one of its streams; else from this on. */
const PROBE_MS = 1_000;
const BEGIN_MS = 200;
/** What the one endpoint gets beside streams alone: once a lap, so that streams seldom give way to it. */
const CLOCK_FEED = 'lap.count';
const MIB = 1_048_576;

const PARTS = ['fan-out', 'race', 'stalled'];
const KINDS = ['grpc', 'sse', 'webhook'] as const;
type Kind = (typeof KINDS)[number];
/** What a race is played to. `bare`: streams of a server that does nothing but send. `further`: endpoints that are not timed. */
type RaceKind = Kind | `bare ${StreamProtocol}` | 'further';

interface Options {
  readonly parts: readonly string[];
  readonly streams: number;
  readonly racing: number;
  readonly seconds: number;
  readonly updates: number;
  readonly rounds: number;
}

interface Faults {
  lost: number;
  doubled: number;
  misordered: number;
}

/** A name, its unit, and a value from each round. */
type Samples = Map<
  string,
  { readonly unit: Measurement['unit']; readonly target: number | null; readonly values: number[] }
>;

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      streams: { type: 'string', default: '1000' },
      racing: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '15' },
      updates: { type: 'string', default: '20' },
      parts: { type: 'string', default: PARTS.join(',') },
      rounds: { type: 'string', default: '3' },
    },
  });
  const options: Options = {
    parts: partsOf(values.parts),
    streams: wholeNumber('--streams', values.streams),
    racing: wholeNumber('--racing', values.racing),
    seconds: wholeNumber('--seconds', values.seconds),
    updates: wholeNumber('--updates', values.updates),
    rounds: wholeNumber('--rounds', values.rounds),
  };
  const samples: Samples = new Map();
  const faults: Faults = { lost: 0, doubled: 0, misordered: 0 };
  const race = deriveRace(DEFAULT_RECORDING);
  const service = await BenchService.start({
    ADMIN_PORT: '0',
    GRPC_PORT: '0',
    LIVE_TO_LOCALHOST: 'on',
    SHARDS: '1',
    SEASON: '2018',
  });
  try {
    const sessionId = await sessionOf(service, DEFAULT_RECORDING);
    for (let round = 1; round <= options.rounds; round++) {
      const scene = { service, options, samples, faults, round, race, sessionId };
      if (options.parts.includes('fan-out')) {
        // Each round begins with another kind.
        for (let turn = 0; turn < KINDS.length; turn++)
          await fanOut(scene, KINDS[(round + turn) % KINDS.length]!, progress);
      }
      if (options.parts.includes('race'))
        for (const kinds of round % 2 === 1 ? RACES : RACES.toReversed()) await playRace(scene, kinds, progress);
      if (options.parts.includes('stalled')) await stall(scene, progress);
    }
  } finally {
    await service.end();
  }
  if (options.parts.includes('race')) compare(samples, options.racing);
  return {
    bench: 'streams',
    parameters: { ...options, parts: options.parts.join(','), race: race.info.sessionId },
    measurements: [...samples].map(([name, { unit, target, values: measured }]) => ({
      name,
      unit,
      better: 'lower',
      samples: measured,
      ...(target !== null && { target }),
    })),
    plots: [],
    faults: { ...faults },
    notes: [`Lags of the race count from what was least late in the play.`],
  };
}

function partsOf(text: string): readonly string[] {
  const parts = text.split(',');
  const unknown = parts.find((part) => !PARTS.includes(part));
  if (unknown !== undefined) throw new UsageError(`--parts knows ${PARTS.join(', ')}, not ${JSON.stringify(unknown)}`);
  return parts;
}

interface Scene {
  readonly service: BenchService;
  readonly options: Options;
  readonly samples: Samples;
  readonly faults: Faults;
  readonly round: number;
  readonly race: Timeline;
  /** Of the race in the service. */
  readonly sessionId: string;
}

function sample(
  { samples }: Pick<Scene, 'samples'>,
  name: string,
  unit: Measurement['unit'],
  value: number,
  target: number | null = null,
): void {
  const found = samples.get(name);
  if (found === undefined) samples.set(name, { unit, target, values: [value] });
  else found.values.push(value);
}

/** A receiver of one kind, whose arrivals are asked for in one way. */
interface Receiver {
  readonly expect: (first: number, updates: number) => Promise<void>;
  readonly settled: (timeoutMs: number) => Promise<void>;
  readonly report: () => Promise<{
    readonly atMs: Float64Array;
    readonly distinct: number;
    readonly doubled: number;
    readonly misordered: number;
  }>;
  readonly end: () => Promise<void>;
}

async function endpointsOf(service: BenchService, count: number): Promise<Receiver> {
  const receiver = await ArrivalReceiver.start();
  const secrets = await service.useEndpoints(receiver.origin, count, STEADY_FEED);
  return {
    expect: (first, updates) => receiver.expect({ secrets, first, updates }),
    settled: (timeoutMs) => receiver.settled(timeoutMs),
    report: () => receiver.report(),
    async end() {
      await service.useEndpoints(receiver.origin, 0, STEADY_FEED);
      await receiver.end();
    },
  };
}

async function streamsOf(
  { service }: Scene,
  protocol: StreamProtocol,
  count: number,
  subject: { readonly session?: string; readonly run?: string; readonly after?: number },
  reads = true,
): Promise<StreamReceiver> {
  const receiver = new StreamReceiver();
  const address = protocol === 'grpc' ? service.process.grpcAddress : service.process.address;
  const { token } = await service.openApi();
  await receiver.open({ protocol, count, address, token, reads, ...subject });
  return receiver;
}

async function ingest(service: BenchService, session: string, lines: string): Promise<void> {
  const headers = { 'content-type': 'application/x-ndjson' };
  const response = await fetch(`${service.process.operatorsAddress}/v1/ingest/${session}`, {
    method: 'POST',
    headers,
    body: lines,
  });
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  await response.text();
}

async function endSession(service: BenchService, session: string): Promise<void> {
  const address = `${service.process.operatorsAddress}/v1/ingest/${session}/end`;
  await (await fetch(address, { method: 'POST' })).text();
}

async function fanOut(scene: Scene, kind: Kind, progress: (line: string) => void): Promise<void> {
  const { service, options, faults, round } = scene;
  const { streams: count, updates } = options;
  const session = `2026-fan-${kind}-${round}-race`;
  const endpoints = kind === 'webhook' ? await endpointsOf(service, count) : null;
  if (kind === 'webhook') await service.restart();
  await ingest(service, session, firstLine());
  const receiver: Receiver = endpoints ?? (await streamsOf(scene, kind as StreamProtocol, count, { session }));
  let frames = 0;
  const deliver = async (number: number): Promise<number> => {
    await receiver.expect(STEADY_FIRST_SEQUENCE + frames, number);
    const lines = Array.from({ length: number }, () => steadyLine(frames++, 20)).join('');
    const startMs = systemClock.nowMs();
    await ingest(service, session, lines);
    await receiver.settled(ARRIVAL_MS_MAX);
    const { atMs, distinct, doubled } = await receiver.report();
    faults.lost += number * count - distinct;
    faults.doubled += doubled;
    return atMs.reduce((latest, at) => Math.max(latest, at), startMs) - startMs;
  };
  await deliver(1);
  const singles: number[] = [];
  for (let update = 0; update < updates; update++) {
    await pause(BETWEEN_MS);
    singles.push(await deliver(1));
  }
  singles.sort((a, b) => a - b);
  const cpuBefore = readUsage(service.pid)?.cpuUs ?? Number.NaN;
  const flatMs = await deliver(FLAT_UPDATES);
  await pause(1_000);
  const cpuUs = ((readUsage(service.pid)?.cpuUs ?? Number.NaN) - cpuBefore) / (FLAT_UPDATES * count);
  await endSession(service, session);
  await receiver.end();
  if (kind === 'webhook') await service.restart();
  const named = `${count} ${kind === 'webhook' ? 'endpoints' : `${kind} streams`}`;
  const isTarget = kind !== 'webhook' && count >= 1_000;
  sample(scene, `one update to ${named}`, 'ms', quantile(singles, 0.5), isTarget ? TARGETS.fanOutMs : null);
  sample(scene, `one update to ${named}, slowest`, 'ms', singles.at(-1)!);
  sample(scene, `CPU of an update, ${named}`, 'us', cpuUs);
  progress(
    `round ${round}, fan-out ${kind}: ${quantile(singles, 0.5).toFixed(1)} ms, flat out ` +
      `${((FLAT_UPDATES * count * 1_000) / flatMs).toFixed(0)}/s, ${cpuUs.toFixed(1)} us each`,
  );
}

const RACES: readonly (readonly RaceKind[])[] = [
  ['grpc'],
  ['bare grpc'],
  ['sse'],
  ['bare sse'],
  ['grpc', 'sse'],
  ['bare grpc', 'bare sse'],
  // Not the first: a process that has just started is slow, and the others would look good beside it.
  ['webhook'],
  ['webhook', 'grpc', 'sse'],
  ['webhook', 'bare grpc', 'bare sse'],
  ['webhook', 'further'],
  ['webhook', 'sse'],
];

function raceName(kind: RaceKind, kinds: readonly RaceKind[]): string {
  return kinds.length === 1
    ? `${kind} alone`
    : `${kind} beside ${kinds.filter((other) => other !== kind).join(' and ')}`;
}

async function playRace(scene: Scene, kinds: readonly RaceKind[], progress: (line: string) => void): Promise<void> {
  const { service, options, faults, race, sessionId, round } = scene;
  const lengthMs = (options.seconds * 1_000 + JOIN_MS) * SPEED;
  const slice = busiestSlice(race, lengthMs);
  const { dueMs } = slice.timeline.columns;
  const fromMs = dueMs[slice.from]! + JOIN_MS * SPEED;
  const first = dueMs.findIndex((due) => due >= fromMs) + 1;
  const expected = slice.from + slice.updates + 1 - first;
  const receivers = new Map<RaceKind, Omit<Receiver, 'expect'>>();
  const bareServers: BareStreams[] = [];
  for (const kind of kinds) {
    if (!isBare(kind)) continue;
    const protocol = kind === 'bare grpc' ? 'grpc' : 'sse';
    const bare = await BareStreams.start({ protocol, recording: DEFAULT_RECORDING, lengthMs });
    bareServers.push(bare);
    const streams = new StreamReceiver();
    await streams.open({ protocol, count: options.racing, address: bare.address, token: '', reads: true });
    await streams.expect(first, expected);
    receivers.set(kind, streams);
  }
  const arrivals = await ArrivalReceiver.start();
  // A replay needs an endpoint; without deliveries beside it, it has one that gets little, and tells when updates were due.
  const measured = kinds.includes('webhook');
  const api = await service.openApi();
  const endpoints = await makeEndpoints(api, arrivals.origin, measured ? ENDPOINTS : 1, measured ? '*' : CLOCK_FEED);
  await arrivals.expect({ secrets: endpoints.map(({ webhookSecret }) => webhookSecret), first, updates: expected });
  if (measured) {
    receivers.set('webhook', {
      settled: (timeoutMs) => arrivals.settled(timeoutMs),
      report: () => arrivals.report(),
      end: async () => {},
    });
  }
  const further = kinds.includes('further') ? await ArrivalReceiver.start() : null;
  if (further !== null) {
    const more = await makeEndpoints(api, further.origin, FURTHER_ENDPOINTS, '*');
    await further.expect({ secrets: more.map(({ webhookSecret }) => webhookSecret), first, updates: expected });
    endpoints.push(...more);
  }
  const isServed = !kinds.every(isBare);
  let originMs = systemClock.nowMs() + BEGIN_MS - dueMs[slice.from]! / SPEED;
  const run = isServed ? await api.startRun(sessionId, SPEED, { sequence: String(slice.from + 1) }) : null;
  if (bareServers.length > 0) {
    if (run !== null) originMs = await originOf(scene, run.runId, slice.from + 1, dueMs);
    for (const bare of bareServers) await bare.play(SPEED, originMs);
  }
  for (const kind of kinds) {
    if (kind === 'webhook' || kind === 'further' || isBare(kind)) continue;
    const streams = await streamsOf(scene, kind, options.racing, { run: run!.runId });
    await streams.expect(first, expected);
    receivers.set(kind, streams);
  }
  await Promise.all([...receivers.values()].map((one) => one.settled((options.seconds + 30) * 1_000)));
  if (run !== null) await api.stopRun(run.runId);
  const due = dueMs.subarray(first - 1, first - 1 + expected);
  const reports = await Promise.all(
    [...receivers].map(async ([kind, receiver]) => ({ ...(await receiver.report()), kind, receiver })),
  );
  // Streams begin after deliveries: all lags of a play count from what was least late in it.
  if (isServed) {
    const arrived = [await arrivals.report(), ...reports];
    originMs = Math.min(...arrived.map(({ atMs }) => leastLateOrigin(atMs, due, SPEED)));
  }
  const shown: string[] = [];
  for (const { kind, receiver, atMs, distinct, doubled, misordered } of reports) {
    const count = kind === 'webhook' ? ENDPOINTS : options.racing;
    faults.lost += expected * count - distinct;
    faults.doubled += doubled;
    faults.misordered += misordered;
    const lags = lagsOf(atMs, due, SPEED, originMs);
    const [p50, p99] = [0.5, 0.99].map((share) => quantile(lags, share));
    const name = raceName(kind, kinds);
    sample(scene, `race at 10x, ${count} of ${name}, lag p50`, 'ms', p50!);
    sample(
      scene,
      `race at 10x, ${count} of ${name}, lag p99`,
      'ms',
      p99!,
      kind === 'webhook' || isBare(kind) ? null : TARGETS.lagP99Ms,
    );
    shown.push(`${kind} p50 ${p50!.toFixed(2)} p99 ${p99!.toFixed(2)} ms`);
    await receiver.end();
  }
  for (const bare of bareServers) await bare.end();
  await arrivals.end();
  await further?.end();
  for (const { webhookId } of endpoints) await api.deleteWebhook(webhookId);
  progress(`round ${round}, race, ${kinds.join(' + ')}: ${shown.join(', ')} (${expected} updates each)`);
}

/** When position 0 of a run is due, by the stream of it that was least late in a second. */
async function originOf(scene: Scene, runId: string, first: number, dueMs: Uint32Array): Promise<number> {
  const probe = await streamsOf(scene, 'sse', 1, { run: runId });
  await probe.expect(first, dueMs.length + 1 - first);
  await pause(PROBE_MS);
  const { atMs } = await probe.report();
  await probe.end();
  const originMs = leastLateOrigin(atMs, dueMs.subarray(first - 1), SPEED);
  assert(originMs < Number.POSITIVE_INFINITY, 'the busiest stretch has an update in every second');
  return originMs;
}

function isBare(kind: RaceKind): kind is `bare ${StreamProtocol}` {
  return kind.startsWith('bare ');
}

async function stall(scene: Scene, progress: (line: string) => void): Promise<void> {
  const { service, options, samples, faults, round, sessionId } = scene;
  const session = `2026-stall-${round}-race`;
  await ingest(service, session, firstLine());
  const others = await streamsOf(scene, 'grpc', OTHERS, { session });
  let frames = 0;
  const p99 = async (): Promise<number> => {
    const lags: number[] = [];
    for (let update = 0; update < 5 * options.updates; update++) {
      await others.expect(STEADY_FIRST_SEQUENCE + frames, 1);
      const startMs = systemClock.nowMs();
      await ingest(service, session, steadyLine(frames++, 20));
      await others.settled(ARRIVAL_MS_MAX);
      const { atMs, distinct } = await others.report();
      faults.lost += OTHERS - distinct;
      for (const at of atMs) if (at > 0) lags.push(at - startMs);
      await pause(20);
    }
    return quantile(
      lags.sort((a, b) => a - b),
      0.99,
    );
  };
  await p99();
  const alone = await p99();
  const before = readUsage(service.pid)?.rssMiB ?? Number.NaN;
  const stalled = await streamsOf(scene, 'grpc', options.streams, { session: sessionId, after: 0 }, false);
  await quiet(service);
  const bytes = (((readUsage(service.pid)?.rssMiB ?? Number.NaN) - before) * MIB) / options.streams;
  const beside = await p99();
  await stalled.end();
  await others.end();
  await endSession(service, session);
  sample(scene, `memory of a grpc stream that is not read, of ${options.streams}`, 'B', bytes);
  sample(scene, 'p99 of 100 streams, no other stalled', 'ms', alone);
  sample(scene, `p99 of 100 streams beside ${options.streams} stalled`, 'ms', beside);
  sample({ samples }, 'the same, relative to alone', 'x', beside / alone, TARGETS.besideStalled);
  progress(
    `round ${round}, stalled: ${(bytes / 1_024).toFixed(1)} KiB each, p99 of others ${alone.toFixed(2)} ms alone, ` +
      `${beside.toFixed(2)} ms beside`,
  );
}

const QUIET_MS = 500;
const QUIET_CPU_US = 50_000;
const QUIET_CHECKS_MAX = 60;

/** Waits until the service has nothing left to do: every stream has stalled. */
async function quiet({ pid, signal }: BenchService): Promise<void> {
  let usedUs = readUsage(pid)?.cpuUs ?? 0;
  for (let check = 0; check < QUIET_CHECKS_MAX; check++) {
    await pause(QUIET_MS, undefined, { signal });
    const nowUs = readUsage(pid)?.cpuUs ?? 0;
    if (nowUs - usedUs <= QUIET_CPU_US) return;
    usedUs = nowUs;
  }
}

/**
 * Round by round: streams relative to bare ones, and deliveries beside streams relative to deliveries alone. A page of the
 * console is an event stream.
 */
function compare(samples: Samples, racing: number): void {
  if (racing === 0) return;
  const of = (count: number, name: string): readonly number[] =>
    samples.get(`race at 10x, ${count} of ${name}, lag p99`)!.values;
  const relate = (name: string, values: readonly number[], to: readonly number[], target: number | null): void => {
    samples.set(name, { unit: 'x', target, values: values.map((value, round) => value / to[round]!) });
  };
  for (const kind of ['grpc', 'sse'])
    relate(
      `${kind} alone, lag p99 relative to bare ${kind}`,
      of(racing, `${kind} alone`),
      of(racing, `bare ${kind} alone`),
      null,
    );
  const alone = of(ENDPOINTS, 'webhook alone');
  for (const [what, kinds, target] of [
    ['streams', 'grpc and sse', TARGETS.besideAlone],
    ['bare streams', 'bare grpc and bare sse', null],
    [`${FURTHER_ENDPOINTS} further endpoints`, 'further', null],
    ['event streams', 'sse', TARGETS.besideAlone],
  ] as const)
    relate(
      `deliveries beside ${what}, lag p99 relative to alone`,
      of(ENDPOINTS, `webhook beside ${kinds}`),
      alone,
      target,
    );
}
