// Runs one replay to the participants: starts it, watches it, switches one receiver off for a while in the middle,
// stops it early if the options say so, and collects the figures at its end.

import { setTimeout as delay } from 'node:timers/promises';
import { DEMO_LEAD_IN_MS_MAX, DEMO_SETTLE_MS_MAX, DEMO_STREAM_END_MS } from '#engine/base/limits.ts';
import type { ApiClient, RunStatus, SessionItem } from './api-client.ts';
import type { DemoOptions } from './demo-options.ts';
import type { FollowedStream, StreamFigures } from './followed-stream.ts';
import { LagRecord } from './lag-record.ts';
import { Outage } from './outage.ts';
import type { Participant } from './participant.ts';
import type { ReceivedPayload, Scheme } from './receiver.ts';
import type { Screen } from './screen.ts';
import { SequenceSet } from './sequence-set.ts';
import type { ReceiverFigures } from './verdict.ts';
import { wants } from './wishes.ts';

export interface ReplayOutcome {
  readonly participants: readonly Participant[];
  readonly figures: readonly ReceiverFigures[];
  readonly streams: readonly StreamFigures[];
  /** How many updates the session has. */
  readonly updateCount: number;
  /** Whether the run played to its end. */
  readonly whole: boolean;
  /** Null: no receiver was switched off. */
  readonly outageMs: number | null;
  readonly deliveries: number;
  readonly durationMs: number;
  /**
   * From when an update was due to the start of its first attempt, according to the service's delivery log. Only of
   * receivers that stayed up.
   */
  readonly startLag: ReadonlyMap<Scheme, LagRecord>;
}

const POLL_MS = 250;
const SPEED_WINDOW_MS = 1_000;

interface Arrival {
  readonly participant: Participant;
  readonly utcMs: number;
  readonly arrivedMs: number;
}

export class DemoReplay {
  readonly #api: ApiClient;
  readonly #session: SessionItem;
  readonly #options: DemoOptions;
  readonly #screen: Screen;
  readonly #signal: AbortSignal;
  readonly #follow: (runId: string) => readonly FollowedStream[];
  #participants: readonly Participant[] = [];
  /** When update 1 was due, and its own time in the session, both in Unix epoch milliseconds; null until known. */
  #start: { readonly wallMs: number; readonly utcMs: number } | null = null;
  #firstUtcMs: number | null = null;
  /** Deliveries that arrived before the start was known. */
  #early: Arrival[] = [];
  #arrivals = 0;
  /** The session time of each update, by sequence. */
  readonly #utcMs: number[] = [];
  #sessionStarted = false;
  readonly #recentLag = new LagRecord();

  /** `follow` opens streams of a run. */
  constructor(
    api: ApiClient,
    session: SessionItem,
    options: DemoOptions,
    screen: Screen,
    signal: AbortSignal,
    follow: (runId: string) => readonly FollowedStream[],
  ) {
    this.#api = api;
    this.#session = session;
    this.#options = options;
    this.#screen = screen;
    this.#signal = signal;
    this.#follow = follow;
  }

  /** Called when a receiver gets an update for the first time. */
  arrived(participant: Participant, payload: ReceivedPayload, arrivedMs: number): void {
    this.#arrivals++;
    const utcMs = Date.parse(payload.utc);
    if (payload.sequence === 1) this.#firstUtcMs ??= utcMs;
    if (this.#start === null) this.#early.push({ participant, utcMs, arrivedMs });
    else this.#measure({ participant, utcMs, arrivedMs });
    if (participant !== this.#participants[0]) return;
    this.#utcMs[payload.sequence] = utcMs;
    if (payload.feed === 'session.status' && payload.data?.status === 'started') this.#sessionStarted = true;
    // The service sends the built-in session to every endpoint in full, regardless of its subscriptions.
    for (const other of this.#participants) {
      if (other === participant || !(this.#session.demo || wants(other.wish, payload))) continue;
      other.expected.add(payload.sequence);
    }
  }

  async play(participants: readonly Participant[]): Promise<ReplayOutcome> {
    this.#participants = participants;
    const { speed, seconds } = this.#options;
    const fullMs = (this.#session.durationSeconds * 1000) / speed;
    const plannedMs = Math.min(fullMs, seconds === null ? fullMs : seconds * 1000);
    const outage = new Outage(participants, plannedMs);
    const { runId } = await this.#api.startRun(this.#session.sessionId, speed);
    const streams = this.#follow(runId);
    const beganMs = performance.now();
    // A recording begins long before its session starts; `seconds` counts from that start.
    let windowFromMs = seconds === null ? 0 : Number.POSITIVE_INFINITY;
    let stopped = false;
    let rateFrom = { ms: beganMs, arrivals: 0 };
    let rate = 0;
    let lagMs = 0;
    for (;;) {
      const run = await this.#api.run(runId);
      const elapsedMs = performance.now() - beganMs;
      this.#learnStart(run);
      outage.watch(run);
      if (run.state === 'completed' || run.state === 'stopped') {
        await outage.end(Math.max(0, elapsedMs - windowFromMs));
        const streamsEnded = Promise.all(streams.map(({ ended }) => ended));
        await Promise.race([streamsEnded, delay(DEMO_STREAM_END_MS, undefined, { signal: this.#signal })]);
        return this.#outcome(run, outage, elapsedMs, await this.#startLag(run), streams);
      }
      if (this.#sessionStarted || elapsedMs >= DEMO_LEAD_IN_MS_MAX) windowFromMs = Math.min(windowFromMs, elapsedMs);
      const inWindowMs = Math.max(0, elapsedMs - windowFromMs);
      if (elapsedMs > DEMO_LEAD_IN_MS_MAX + plannedMs + DEMO_SETTLE_MS_MAX)
        throw new Error(`the replay did not end: ${JSON.stringify(run)}`);
      const announcement = await outage.step(inWindowMs);
      if (announcement !== null) this.#screen.say(announcement);
      if (!stopped && seconds !== null && inWindowMs >= seconds * 1000) {
        stopped = true;
        await this.#api.stopRun(runId);
      }
      const sinceMs = performance.now() - rateFrom.ms;
      if (sinceMs >= SPEED_WINDOW_MS) {
        rate = Math.round(((this.#arrivals - rateFrom.arrivals) * 1000) / sinceMs);
        lagMs = this.#recentLag.quantileMs(0.99);
        this.#recentLag.clear();
        rateFrom = { ms: performance.now(), arrivals: this.#arrivals };
      }
      this.#screen.progress(this.#progressLine(run, elapsedMs, windowFromMs, plannedMs, rate, lagMs));
      await delay(POLL_MS, undefined, { signal: this.#signal });
    }
  }

  #progressLine(
    run: RunStatus,
    elapsedMs: number,
    windowFromMs: number,
    plannedMs: number,
    rate: number,
    lagMs: number,
  ): string {
    const failed = run.endpoints.reduce((sum, endpoint) => sum + endpoint.failed, 0);
    const wrong = this.#participants.reduce((sum, { receiver }) => sum + receiver.counts.badSignatures, 0);
    const down = this.#participants.filter(({ receiver }) => !receiver.isOn).map(({ number }) => number);
    return [
      elapsedMs < windowFromMs
        ? `${clock(elapsedMs)} before the session`
        : `${clock(elapsedMs - windowFromMs)} of ${clock(plannedMs)}`,
      `${this.#arrivals.toLocaleString('en')} delivered`,
      `${rate.toLocaleString('en')}/s`,
      `lag p99 ${lagMs} ms`,
      `${failed + wrong} failures`,
      ...(down.length > 0 ? [`receiver ${down.join(', ')} is down`] : []),
    ].join('   ');
  }

  /** The start is known once the run's status has been read and update 1 has arrived. */
  #learnStart(run: RunStatus): void {
    if (this.#start !== null || this.#firstUtcMs === null) return;
    this.#start = { wallMs: Date.parse(run.startedAt), utcMs: this.#firstUtcMs };
    for (const arrival of this.#early.splice(0)) this.#measure(arrival);
  }

  #measure({ participant, utcMs, arrivedMs }: Arrival): void {
    const start = this.#start!;
    const lagMs = arrivedMs - (start.wallMs + (utcMs - start.utcMs) / this.#options.speed);
    participant.lag.add(lagMs);
    // Updates that waited for a receiver that was down say nothing about the service's speed.
    if (!participant.goesDown) this.#recentLag.add(lagMs);
  }

  /** Reads the lag of first attempts from the delivery logs of all receivers that stayed up. */
  async #startLag(run: RunStatus): Promise<Map<Scheme, LagRecord>> {
    const lags = new Map<Scheme, LagRecord>();
    const firstUtcMs = this.#firstUtcMs;
    if (firstUtcMs === null) return lags;
    const startMs = Date.parse(run.startedAt);
    for (const { webhookId, goesDown, receiver } of this.#participants) {
      if (goesDown) continue;
      const lag = lags.get(receiver.scheme) ?? new LagRecord();
      lags.set(receiver.scheme, lag);
      for await (const { sequence, attempt, createdAt } of this.#api.attempts(webhookId)) {
        const utcMs = this.#utcMs[sequence];
        if (attempt !== 1 || utcMs === undefined) continue;
        lag.add(Date.parse(createdAt) - (startMs + (utcMs - firstUtcMs) / this.#options.speed));
      }
    }
    return lags;
  }

  #outcome(
    run: RunStatus,
    outage: Outage,
    durationMs: number,
    startLag: ReadonlyMap<Scheme, LagRecord>,
    streams: readonly FollowedStream[],
  ): ReplayOutcome {
    const whole = run.state === 'completed';
    const figures = this.#participants.map((participant, index): ReceiverFigures => {
      const service = run.endpoints.find(({ webhookId }) => webhookId === participant.webhookId);
      if (service === undefined) throw new Error(`the run status lacks receiver ${participant.number}`);
      const { receiver } = participant;
      const first = index === 0;
      const end = whole ? this.#session.updateCount : participant.lastSequence;
      const expected = first ? allUpTo(end) : participant.expected.upTo(end);
      const reference = first ? end : Math.min(end, this.#participants[0]!.lastSequence);
      return {
        number: participant.number,
        goesDown: participant.goesDown,
        expected: expected.size,
        received: receiver.received.size,
        missing: expected.without(receiver.received),
        // The first receiver defines what was due, so nothing is known beyond its last update.
        unwanted: receiver.received.upTo(reference).without(expected),
        duplicates: receiver.counts.duplicates,
        badSignatures: receiver.counts.badSignatures,
        misaddressed: receiver.counts.misaddressed,
        problems: participant.problems,
        service,
        breakerOpened: outage.breakerOpened,
        breakerClosedAgain: service.breaker === 'closed',
      };
    });
    const deliveries = figures.reduce((sum, { received }) => sum + received, 0);
    return {
      participants: this.#participants,
      figures,
      streams: streams.map((stream) => stream.figures(this.#participants.map(({ receiver }) => receiver.bodies))),
      updateCount: this.#session.updateCount,
      whole,
      outageMs: outage.lastedMs,
      deliveries,
      durationMs,
      startLag,
    };
  }
}

function allUpTo(end: number): SequenceSet {
  const all = new SequenceSet();
  for (let sequence = 1; sequence <= end; sequence++) all.add(sequence);
  return all;
}

function clock(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
