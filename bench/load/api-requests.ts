// The HTTP API: how many authenticated requests a second it serves, and how long they take.
//
// Measured: `GET /v1/webhooks` at a real service process, with the bearer tokens of many accounts in rotation (three
// endpoints each), over keep-alive connections, one request at a time on each. The service checks token, hourly quota
// and query, and sends the cached list. Then the same at half that rate, sent evenly; if no connection is free, a
// request waits, and the wait counts, until the last response. Then `POST /v1/oauth`, one after the other, with `fetch` and
// kept connections.
//
// Compared with, alternating in the same run: a bare uWebSockets.js handler that sends as many bytes and checks
// nothing.
//
// Not measured: a network, TLS, lists that have just changed.
//
// Faults, which must be zero: responses other than 200 and closed connections, from either side.
//
// How to read: the share and the CPU figures are steadier than the rates. The p99 says more about the machine than
// about the API: two processes that do nothing but read the clock, on the two idle cores, see gaps of up to 14 ms. A
// token request is two queries; checking an Argon2id password takes 11 ms. A connection must not send a second request
// while the first waits for the database: uWebSockets.js then closes it.
//
// Results (machine and method: bench/README.md):
//
//     service                             66,631 (58,624 to 74,797)/s
//     service, CPU each                   13.1 (11.5 to 15.2) us
//     bare handler                        105,995 (98,559 to 109,613)/s
//     bare handler, CPU each              6.2 (6.0 to 6.9) us
//     share of the bare handler           0.63 (0.53 to 0.69)
//     service at half of its rate, p50    0.09 (0.08 to 9.30) ms
//     service at half of its rate, p99    26.7 (13.1 to 84.4) ms
//     bare handler at that rate, p99      4.9 (3.2 to 10.9) ms
//     token request, p50                  1.5 (1.4 to 1.9) ms
//     token request, p99                  5.6 (3.5 to 7.0) ms

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { LoadTarget } from '#bench/engines/api-service.ts';
import { median } from '#engine/base/median.ts';
import { startApiService } from '../engines/api-service.ts';
import { readUsage } from '../suite/process-usage.ts';
import { latencyCurve, quantile } from '../suite/quantiles.ts';
import type { BenchResult, Measurement } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { pace, saturate } from './request-load.ts';

export const help = `npm run bench -- api [options]

Starts the service in its own process with accounts that have three endpoints each, and sends GET /v1/webhooks with their
bearer tokens over keep-alive connections. The same load alternates with a bare uWebSockets.js handler. Then measures the
latency of that request at half the service's rate, for both, and of POST /v1/oauth, one after the other. Every response
other than 200 is a fault.

  --seconds N       duration of each requests/s measurement (default 4)
  --connections N   connections (default 64)
  --rounds N        rounds; each measures both sides once (default 5)

  npm run bench -- api --seconds 1 --connections 16`;

export const smoke = ['--seconds', '1', '--connections', '4', '--rounds', '1'];

/** More would exceed the hourly quota of the plan. */
const REQUESTS_PER_ACCOUNT = 30_000;
const EXPECTED_PER_SECOND = 120_000;
/**
 * Short: a shared machine now and then stops any thread for ten milliseconds, and the median round should have no stop.
 */
const HALF_LOAD_SECONDS = 0.5;
const TOKEN_REQUESTS = 100;
const SHARE_TARGET = 0.5;

type Side = 'service' | 'bare handler';

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '4' },
      connections: { type: 'string', default: '64' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const seconds = wholeNumber('--seconds', values.seconds);
  const connections = wholeNumber('--connections', values.connections);
  const rounds = wholeNumber('--rounds', values.rounds);
  const accounts = Math.ceil((EXPECTED_PER_SECOND * seconds * (rounds + 1)) / REQUESTS_PER_ACCOUNT);
  progress(`starting the service, with ${accounts} accounts`);
  const service = await startApiService(accounts, 3);
  const bare = await startBareServer(service.responseBytes);
  const rates: Record<Side, number[]> = { service: [], 'bare handler': [] };
  const cpuUs: Record<Side, number[]> = { service: [], 'bare handler': [] };
  const latencies: Record<Side, Float64Array[]> = { service: [], 'bare handler': [] };
  const tokens: Float64Array[] = [];
  let refused = 0;
  const cpuUsOf = (pid: number): number => readUsage(pid)?.cpuUs ?? Number.NaN;
  const saturated = async (side: Side, target: LoadTarget, pid: number): Promise<void> => {
    const before = cpuUsOf(pid);
    const result = await saturate(target, { connections, seconds });
    refused += result.refused;
    rates[side].push(result.perSecond);
    cpuUs[side].push((cpuUsOf(pid) - before) / (result.perSecond * seconds));
  };
  const paced = async (side: Side, target: LoadTarget, perSecond: number): Promise<void> => {
    const result = await pace(target, { connections, seconds: HALF_LOAD_SECONDS, perSecond });
    refused += result.refused;
    latencies[side].push(result.latenciesMs);
  };
  try {
    // The first round of both sides is a warm-up.
    for (let round = 0; round <= rounds; round++) {
      await saturated('service', service.target, service.pid);
      await saturated('bare handler', bare.target, bare.pid);
      const [served, answered] = [rates.service.at(-1)!, rates['bare handler'].at(-1)!].map(Math.round);
      progress(`round ${round} of ${rounds}: service ${served}/s, bare handler ${answered}/s`);
    }
    for (const list of [...Object.values(rates), ...Object.values(cpuUs)]) list.shift();
    const half = median(rates.service) / 2;
    for (let round = 1; round <= rounds; round++) {
      await paced('service', service.target, half);
      await paced('bare handler', bare.target, half);
      tokens.push(await tokenLatencies((account) => service.requestToken(account)));
      const p99 = quantile(latencies.service.at(-1)!, 0.99);
      progress(`round ${round} of ${rounds} at ${Math.round(half)}/s: p99 ${p99.toFixed(2)} ms`);
    }
  } finally {
    await bare.end();
    await service.end();
  }
  return {
    bench: 'api',
    parameters: { seconds, connections, rounds },
    measurements: [
      perSecond('service', rates.service),
      perSecond('bare handler', rates['bare handler']),
      {
        name: 'share of the bare handler',
        unit: 'share',
        better: 'higher',
        samples: rates.service.map((rate, round) => rate / rates['bare handler'][round]!),
        target: SHARE_TARGET,
      },
      ...cpu('service, CPU each', cpuUs.service),
      ...cpu('bare handler, CPU each', cpuUs['bare handler']),
      ...quantiles('service at half of its rate', latencies.service),
      ...quantiles('bare handler at that rate', latencies['bare handler']),
      ...quantiles('token request', tokens),
    ],
    plots: [
      {
        title: 'Latency at half of the rate of the service, all rounds',
        xTitle: 'x: one in x requests is slower',
        yTitle: 'latency, ms',
        xScale: 'log',
        yScale: 'log',
        series: (['service', 'bare handler'] as const).map((side) => latencyCurve(side, together(latencies[side]))),
      },
    ],
    faults: { refused },
    notes: [],
  };
}

function perSecond(name: Side, samples: readonly number[]): Measurement {
  return { name, unit: '/s', better: 'higher', samples };
}

/** Empty if the system does not report CPU times. */
function cpu(name: string, samples: readonly number[]): Measurement[] {
  return samples.every(Number.isFinite) ? [{ name, unit: 'us', better: 'lower', samples }] : [];
}

function quantiles(name: string, rounds: readonly Float64Array[]): Measurement[] {
  return [0.5, 0.99].map((share) => ({
    name: `${name}, p${share * 100}`,
    unit: 'ms',
    better: 'lower',
    samples: rounds.map((sorted) => quantile(sorted, share)),
  }));
}

function together(rounds: readonly Float64Array[]): Float64Array {
  return Float64Array.from(rounds.flatMap((latencies) => [...latencies])).sort();
}

async function tokenLatencies(requestToken: (account: number) => Promise<unknown>): Promise<Float64Array> {
  const latencies = new Float64Array(TOKEN_REQUESTS);
  for (let i = 0; i < TOKEN_REQUESTS; i++) {
    const startedMs = performance.now();
    await requestToken(i);
    latencies[i] = performance.now() - startedMs;
  }
  return latencies.sort();
}

async function startBareServer(responseBytes: number) {
  const child = fork(new URL('../peers/bare-server.ts', import.meta.url), [String(responseBytes)]);
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
