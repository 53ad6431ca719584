// The endpoint actor: one endpoint's part in one run, live or replay.
//
// A turn feeds the mailbox from the timeline, up to the updates that are due, then starts as many attempts as the
// in-flight cap allows. Responses and timers arrive as calls; nothing here waits. The actor's counts are exact at every
// moment:
//
//   matched = mailbox + unsettled + delivered + failed + skipped                                         (I1)
//
// A1 First attempts start in timeline order (I5): the mailbox is filled and emptied in that order.
// A2 Every attempt obeys the settings and filters in force when it starts. An update that was matched under older
//    settings is matched again before its attempt.
// A3 Retries have slots of their own, so they neither hold back later updates nor starve behind them.
// A4 An actor that gets no slot, because its own cap, the shard or the record buffer is full, keeps its place in the
//    timeline and loses nothing.
// A5 An actor that refuses work (its run was stopped, its endpoint was deleted, it failed too often) starts nothing. It
//    counts updates that fall due as skipped.
// A6 Every attempt takes one from the account's monthly allowance when it starts. An update that finds none left is
//    skipped. An attempt is given back only if it will never be recorded.
// A7 Live delivery has no breaker: a live session happens once, so every update gets all its attempts. A resend has none
//    either: all its updates are due at once, and an open breaker would skip them. Live delivery goes to no URL of this
//    machine, unless the operator allows it.
// A8 An endpoint that may get updates is connected to before the first one is due. A failure to connect then is not an
//    attempt and says nothing about the endpoint.
// A9 A parked actor starts nothing and counts nothing. Once its attempts under way have ended, its checkpoint says all.
// A10 In an ordered run a first attempt starts only when no other delivery of the actor is unsettled.
// A11 Where the endpoint wants snapshots, those of its feeds precede the first update of which it gets an attempt: the states
//     that the updates before that one leave behind. They are deliveries with numbers of their own
//     (timeline/snapshot-number.ts), and no update starts while one of them is unsettled. Whether they are still to come
//     follows from the checkpoint: nothing was delivered, has failed or is pending. So nothing more is stored about them.

import { assert } from '#engine/base/assert.ts';
import { PROMPT_UPDATES_MAX, RETRIES_IN_FLIGHT_MAX, RETRYING_MAX } from '#engine/base/limits.ts';
import { type AttemptResult, isDelivered, isOverload, TIMED_OUT } from '#engine/delivery/attempt-result.ts';
import {
  addsUp,
  type Checkpoint,
  NO_SPANS,
  NOTHING_PENDING,
  NOTHING_SKIPPED,
  type PendingUpdate,
} from '#engine/delivery/delivery-log/record-store.ts';
import type { Checkpointed } from '#engine/delivery/delivery-log/recorder.ts';
import type { Audience, Audiences } from '#engine/delivery/filter/audiences.ts';
import type { DeliveryMeter } from '#engine/delivery/meter/delivery-meter.ts';
import type { Run } from '#engine/delivery/run/run.ts';
import type { Selection } from '#engine/delivery/run/selection.ts';
import { type DeliveryHeaders, deliveryId } from '#engine/delivery/sign/delivery-headers.ts';
import type { SkipReason } from '#engine/delivery/skip-reason.ts';
import type { Connections } from '#engine/delivery/transport/transport.ts';
import type { AccountShare, TurnTaker } from '#engine/delivery/turns/account-share.ts';
import { NOTHING_DUE } from '#engine/delivery/usage/due-outcome.ts';
import type { UsageLedger } from '#engine/delivery/usage/usage-ledger.ts';
import { placeOf, SNAPSHOTS_FROM, snapshotFeed, snapshotNumber } from '#engine/timeline/snapshot-number.ts';
import { bodyOf, type SnapshotPart, type Snapshots } from '#engine/timeline/snapshots.ts';
import { sequenceOf } from '#engine/timeline/timeline.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { type AttemptHost, startAttempt } from './attempt.ts';
import { Breaker } from './breaker.ts';
import { Delivery, type DeliveryOwner, type Slot } from './delivery.ts';
import type { EndpointState } from './endpoint-state.ts';
import type { FinishedListener } from './finished-delivery.ts';
import type { InFlightCap } from './in-flight-cap.ts';
import type { LearnedCaps } from './learned-caps.ts';
import { Mailbox } from './mailbox.ts';
import { Punctuality } from './punctuality.ts';
import { retryDelayMs } from './retry-schedule.ts';
import { SkippedSpans } from './skipped-spans.ts';
import type { SnapshotsAtHand } from './snapshot-shelf.ts';

/** What a shard does for its actors. */
export interface ActorHost extends AttemptHost {
  /** Whether live deliveries may go to URLs of this machine. */
  readonly liveToLocalhost: boolean;
  /** Called for every started delivery once it is settled. Null without a listener, so that nothing is allocated. */
  readonly finished: FinishedListener | null;
  readonly learnedCaps: LearnedCaps;
  /** Since when the answer that is being read may have been there (S11). */
  readonly answersSinceMs: number;
  /**
   * Takes one of the shard's in-flight slots for an actor that holds `held` already; false when there is none for it.
   * `far`: its responses are slow however fast this thread is.
   */
  acquire(actor: EndpointActor, held: number, far: boolean): boolean;
  /** Returns one of them. */
  release(actor: EndpointActor): void;
  /** Queues the actor for a turn. */
  ready(actor: EndpointActor): void;
  /** The snapshots at this position of the actor's run. Null: the actor is queued for a turn when they are here. */
  snapshots(actor: EndpointActor, position: number): SnapshotsAtHand | null;
  /** Called before each attempt; the run's first one is reported. */
  attemptStarted(run: Run): void;
  /** Called when all of the actor's updates are settled. */
  ended(actor: EndpointActor): void;
  /** Replaces an actor that threw. */
  restart(actor: EndpointActor, error: Error): void;
}

export class EndpointActor implements DeliveryOwner, Checkpointed, TurnTaker<EndpointActor> {
  readonly endpoint: EndpointState;
  readonly run: Run;
  /** What the account's actors share of the shard. */
  readonly share: AccountShare<EndpointActor>;
  /** Set by the queue in which it waits for a turn. */
  queued = false;
  next: EndpointActor | null = null;
  readonly #host: ActorHost;
  readonly #live: boolean;
  /** What the run sends of its timeline; null: everything. Only a resend has one. */
  readonly #selection: Selection | null;
  /** How many deliveries may be unsettled when a first attempt starts. */
  readonly #unsettledMax: number;
  readonly #ledger: UsageLedger;
  readonly #headers: DeliveryHeaders;
  readonly #meter: DeliveryMeter;
  /** The start of its delivery ids; computed with the first one. */
  #idPrefix: string | null = null;
  readonly #mailbox = new Mailbox();
  /** Learns of the receiver at this URL, by attempts that started when it was in force. */
  #cap: InFlightCap;
  #capUrl: string;
  #capSinceMs = Number.NEGATIVE_INFINITY;
  readonly #breaker = new Breaker();
  /** Started deliveries that are not settled, in no order. */
  readonly #unsettled: Delivery[] = [];
  /** First attempts that go before the mailbox (I5): snapshots, and what was under way at the checkpoint that it resumed from. */
  readonly #dueFirst: Delivery[] = [];
  /** Retries that are due and wait for a slot, oldest first. */
  readonly #dueRetries: Delivery[] = [];
  #skipped: Partial<Record<SkipReason, number>> = NOTHING_SKIPPED;
  /** Null until it skips. */
  #spans: SkippedSpans | null = null;
  /** Of live delivery only: a replay and a resend are due when they are asked for. */
  readonly #punctuality: Punctuality | null;
  readonly #audiences: Audiences<EndpointActor>;
  /** The actors that get the same as this one; null before the first turn with these filters. */
  #audience: Audience<EndpointActor> | null = null;
  /**
   * The version of the settings in use. It starts below every real one, so the first turn notices an earlier deletion.
   */
  #version = 0;
  /** The version of the filters in use; 0 until the first turn. */
  #feedsVersion = 0;
  /** Whether the first update is preceded by snapshots, and for which position they have been tracked last (A11). */
  #wantsSnapshots = false;
  #snapshotsAt = -1;
  /** How many of them are unsettled. */
  #snapshots = 0;
  /** Positions before this one were matched under older settings (A2). */
  #rematchBefore = 0;
  #next: number;
  #matched: number;
  #delivered: number;
  #failed: number;
  #lagMs: number;
  /** Attempts under way, by the kind of slot they hold (A3). */
  #firstInFlight = 0;
  #retriesInFlight = 0;
  /** Whether updates have waited since the last turn because the cap had no slot for them. */
  #capped = false;
  #connections: { readonly origin: string; readonly pool: Connections } | null = null;
  #refusing: SkipReason | null = null;
  /** Whether it lets go of its run (A9). */
  #parking = false;
  /** Set between taking from the allowance and sending: if that throws, the attempt is given back (A6). */
  #starting = false;
  #startingAtMs = 0;
  /** Set while an attempt that ended is counted but not recorded yet: the counts do not add up then. */
  #counting = false;
  #ended = false;
  #last: Checkpoint;
  /** Whether the counts of `#last` are in a batch. */
  #lastTaken = false;

  /** Resumes from the checkpoint `from`. An endpoint that is new to the run has `newCheckpoint`. */
  constructor(
    host: ActorHost,
    share: AccountShare<EndpointActor>,
    endpoint: EndpointState,
    run: Run,
    headers: DeliveryHeaders,
    audiences: Audiences<EndpointActor>,
    from: Checkpoint,
  ) {
    this.#host = host;
    this.share = share;
    this.endpoint = endpoint;
    this.run = run;
    this.#live = run.order.mode === 'live';
    this.#unsettledMax = run.order.ordered === true ? 1 : RETRYING_MAX;
    this.#selection = run.selection;
    // A resend does not happen when its session does, so it does not count as live.
    this.#meter = host.meter.deliveries[run.selection === null ? run.order.mode : 'replay'];
    const { settings } = endpoint;
    this.#headers = headers;
    this.#capUrl = settings.url;
    this.#cap = host.learnedCaps.capOf(settings);
    this.#audiences = audiences;
    this.#last = from;
    this.#next = from.nextPosition;
    this.#matched = from.matched;
    this.#delivered = from.delivered;
    this.#failed = from.failed;
    this.#lagMs = from.lagMs;
    if (from.skipped !== NOTHING_SKIPPED) this.#skipped = { ...from.skipped };
    if (from.spans.length > 0) this.#spans = new SkippedSpans(from.spans);
    const { clock } = host;
    this.#punctuality =
      this.#live && run.selection === null
        ? new Punctuality(clock.nowMs(), clock.wallMs(), from.heldBefore ?? 0, from.due ?? NOTHING_DUE, host.meter.due)
        : null;
    if (from.breaker === 'open') this.#breaker.reopen(host.clock.nowMs());
    for (const pending of [...from.pending].sort(inOrder)) this.#resume(pending);
    // A resend that has not begun.
    if (this.#selection !== null && from.matched === 0)
      for (const number of this.#selection.snapshots) this.#owe(number);
    this.#ledger = host.recorder.openLedger(settings.accountId);
  }

  /** S7 */
  get behind(): boolean {
    return this.#mailbox.length > PROMPT_UPDATES_MAX;
  }

  // For the census (CountedActor).

  get waiting(): number {
    return this.#mailbox.length;
  }

  get waitingSinceMs(): number {
    const position = this.#mailbox.peek();
    return position === null ? Number.POSITIVE_INFINITY : this.run.dueAtMs(position);
  }

  get retrying(): number {
    return this.#unsettled.length - this.#firstInFlight - this.#retriesInFlight - this.#dueFirst.length;
  }

  get breakerOpen(): boolean {
    return this.#breaker.open;
  }

  /**
   * The checkpoint from which a successor resumes when this actor has failed. It is the present one, so nothing
   * recorded is delivered again. If the actor failed while counting, it is what `checkpoint` returned last.
   */
  restartPoint(): Checkpoint {
    const now = this.#counting ? null : this.#checkpointNow();
    if (now !== null && addsUp(now)) return now;
    return this.#lastTaken ? { ...this.#last, due: NOTHING_DUE } : this.#last;
  }

  /** Fills the mailbox and starts every attempt that may start. */
  turn(): void {
    if (this.#ended || this.#parking) return;
    this.#applySettings();
    this.#feed();
    this.#startRetries();
    if (this.#punctuality === null) this.#startFirst();
    else this.#startPunctual(this.#punctuality);
    if (this.#connections === null && this.#host.transport.connectsAhead) this.#warm();
    this.#endIfDone();
  }

  attemptEnded(delivery: Delivery, result: AttemptResult): void {
    const { state } = delivery;
    assert(state.kind === 'sending', 'I3: only an attempt under way has a result');
    const { nowMs, recorder, wheel } = this.#host;
    const { position } = delivery;
    const latencyMs = nowMs - state.startedAtMs;
    const lagMs = Math.max(0, nowMs - this.run.dueAtMs(placeOf(position)));
    const delivered = isDelivered(result);
    const inFlight = this.#firstInFlight;
    const isOfCap = state.startedAtMs >= this.#capSinceMs;
    wheel.cancel(delivery.timer);
    this.#returnSlot(state.slot);
    if (state.slot === 'first') this.#punctuality?.answered(this.#host.answersSinceMs);
    this.#counting = true;
    delivery.attempted();
    if (delivered) {
      // The time for a connection says nothing about how far away, or how busy, the endpoint is.
      const { sentAtMs, waitedMs } = state.exchange;
      if (isOfCap) this.#cap.succeeded(nowMs - sentAtMs!, waitedMs, this.#capped, inFlight);
      this.#breaker.succeeded();
      this.#meter.attemptSucceeded(latencyMs, lagMs);
      this.#delivered++;
      this.#settle(delivery, 'delivered', result, latencyMs);
    } else {
      this.#meter.attemptFailed(result, latencyMs);
      if (isOfCap && isOverload(result)) this.#cap.overloaded();
      if (!this.#live && this.#selection === null) this.#breaker.failed(state.startedAtMs, nowMs);
      this.#retryLater(delivery, nowMs, result, latencyMs);
    }
    recorder.attempt(
      this,
      this.#ledger,
      {
        webhookNo: this.endpoint.settings.webhookNo,
        runNo: this.run.order.runNo,
        mode: this.run.order.mode,
        feed: this.#feedOf(position),
        sequence: sequenceOf(position),
        attempt: delivery.attemptsMade,
        result,
        latencyMs,
        lagMs,
        createdAtMs: state.createdAtMs,
      },
      delivered ? lagMs : null,
      this.run.order.allFeeds,
    );
    this.#counting = false;
    this.#host.ready(this);
  }

  timeUp(delivery: Delivery): void {
    const { state } = delivery;
    if (state.kind === 'sending') {
      state.exchange.abandon();
      this.attemptEnded(delivery, TIMED_OUT);
      return;
    }
    delivery.due();
    this.#dueRetries.push(delivery);
    this.#host.ready(this);
  }

  failed(error: Error): void {
    this.#host.restart(this, error);
  }

  /** The endpoint's settings are others: its old filters decide about what fell due until now, the new ones about the rest. */
  changed(): void {
    if (this.endpoint.feedsVersion !== this.#feedsVersion) this.#leaveAudience();
    this.#host.ready(this);
  }

  /** From now on starts nothing and skips every update for this reason (A5). */
  refuse(reason: SkipReason): void {
    this.#refusing = reason;
    for (const delivery of [...this.#unsettled]) {
      if (delivery.state.kind !== 'waiting') continue;
      this.#host.wheel.cancel(delivery.timer);
      this.#skipStarted(delivery.position, reason);
      this.#settle(delivery, reason);
    }
    this.#host.ready(this);
  }

  /** Starts nothing more (A9), or does so again. */
  park(parking: boolean): void {
    this.#parking = parking;
    this.#host.ready(this);
  }

  get inFlight(): number {
    return this.#firstInFlight + this.#retriesInFlight;
  }

  /** Takes the actor out of service. Only its checkpoint remains, for a successor to resume from. */
  abandon(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const delivery of this.#unsettled) {
      this.#host.wheel.cancel(delivery.timer);
      if (delivery.state.kind !== 'sending') continue;
      delivery.state.exchange.abandon();
      this.run.allowance.giveBack(delivery.state.createdAtMs);
    }
    if (this.#starting) this.run.allowance.giveBack(this.#startingAtMs);
    // By count: no delivery knows of a slot whose attempt failed to start.
    for (let held = this.#firstInFlight + this.#retriesInFlight; held > 0; held--) this.#host.release(this);
    this.#host.recorder.closeLedger(this.#ledger);
    this.#leaveAudience();
    this.#disconnect();
  }

  checkpoint(): Checkpoint {
    const now = this.#checkpointNow();
    assert(addsUp(now), 'I1: what matched is pending, delivered, failed or skipped');
    this.#last = now;
    this.#spans?.written();
    this.#punctuality?.written();
    this.#lastTaken = true;
    return this.#last;
  }

  #checkpointNow(): Checkpoint {
    const punctuality = this.#punctuality;
    return {
      runId: this.run.order.runId,
      webhookId: this.endpoint.settings.webhookId,
      nextPosition: this.#mailbox.peek() ?? this.#nextToLookAt(),
      pending: this.#unsettled.length === 0 ? NOTHING_PENDING : this.#unsettled.map(pendingUpdate),
      matched: this.#matched - this.#mailbox.length,
      delivered: this.#delivered,
      failed: this.#failed,
      skipped: this.#skipped === NOTHING_SKIPPED ? NOTHING_SKIPPED : { ...this.#skipped },
      breaker: this.#breaker.open ? 'open' : 'closed',
      lagMs: Math.round(this.#lagMs),
      spans: this.#spans === null ? NO_SPANS : this.#spans.changed(),
      due: punctuality === null ? NOTHING_DUE : punctuality.counted(),
      heldBefore: punctuality === null ? 0 : punctuality.heldBefore,
    };
  }

  #applySettings(): void {
    const { endpoint } = this;
    if (endpoint.version === this.#version) return;
    this.#version = endpoint.version;
    this.#wantsSnapshots = endpoint.settings.snapshot === true && this.#selection === null;
    // A change of plan changes thousands of endpoints, but not what they match.
    if (endpoint.feedsVersion !== this.#feedsVersion) this.#applyFilters();
    if (endpoint.settings.url !== this.#capUrl) this.#moveCap();
    if (endpoint.deleted) {
      this.#host.recorder.note(this);
      this.refuse('deleted');
      // A deleted endpoint has no subscription left to match. The end of a live session is not known yet.
      if (this.run.end !== Number.POSITIVE_INFINITY) this.#next = Math.max(this.#next, this.run.end);
    }
  }

  #applyFilters(): void {
    const { endpoint } = this;
    // Checkpoint the updates that the old filters did not match: after a crash, the new ones must not match them.
    if (this.#feedsVersion !== 0) this.#host.recorder.note(this);
    this.#feedsVersion = endpoint.feedsVersion;
    this.#audience = this.#audiences.join(this, endpoint.settings);
    this.#rematchBefore = this.#next;
  }

  /** The receiver is another one: what was learned of the old one says nothing about it. */
  #moveCap(): void {
    const { learnedCaps, nowMs } = this.#host;
    const { settings } = this.endpoint;
    this.#keepCap();
    this.#cap = learnedCaps.capOf(settings);
    this.#capUrl = settings.url;
    this.#capSinceMs = nowMs;
  }

  #keepCap(): void {
    this.#host.learnedCaps.keep(this.endpoint.settings.webhookId, this.#capUrl, this.#cap);
  }

  /** The first position that may match: its audience has matched those before it (AU2). */
  #nextToLookAt(): number {
    return this.#audience === null ? this.#next : this.#audience.nextFrom(this.#next);
  }

  #feed(): void {
    if (this.endpoint.deleted) return;
    const { due } = this.run;
    const { filter } = this.#audience!;
    this.#next = this.#nextToLookAt();
    while (this.#next < due && !this.#mailbox.full) {
      const position = this.#next;
      if ((this.#selection === null || this.#selection.has(position)) && filter.matches(position)) {
        // While others wait in the mailbox this one joins them. Skipped at once, it would be counted before them, and
        // again by a successor that resumes from the first of them.
        const refusal = this.#mailbox.length > 0 ? null : this.#refusal(position);
        if (this.#wantsSnapshots && refusal === null && !this.#hasBase(position)) return;
        this.#matched++;
        if (refusal === null) this.#mailbox.offer(position);
        else this.#skipNext(position, refusal);
      }
      this.#next++;
    }
  }

  /** Starts first attempts, and notes what keeps the next one from starting. */
  #startPunctual(punctuality: Punctuality): void {
    const first = this.#mailbox.peek();
    if (first === null && this.#dueFirst.length === 0) {
      this.#capped = false;
      punctuality.rests();
      return;
    }
    if (first !== null) punctuality.waits(this.run.dueAtMs(first), this.#host.nowMs);
    this.#startFirst();
    const waiting = this.#mailbox.length > 0;
    const awaitsBase = this.#snapshots > 0 && this.#dueFirst.length === 0;
    const held = waiting && (this.#capped || awaitsBase || this.#unsettled.length >= this.#unsettledMax);
    punctuality.turnEnded(waiting, held, this.run.due, this.#host.nowMs);
  }

  #startFirst(): void {
    this.#capped = false;
    if (this.#dueFirst.length > 0) this.#startDueFirst();
    if (this.#dueFirst.length > 0 || this.#snapshots > 0) return;
    while (this.#mailbox.length > 0) {
      const position = this.#mailbox.peek()!;
      const refusal = this.#refusal(position);
      if (refusal !== null) {
        this.#mailbox.take();
        this.#skipNext(position, refusal);
      } else {
        if (this.#unsettled.length >= this.#unsettledMax || !this.#takeSlot('first', this.#cap.value)) return;
        this.#mailbox.take();
        if (this.#takeAllowance('first')) {
          this.#spans?.interrupt();
          this.#noteBegun(position);
          this.#start(this.#track(position, 0), 'first');
        } else {
          this.#skipNext(position, 'monthly_limit');
        }
      }
      if (this.#mailbox.length === 0) this.#feed();
    }
  }

  #startDueFirst(): void {
    const isOrdered = this.#unsettledMax === 1;
    if (isOrdered && this.#unsettled.length > this.#dueFirst.length) return;
    this.#startDue(this.#dueFirst, 'first', isOrdered ? 1 : this.#cap.value);
  }

  #startRetries(): void {
    const slots = Math.min(RETRIES_IN_FLIGHT_MAX, Math.max(1, this.#cap.value >>> 2));
    this.#startDue(this.#dueRetries, 'retry', slots);
  }

  /** Starts deliveries of this list in order, as long as there are slots. */
  #startDue(due: Delivery[], slot: Slot, slots: number): void {
    while (due.length > 0) {
      const delivery = due[0]!;
      if (delivery.position >= SNAPSHOTS_FROM && !this.#isAtHand(delivery.position)) return;
      let refusal = this.#refusal(delivery.position);
      if (refusal === null && !this.#takeSlot(slot, slots)) return;
      due.shift();
      if (refusal === null && !this.#takeAllowance(slot)) refusal = 'monthly_limit';
      if (refusal === null) {
        this.#start(delivery, slot);
      } else {
        this.#skipStarted(delivery.position, refusal);
        this.#settle(delivery, refusal);
      }
    }
  }

  #takeSlot(slot: Slot, slots: number): boolean {
    const held = slot === 'first' ? this.#firstInFlight : this.#retriesInFlight;
    if (held >= slots) {
      if (slot === 'first') this.#capped = true;
      return false;
    }
    if (slot === 'first' && this.#connections !== null && held >= this.#connections.pool.usefulInFlight) return false;
    if (!this.#host.acquire(this, held, this.#cap.far)) return false;
    if (slot === 'first') this.#cap.started(++this.#firstInFlight);
    else this.#retriesInFlight++;
    return true;
  }

  #returnSlot(slot: Slot): void {
    if (slot === 'first') this.#firstInFlight--;
    else this.#retriesInFlight--;
    assert(this.#firstInFlight >= 0 && this.#retriesInFlight >= 0, 'A3: a slot is given back once');
    this.#host.release(this);
  }

  /** Takes an attempt from the allowance for the slot just taken. If none is left, frees the slot: false (A6). */
  #takeAllowance(slot: Slot): boolean {
    const { wallMs } = this.#host;
    if (this.run.allowance.take(wallMs)) {
      this.#starting = true;
      this.#startingAtMs = wallMs;
      return true;
    }
    this.#returnSlot(slot);
    return false;
  }

  /** Returns why no attempt of this update may start now, or null (A2). */
  #refusal(position: number): SkipReason | null {
    if (this.#refusing !== null) return this.#refusing;
    if (!this.endpoint.settings.active) return 'paused';
    if (this.#live && this.endpoint.replayOnly && !this.#host.liveToLocalhost) return 'replay_only';
    if (position < this.#rematchBefore && !this.#audience!.filter.matches(position)) return 'filtered';
    if (position >= SNAPSHOTS_FROM) {
      const snapshots = this.#host.snapshots(this, placeOf(position))!;
      if (snapshots === 'unavailable') return 'snapshot_unavailable';
      if (!this.#matchesSnapshot(position, snapshots)) return 'filtered';
    }
    if (!this.#breaker.admits(this.#host.nowMs)) return 'breaker_open';
    return this.run.allowance.exhausted(this.#host.wallMs) ? 'monthly_limit' : null;
  }

  #track(position: number, attemptsMade: number): Delivery {
    const delivery = new Delivery(this.#host, this, position, attemptsMade);
    delivery.place = this.#unsettled.length;
    this.#unsettled.push(delivery);
    if (position >= SNAPSHOTS_FROM) this.#snapshots++;
    return delivery;
  }

  /** A11: whether this update may be the next one. Tracks its snapshots, or asks for them: false. */
  #hasBase(position: number): boolean {
    const { snapshot_unavailable: missed = 0 } = this.#skipped;
    const hasBegun = this.#unsettled.length > 0 || this.#delivered > 0 || this.#failed > 0 || missed > 0;
    if (hasBegun || this.#mailbox.length > 0 || this.#snapshotsAt === position) return true;
    const feeds = this.#audience!.filter.feedsWithState(position);
    if (feeds.length > 0) {
      const snapshots = this.#host.snapshots(this, position);
      if (snapshots === null) return false;
      for (const feed of feeds) {
        const number = snapshotNumber(feed, position);
        if (snapshots === 'unavailable') {
          this.#matched++;
          this.#skipStarted(number, 'snapshot_unavailable');
        } else if (this.#matchesSnapshot(number, snapshots)) {
          this.#owe(number);
        }
      }
    }
    this.#snapshotsAt = position;
    return true;
  }

  #owe(number: number): void {
    this.#matched++;
    this.#dueFirst.push(this.#track(number, 0));
  }

  /** Whether it is known what becomes of this snapshot. If not, it is asked for. */
  #isAtHand(number: number): boolean {
    return this.#refusing !== null || this.#host.snapshots(this, placeOf(number)) !== null;
  }

  #matchesSnapshot(number: number, snapshots: Snapshots): boolean {
    return this.#audience!.filter.matchesSnapshot(placeOf(number), snapshots, partOf(snapshots, number));
  }

  /** The number of the feed that an update or a snapshot is of. */
  #feedOf(position: number): number {
    return position < SNAPSHOTS_FROM ? this.run.timeline.columns.feed[position]! : snapshotFeed(position);
  }

  #bodyOf(position: number): Uint8Array {
    if (position < SNAPSHOTS_FROM) return this.run.timeline.body(position);
    const snapshots = this.#host.snapshots(this, placeOf(position));
    assert(snapshots !== null && snapshots !== 'unavailable', 'A11: a snapshot that starts is at hand');
    return bodyOf(snapshots, partOf(snapshots, position));
  }

  #start(delivery: Delivery, slot: Slot): void {
    const { endpoint, run } = this;
    const { position } = delivery;
    const wallMs = this.#startingAtMs;
    // Not the start of the turn: attempts that the turn sent earlier took time, which must not count towards this one.
    const nowMs = this.#host.clock.nowMs();
    this.#idPrefix ??= this.#headers.idPrefix(endpoint.settings.webhookId);
    this.#host.attemptStarted(run);
    this.#breaker.started(nowMs);
    if (delivery.attemptsMade === 0) {
      this.#lagMs = Math.max(0, nowMs - run.dueAtMs(placeOf(position)));
      if (this.#live && this.#selection === null) this.#host.meter.liveStartMs.record(this.#lagMs);
    }
    const connections = this.#connected();
    connections.distanceMs = this.#cap.distanceMs;
    startAttempt(
      this.#host,
      delivery,
      slot,
      connections,
      endpoint,
      this.#headers,
      this.#idPrefix,
      FEEDS[this.#feedOf(position)]!.feedId,
      sequenceOf(position),
      this.#bodyOf(position),
      nowMs,
      wallMs,
    );
    this.#starting = false;
    this.#host.recorder.note(this);
  }

  #retryLater(delivery: Delivery, nowMs: number, result: AttemptResult, latencyMs: number): void {
    const delayMs = retryDelayMs(delivery.attemptsMade);
    if (delayMs === null) {
      this.#failed++;
      this.#meter.failed();
      this.#settle(delivery, 'failed', result, latencyMs);
    } else if (this.#refusing !== null) {
      this.#skipStarted(delivery.position, this.#refusing);
      this.#settle(delivery, this.#refusing, result, latencyMs);
    } else {
      delivery.waiting(this.#host.wallMs + delayMs);
      this.#host.wheel.start(delivery.timer, nowMs + delayMs);
    }
  }

  /**
   * `end`: how it ended, or why it was skipped. `result` and `latencyMs` belong to the attempt that ended it, if any.
   */
  #settle(
    delivery: Delivery,
    end: 'delivered' | 'failed' | SkipReason,
    result: AttemptResult | null = null,
    latencyMs = 0,
  ): void {
    delivery.settled();
    if (this.#host.finished !== null) this.#reportFinished(this.#host.finished, delivery, end, result, latencyMs);
    if (delivery.position >= SNAPSHOTS_FROM) this.#snapshots--;
    const last = this.#unsettled.pop()!;
    if (last !== delivery) {
      this.#unsettled[delivery.place] = last;
      last.place = delivery.place;
    }
  }

  #reportFinished(
    listener: FinishedListener,
    { position, attemptsMade }: Delivery,
    end: 'delivered' | 'failed' | SkipReason,
    result: AttemptResult | null,
    latencyMs: number,
  ): void {
    const { runId, mode, sessionId } = this.run.order;
    const { webhookId } = this.endpoint.settings;
    const sequence = sequenceOf(position);
    this.#idPrefix ??= this.#headers.idPrefix(webhookId);
    listener({
      runId,
      mode,
      sessionId,
      webhookId,
      origin: this.endpoint.destination.origin,
      feed: FEEDS[this.#feedOf(position)]!.feedId,
      sequence,
      deliveryId: deliveryId(this.#idPrefix, sequence),
      attempts: attemptsMade,
      outcome: end === 'delivered' || end === 'failed' ? { kind: end } : { kind: 'skipped', reason: end },
      lastAttempt: result === null ? null : { result, latencyMs },
      lagMs: Math.max(0, this.#host.nowMs - this.run.dueAtMs(placeOf(position))),
    });
  }

  #noteBegun(position: number): void {
    const { run } = this;
    const { nowMs, wallMs } = this.#host;
    this.#punctuality?.begun(position, run.dueAtMs(position), run.isOfEarlierProcess(position), nowMs, wallMs);
  }

  /** Skips the next matching update of the timeline. */
  #skipNext(position: number, reason: SkipReason): void {
    const { run } = this;
    const { nowMs, wallMs } = this.#host;
    this.#spans ??= new SkippedSpans(NO_SPANS);
    this.#spans.next(position, reason);
    this.#punctuality?.letGo(position, reason, run.dueAtMs(position), run.isOfEarlierProcess(position), nowMs, wallMs);
    this.#skip(position, reason);
  }

  /** Skips an update that was started before. */
  #skipStarted(position: number, reason: SkipReason): void {
    this.#spans ??= new SkippedSpans(NO_SPANS);
    this.#spans.late(position, reason);
    this.#skip(position, reason);
  }

  #skip(position: number, reason: SkipReason): void {
    this.#meter.skipped(reason);
    if (this.#skipped === NOTHING_SKIPPED) this.#skipped = {};
    this.#skipped[reason] = (this.#skipped[reason] ?? 0) + 1;
    this.#host.recorder.skipped(this, this.#ledger, this.#feedOf(position));
  }

  #resume(pending: PendingUpdate): void {
    const delivery = this.#track(pending.position, pending.attemptsMade);
    if (pending.attemptsMade === 0) {
      this.#dueFirst.push(delivery);
      return;
    }
    // If the wall clock was set back in the meantime, the delay must not grow.
    const longestMs = retryDelayMs(pending.attemptsMade) ?? 0;
    const delayMs = Math.min(longestMs, Math.max(0, pending.dueAtMs - this.#host.clock.wallMs()));
    delivery.waiting(pending.dueAtMs);
    this.#host.wheel.start(delivery.timer, this.#host.clock.nowMs() + delayMs);
  }

  #connected(): Connections {
    const { origin } = this.endpoint.destination;
    const { webhookId } = this.endpoint.settings;
    if (this.#connections?.origin !== origin) {
      this.#disconnect();
      this.#connections = {
        origin,
        pool: this.#host.transport.connect(
          webhookId,
          origin,
          !this.#live || this.#host.liveToLocalhost,
          this.share.accountId,
        ),
      };
    }
    return this.#connections.pool;
  }

  /** Connects ahead of the first update, which would otherwise be late by a handshake (A8). */
  #warm(): void {
    const { settings, replayOnly, deleted } = this.endpoint;
    if (deleted || this.#refusing !== null || !settings.active || this.#breaker.open) return;
    if (this.#live && replayOnly && !this.#host.liveToLocalhost) return;
    if (this.#next >= this.run.end || !(this.run.order.allFeeds || settings.subscriptions.some(isActive))) return;
    const connections = this.#connected();
    connections.distanceMs = this.#cap.distanceMs;
    connections.warm(this.#cap.requestsAhead);
  }

  /** It stays behind what its audience has matched. */
  #leaveAudience(): void {
    if (this.#audience === null) return;
    this.#next = this.#nextToLookAt();
    this.#audiences.leave(this, this.#audience);
    this.#audience = null;
  }

  #disconnect(): void {
    this.#keepCap();
    this.#connections?.pool.close();
    this.#connections = null;
  }

  #endIfDone(): void {
    if (this.#next < this.run.end && !this.endpoint.deleted) return;
    if (this.#mailbox.length > 0 || this.#unsettled.length > 0) return;
    this.#ended = true;
    this.#leaveAudience();
    this.#disconnect();
    this.#host.recorder.closeLedger(this.#ledger);
    this.#host.recorder.note(this);
    this.#host.ended(this);
  }
}

function pendingUpdate({ position, attemptsMade, state }: Delivery): PendingUpdate {
  return { position, attemptsMade, dueAtMs: state.kind === 'waiting' ? state.untilMs : 0 };
}

function inOrder(a: PendingUpdate, b: PendingUpdate): number {
  return placeOf(a.position) - placeOf(b.position) || a.position - b.position;
}

function partOf({ parts }: Snapshots, number: number): SnapshotPart {
  const part = parts.find(({ feed }) => feed === snapshotFeed(number));
  assert(part !== undefined, 'A11: a feed with an update before a position has a snapshot there');
  return part;
}

function isActive({ active }: { readonly active: boolean }): boolean {
  return active;
}
