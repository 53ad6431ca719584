// Every bench: its name, what it answers, and where it is. The benches themselves are loaded when they are run: the engine that most
// of them drive takes half a second.

import type { Bench } from './suite/result.ts';

export interface ListedBench {
  /** One line for the list. */
  readonly summary: string;
  /** A run of its usual size takes longer than about two minutes. */
  readonly isLong?: true;
  readonly load: () => Promise<Bench>;
}

export const BENCHES: Readonly<Record<string, ListedBench>> = {
  throughput: {
    summary: 'flat-out deliveries/s with the delivery log, beside a bare undici loop, raw sockets and job queues',
    isLong: true,
    load: () => import('./load/throughput.ts'),
  },
  replay10x: {
    summary: 'the real race at 10x to 25 and to 250 endpoints: lag, ack latency, CPU, memory',
    isLong: true,
    load: () => import('./load/replay10x.ts'),
  },
  profile: {
    summary: "where the time of a delivery goes: the delivery thread's CPU profile by kind of work",
    load: () => import('./load/profile.ts'),
  },
  isolation: {
    summary: 'what dead, hanging and slow endpoints cost healthy ones: latency beside 0, 50 and 90 % of them',
    isLong: true,
    load: () => import('./load/isolation.ts'),
  },
  receivers: {
    summary:
      'what hostile receivers do to the engine: outcomes, slots, memory, healthy endpoints; --serve offers them to anybody',
    isLong: true,
    load: () => import('./load/receivers.ts'),
  },
  endpoints: {
    summary: '10 to 10,000 endpoints: memory of an idle one, fan-out of one update, cost of a delivery',
    isLong: true,
    load: () => import('./load/endpoints.ts'),
  },
  live: {
    summary: 'a live session: from a frame received to its attempts started, at a steady rate of frames',
    isLong: true,
    load: () => import('./load/live.ts'),
  },
  'live-memory': {
    summary: 'memory that a live session of several hours with telemetry takes',
    load: () => import('./load/live-memory.ts'),
  },
  api: {
    summary: 'authenticated requests/s of the HTTP front, beside a bare uWebSockets.js handler',
    load: () => import('./load/api-requests.ts'),
  },
  prepare: {
    summary: 'from an import and from the question for a replay to ready, of a whole race',
    load: () => import('./load/prepare.ts'),
  },
  startup: {
    summary: 'from the start of the process to ready, on a new data folder and on an existing one; and its end',
    load: () => import('./load/startup.ts'),
  },
  soak: {
    summary: 'a steady rate for minutes or hours: slope of the memory, lag by minute',
    isLong: true,
    load: () => import('./load/soak.ts'),
  },
  crashes: {
    summary:
      'kills of the service, its threads and its database in the middle of deliveries: what is lost, what comes twice',
    load: () => import('./load/crashes.ts'),
  },
  derive: {
    summary: 'from the frames of whole sessions to their timelines',
    load: () => import('./load/derive.ts'),
  },
  micro: {
    summary: 'single operations on the way of an update: ns and bytes allocated for each',
    load: () => import('./micro/micro.ts'),
  },
  models: {
    summary: 'how good the forecasts are, beside simple ones, on past races',
    load: () => import('./models.ts'),
  },
};
