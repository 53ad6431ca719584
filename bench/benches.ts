// The list of benches: name, one-line summary, module. Modules load on demand, because most of them import the engine,
// which takes half a second.

import type { Bench } from './suite/result.ts';

export interface ListedBench {
  /** One line for the list. */
  readonly summary: string;
  /** A run at its default size takes more than about two minutes. */
  readonly isLong?: true;
  readonly load: () => Promise<Bench>;
}

export const BENCHES: Readonly<Record<string, ListedBench>> = {
  throughput: {
    summary: 'maximum deliveries/s with the delivery log, compared with a bare undici loop, raw sockets and job queues',
    isLong: true,
    load: () => import('./load/throughput.ts'),
  },
  replay10x: {
    summary: 'a real race at 10x to 25 and to 250 endpoints: lag, ack latency, CPU, memory',
    isLong: true,
    load: () => import('./load/replay10x.ts'),
  },
  https: {
    summary: 'the built-in race at 10x over https beside http: lag, CPU, connections, cold start',
    isLong: true,
    load: () => import('./load/https.ts'),
  },
  cold: {
    summary:
      'the first update to a thousand cold https endpoints, compared with a bare TLS loop; memory of a connection',
    isLong: true,
    load: () => import('./load/cold.ts'),
  },
  distance: {
    summary: 'the real race at 10x over https to endpoints 20 to 250 ms away: lag at arrival',
    isLong: true,
    load: () => import('./load/distance.ts'),
  },
  profile: {
    summary: "where a delivery spends its time: the delivery thread's CPU profile by kind of work",
    load: () => import('./load/profile.ts'),
  },
  isolation: {
    summary:
      'what dead, hanging and slow endpoints cost healthy ones: latency with 0, 50 and 90 % of endpoints unhealthy',
    isLong: true,
    load: () => import('./load/isolation.ts'),
  },
  fair: {
    summary:
      'what an account with ten thousand endpoints costs another account on the same shard: lag beside it and alone',
    isLong: true,
    load: () => import('./load/fair.ts'),
  },
  abuse: {
    summary: 'what floods of one account or address cost another customer: p99 of deliveries and API, alone and beside',
    isLong: true,
    load: () => import('./load/abuse.ts'),
  },
  receivers: {
    summary:
      'what hostile receivers do to the engine: results, slots, memory, healthy endpoints; --serve runs them stand-alone',
    isLong: true,
    load: () => import('./load/receivers.ts'),
  },
  endpoints: {
    summary: '10 to 10,000 endpoints: memory of an idle endpoint, fan-out of one update, cost of a delivery',
    isLong: true,
    load: () => import('./load/endpoints.ts'),
  },
  live: {
    summary: 'a live session: time from receiving a frame to starting its attempts, at a steady frame rate',
    isLong: true,
    load: () => import('./load/live.ts'),
  },
  streams: {
    summary:
      'streams over gRPC and as server-sent events: one update to a thousand, a real race at 10x, clients that stall',
    isLong: true,
    load: () => import('./load/streams.ts'),
  },
  console: {
    summary: 'the console in a real browser: first page, a race in its theatre, deliveries beside a hundred consoles',
    isLong: true,
    load: () => import('./load/console.ts'),
  },
  log: {
    summary: "what the delivery log costs: PostgreSQL's CPU and bytes for an attempt, reading, folding beside commits",
    isLong: true,
    load: () => import('./load/log.ts'),
  },
  'live-memory': {
    summary: 'memory of a live session of several hours with telemetry',
    load: () => import('./load/live-memory.ts'),
  },
  api: {
    summary: 'authenticated requests/s of the HTTP API, compared with a bare uWebSockets.js handler',
    load: () => import('./load/api-requests.ts'),
  },
  prepare: {
    summary: 'time from importing a whole race, and from requesting its replay, until it is ready',
    load: () => import('./load/prepare.ts'),
  },
  cluster: {
    summary: 'two nodes on one machine beside one: deliveries/s; what a request costs that is passed on to its home',
    isLong: true,
    load: () => import('./load/cluster.ts'),
  },
  frames: {
    summary: 'what a frame of a live session costs until all nodes of a cluster have it, beside a service alone',
    load: () => import('./load/frames.ts'),
  },
  startup: {
    summary: 'time from process start to ready, on a new and on an existing data folder; time to stop',
    load: () => import('./load/startup.ts'),
  },
  soak: {
    summary: 'a steady rate for minutes or hours: memory slope, lag by minute',
    isLong: true,
    load: () => import('./load/soak.ts'),
  },
  crashes: {
    summary:
      'kills the service, its threads and its database in the middle of deliveries: what is lost, what arrives twice',
    load: () => import('./load/crashes.ts'),
  },
  'streams-faults': {
    summary:
      'subscribers of streams that are cut at random while the service is killed: what is lost, doubled, disordered',
    isLong: true,
    load: () => import('./load/streams-faults.ts'),
  },
  derive: {
    summary: 'time to derive the timelines of whole sessions from their frames',
    load: () => import('./load/derive.ts'),
  },
  micro: {
    summary: 'single operations on the path of an update: ns and bytes allocated for each',
    load: () => import('./micro/micro.ts'),
  },
  models: {
    summary: 'how good the forecasts are on past races, compared with simple ones',
    load: () => import('./models.ts'),
  },
};
