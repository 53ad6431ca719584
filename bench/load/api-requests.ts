// The HTTP front under light load: authenticated `GET /v1/webhooks` of a real service process beside a bare uWebSockets.js
// handler that sends as many bytes, in turn; then its latency at half of what it can do, and that of a token request.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type ApiService, startApiService } from './api-service.ts';
import { median } from './median.ts';
import { type LoadTarget, pace, saturate } from './request-load.ts';
import { wholeNumber } from './whole-number.ts';

export const summary = 'authenticated requests/s of the HTTP front, beside a bare uWebSockets.js handler';

export const help = `npm run bench -- api [options]

Starts the service in a process of its own with accounts that have three endpoints each, and sends GET /v1/webhooks with
their bearer tokens over keep-alive connections; in turn the same load goes to a bare uWebSockets.js handler. Then the
latency of the same request at half of that rate, of either, and of POST /v1/oauth one after the other. Any answer but 200 is counted and
must not come.

  --seconds N       of each measurement (default 4)
  --connections N   (default 64)
  --rounds N        rounds, each once with either (default 3)
  --json            print the result as JSON`;

export interface ApiOptions {
  readonly seconds: number;
  readonly connections: number;
  readonly rounds: number;
  readonly progress: (line: string) => void;
}

export interface ApiResult {
  readonly service: readonly number[];
  readonly bare: readonly number[];
  /** CPU of the serving process for one answer, microseconds; null where the system does not tell. */
  readonly serviceCpuUs: number | null;
  readonly bareCpuUs: number | null;
  readonly servicePerSecond: number;
  readonly barePerSecond: number;
  readonly ratio: number;
  /** Of requests at half of the service's rate, milliseconds: medians of short rounds, each once with either. */
  readonly halfLoad: {
    readonly perSecond: number;
    readonly p50: number;
    readonly p99: number;
    /** Of the bare handler at the same rate: what the machine and the sender add. */
    readonly bareP99: number;
  };
  /** Of token requests one after the other, milliseconds. */
  readonly token: { readonly p50: number; readonly p99: number };
  readonly refused: number;
}

/** More would meet the hourly limit of their plan. */
const REQUESTS_PER_ACCOUNT = 30_000;
const EXPECTED_PER_SECOND = 120_000;
const TOKEN_REQUESTS = 200;
/** Short ones, since a shared machine stops any thread for ten milliseconds now and then. */
const HALF_LOAD_ROUNDS = 9;
const HALF_LOAD_SECONDS_MIN = 0.2;

export async function measureApi(options: ApiOptions): Promise<ApiResult> {
  const { seconds, connections, rounds, progress } = options;
  const accounts = Math.ceil((EXPECTED_PER_SECOND * seconds * (rounds + 1)) / REQUESTS_PER_ACCOUNT);
  const service = await startApiService(accounts, 3);
  const bare = await startBareServer(service.answerBytes);
  const rates = { service: [] as number[], bare: [] as number[] };
  const cpu = { service: [] as number[], bare: [] as number[] };
  let refused = 0;
  const run = async (name: 'service' | 'bare', target: LoadTarget, pid: number): Promise<number> => {
    const before = cpuSeconds(pid);
    const result = await saturate(target, { connections, seconds });
    refused += result.refused;
    rates[name].push(result.perSecond);
    const spent = ((cpuSeconds(pid) - before) / (result.perSecond * seconds)) * 1e6;
    cpu[name].push(spent);
    return result.perSecond;
  };
  try {
    // The first round of either is for the compilers.
    for (let round = 0; round <= rounds; round++) {
      const served = await run('service', service.target, service.pid);
      const answered = await run('bare', bare.target, bare.pid);
      progress(`round ${round} of ${rounds}: service ${Math.round(served)}/s, bare handler ${Math.round(answered)}/s`);
    }
    for (const list of [rates.service, rates.bare, cpu.service, cpu.bare]) list.shift();
    const half = {
      perSecond: median(rates.service) / 2,
      p50: [] as number[],
      p99: [] as number[],
      bareP99: [] as number[],
    };
    for (let round = 0; round < HALF_LOAD_ROUNDS; round++) {
      const load = {
        connections,
        seconds: Math.max(seconds / HALF_LOAD_ROUNDS, HALF_LOAD_SECONDS_MIN),
        perSecond: half.perSecond,
      };
      const served = await pace(service.target, load);
      const answered = await pace(bare.target, load);
      refused += served.refused;
      half.p50.push(quantile(served.latenciesMs, 0.5));
      half.p99.push(quantile(served.latenciesMs, 0.99));
      half.bareP99.push(quantile(answered.latenciesMs, 0.99));
    }
    return {
      ...rates,
      serviceCpuUs: orNull(median(cpu.service)),
      bareCpuUs: orNull(median(cpu.bare)),
      servicePerSecond: median(rates.service),
      barePerSecond: median(rates.bare),
      ratio: median(rates.service.map((rate, index) => rate / rates.bare[index]!)),
      halfLoad: {
        perSecond: half.perSecond,
        p50: median(half.p50),
        p99: median(half.p99),
        bareP99: median(half.bareP99),
      },
      token: await measureTokens(service),
      refused,
    };
  } finally {
    await bare.end();
    await service.end();
  }
}

async function measureTokens(service: ApiService): Promise<ApiResult['token']> {
  const latencies = new Float64Array(TOKEN_REQUESTS);
  for (let i = 0; i < TOKEN_REQUESTS; i++) {
    const startedMs = performance.now();
    await service.requestToken(i);
    latencies[i] = performance.now() - startedMs;
  }
  latencies.sort();
  return { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}

async function startBareServer(answerBytes: number) {
  const child = fork(new URL('./bare-server.ts', import.meta.url), [String(answerBytes)]);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    pid: child.pid!,
    target: { port, requests: [Buffer.from('GET /v1/webhooks HTTP/1.1\r\nHost: x\r\n\r\n')] },
    async end() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/** User and system time of a process so far; NaN where there is no /proc. */
function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    const TICKS_PER_SECOND = 100;
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return Number.NaN;
  }
}

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

/** Runs the bench as a command; answers the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '4' },
      connections: { type: 'string', default: '64' },
      rounds: { type: 'string', default: '3' },
      json: { type: 'boolean', default: false },
    },
  });
  const result = await measureApi({
    seconds: wholeNumber('--seconds', values.seconds),
    connections: wholeNumber('--connections', values.connections),
    rounds: wholeNumber('--rounds', values.rounds),
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  console.log(values.json ? JSON.stringify(result) : describe(result));
  return result.refused === 0 ? 0 : 1;
}

function describe(result: ApiResult): string {
  const { halfLoad, token, serviceCpuUs, bareCpuUs } = result;
  const cpu = (us: number | null) => (us === null ? '' : `, ${us.toFixed(1)} us CPU each`);
  return [
    `GET /v1/webhooks with a bearer token, median of ${result.service.length}`,
    `  service       ${Math.round(result.servicePerSecond)}/s${cpu(serviceCpuUs)}`,
    `  bare handler  ${Math.round(result.barePerSecond)}/s${cpu(bareCpuUs)}`,
    `  share         ${result.ratio.toFixed(2)}`,
    `  at ${Math.round(halfLoad.perSecond)}/s: p50 ${halfLoad.p50.toFixed(2)} ms, p99 ${halfLoad.p99.toFixed(2)} ms (bare handler p99 ${halfLoad.bareP99.toFixed(2)} ms)`,
    `  POST /v1/oauth, one after the other: p50 ${token.p50.toFixed(2)} ms, p99 ${token.p99.toFixed(2)} ms`,
    `  refused ${result.refused}`,
  ].join('\n');
}

function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
