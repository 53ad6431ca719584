// What the service does just now, as the operators' page shows it. All but the database's part is read from shared memory,
// so it is shown while threads hang or the database is away.

import { inTime } from '#api/admin/metrics/in-time.ts';
import type { LiveView } from '#api/admin/metrics/live-metrics.ts';
import { Machine, type MachineParts } from '#api/admin/metrics/machine.ts';
import { ageMs } from '#api/admin/metrics/shard-metrics.ts';
import { threadMeters } from '#api/admin/metrics/thread-metrics.ts';
import type { OperatedRun, OperatorRunStore } from '#api/simulate/operator-run-store.ts';
import type { Clock } from '#engine/base/clock.ts';
import { HISTORY_SAMPLE_MS, RUNS_ON_PAGE_MAX } from '#engine/base/limits.ts';
import type { Meters } from '#engine/delivery/meter/meters.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { StreamMeter } from '#engine/delivery/meter/stream-meter.ts';
import type { ThreadMeter } from '#engine/delivery/meter/thread-meter.ts';
import type {
  LiveFigures,
  OperatorsHistory,
  OperatorsOverview,
  RunFigures,
  ShardFigures,
  ThreadFigures,
} from '#schemas/http/operators.ts';
import { CountsSince } from './counts-since.ts';
import { History } from './history.ts';

export interface OverviewParts extends Pick<MachineParts, 'dataDir' | 'databaseConnections' | 'journalBacklog'> {
  readonly live: LiveView;
  /** Whether the service is configured to follow live timing. */
  readonly hasTiming: boolean;
  readonly meters: Meters;
  readonly runs: Pick<OperatorRunStore, 'inProgress'>;
  readonly clock: Clock;
  readonly version: string;
}

export class Overview {
  readonly #parts: OverviewParts;
  readonly #machine: Machine;
  readonly #shards: readonly ShardMeter[];
  readonly #threads: readonly WatchedThread[];
  readonly #history: History;
  #asking: Promise<readonly RunFigures[] | null> | null = null;

  constructor(parts: OverviewParts) {
    this.#parts = parts;
    const { meters, clock } = parts;
    this.#machine = new Machine(parts);
    this.#shards = meters.shards.map((memory) => new ShardMeter(memory));
    const threads = threadMeters(meters, this.#shards);
    this.#threads = [...threads].map(([name, meter]) => new WatchedThread(name, meter));
    this.#history = new History(this.#shards, clock);
  }

  /** To be called every HISTORY_SAMPLE_MS. */
  sample(): void {
    this.#history.sample();
    for (const thread of this.#threads) thread.sample();
  }

  history(): OperatorsHistory {
    return this.#history.read();
  }

  async now(): Promise<Omit<OperatorsOverview, 'warnings'>> {
    const { meters, clock, version } = this.#parts;
    const [{ database, disk, files }, runs] = await Promise.all([this.#machine.sample(), inTime(this.#runs())]);
    const nowMs = clock.nowMs();
    return {
      at: new Date(clock.wallMs()).toISOString(),
      version,
      startedAt: new Date(clock.wallMs() - process.uptime() * 1_000).toISOString(),
      memoryBytes: process.memoryUsage.rss(),
      disk,
      files,
      database: database === null ? null : { connections: database.connections, answerMs: database.answerMs },
      threads: this.#threads.map((thread) => thread.figures(nowMs)),
      shards: this.#shards.map((meter, shard) => shardFigures(shard, meter, nowMs)),
      streams: Object.entries(meters.streams).map(([protocol, memory]) => {
        const { figures } = new StreamMeter(new Float64Array(memory));
        return {
          protocol,
          open: figures.value('open'),
          blocked: figures.value('blocked'),
          updates: figures.value('updates'),
        };
      }),
      live: this.#live(nowMs),
      runs,
    };
  }

  /** Joins the question under way, if there is one. */
  #runs(): Promise<readonly RunFigures[] | null> {
    this.#asking ??= this.#parts.runs
      .inProgress(null, RUNS_ON_PAGE_MAX)
      .then((runs) => runs.map(runFigures))
      .catch(() => null)
      .finally(() => {
        this.#asking = null;
      });
    return this.#asking;
  }

  #live(nowMs: number): LiveFigures {
    const { live, hasTiming } = this.#parts;
    const sessions = [...live.sessions].map(([sessionId, { frames, updates, lastFrameMs }]) => ({
      sessionId,
      frames,
      updates,
      silentMs: Math.max(0, nowMs - lastFrameMs),
    }));
    return { connected: hasTiming ? live.connected : null, sessions };
  }
}

class WatchedThread {
  readonly #name: string;
  readonly #meter: ThreadMeter;
  readonly #delay: CountsSince;
  #busyMs: number;
  #sample: Pick<ThreadFigures, 'busy' | 'delayP99Ms'> = { busy: null, delayP99Ms: null };

  constructor(name: string, meter: ThreadMeter) {
    this.#name = name;
    this.#meter = meter;
    this.#delay = new CountsSince([meter.delayMs]);
    this.#busyMs = meter.figures.value('busyMs');
  }

  sample(): void {
    const busyMs = this.#meter.figures.value('busyMs');
    const busy = Math.min(1, (busyMs - this.#busyMs) / HISTORY_SAMPLE_MS);
    this.#busyMs = busyMs;
    this.#sample = { busy, delayP99Ms: this.#delay.take()(0.99) };
  }

  figures(nowMs: number): ThreadFigures {
    const { figures } = this.#meter;
    const seenAtMs = figures.value('seenAtMs');
    return {
      name: this.#name,
      silentMs: seenAtMs === 0 ? null : Math.max(0, nowMs - seenAtMs),
      starts: figures.value('starts'),
      heapBytes: figures.value('heapBytes'),
      ...this.#sample,
    };
  }
}

function shardFigures(shard: number, { gauges, counts, records }: ShardMeter, nowMs: number): ShardFigures {
  return {
    shard,
    actors: gauges.value('actors'),
    breakersOpen: gauges.value('breakersOpen'),
    mailbox: gauges.value('mailbox'),
    mailboxMost: gauges.value('mailboxMost'),
    queuedMs: ageMs(gauges.value('queuedSinceMs'), nowMs),
    inFlight: gauges.value('inFlight'),
    retrying: gauges.value('retrying'),
    connections: gauges.value('connections'),
    recordAttempts: gauges.value('recordAttempts'),
    recordMs: ageMs(gauges.value('recordSinceMs'), nowMs),
    commitFailures: records.commitFailures,
    actorRestarts: counts.value('actorRestarts'),
  };
}

function runFigures(run: OperatedRun): RunFigures {
  const { runId, mode, state, accountId, email, sessionId, speed, startedAt, endpoints, position, updateCount } = run;
  const about = { runId, mode, state, accountId, email, sessionId, speed, startedAt: startedAt.toISOString() };
  return { ...about, endpoints, position, updateCount };
}
