// Decides when the TLS handshakes of a thread start. One costs as much CPU as dozens of requests. If every endpoint
// started all its handshakes at once, each would take as long as all of them together, attempts would exceed their
// deadlines, and handshakes would be thrown away shortly before they complete.
//
// TH1 At most HANDSHAKES_MAX handshakes hold a slot. Others wait; those that are no longer wanted never start.
// TH2 The first connection of every endpoint comes before a second one of any.
// TH3 A slot stands for work of this thread, so a handshake holds it for at most HANDSHAKE_SLOT_MS. Endpoints that are far
//     away, slow or hostile cannot keep others waiting.
// TH4 A further connection of a near endpoint starts only for a request that has waited FURTHER_CONNECTION_MS: usually a
//     connection becomes free sooner than a handshake would make one. The check runs at that interval, so it may take
//     twice as long. One of a far endpoint starts at once if the requests that wait gain by it: if those in use would take
//     longer than FAR_WAIT_MS for them, and longer than a new one takes to open.
// TH5 Endpoints whose last handshakes failed get one every SUSPECT_HANDSHAKE_MS between them, when the thread waits
//     (quiet-moment.ts): a handshake that fails costs as much CPU as one that succeeds, and they would repeat it for every
//     attempt.
// TH6 Accounts take turns, one handshake each, however many of their endpoints wait.
// TH7 A connection that is for later bursts alone starts when the thread waits, one each time. In the burst that showed the
//     need for it, it would come too late, and its handshake would delay the deliveries that are due.

import { FURTHER_CONNECTION_MS, HANDSHAKE_SLOT_MS, HANDSHAKES_MAX, SUSPECT_HANDSHAKE_MS } from '#engine/base/limits.ts';
import { atQuietMoment, type QuietClock } from './quiet-moment.ts';
import { SeekerQueue } from './seeker-queue.ts';

/** The connections of one endpoint, as the gate sees them. */
export interface HandshakeSeeker {
  /** The account of the endpoint. */
  readonly account: string;
  /** Whether it has no connection, open or being opened. */
  readonly unconnected: boolean;
  /** Whether its last handshakes failed. */
  readonly suspect: boolean;
  /** Whether it still wants a connection. */
  readonly seeking: boolean;
  /** When the request began to wait that the next connection is for; -Infinity if it is to start at once. */
  readonly waitingSinceMs: number;
  /** Whether the next connection is for later bursts alone (TH7). */
  readonly patient: boolean;
  /** Starts one connection and releases the slot when its handshake is over. */
  begin(slot: HandshakeSlot): void;
}

export class HandshakeSlot {
  readonly untilMs: number;
  readonly #gate: HandshakeGate;
  #held = true;

  constructor(gate: HandshakeGate, untilMs: number) {
    this.#gate = gate;
    this.untilMs = untilMs;
  }

  /** Safe to call again. */
  release(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#gate.released();
  }
}

export class HandshakeGate {
  readonly #clock: QuietClock;
  readonly #first = new SeekerQueue<HandshakeSeeker>();
  readonly #further = new SeekerQueue<HandshakeSeeker>();
  /** Those whose requests have not waited long enough for a further connection (TH4). */
  readonly #early = new Set<HandshakeSeeker>();
  /** Those whose next connection is for later bursts (TH7). */
  readonly #patient = new SeekerQueue<HandshakeSeeker>();
  readonly #suspects = new SeekerQueue<HandshakeSeeker>();
  /** When the next one of the suspects may start (TH5). */
  #suspectAtMs = 0;
  /** Oldest first. Some are released already. */
  readonly #slots: HandshakeSlot[] = [];
  #held = 0;
  #admitting = false;
  #isScheduled = false;
  #isRipening = false;
  #isPacing = false;
  #isQuiet = false;

  constructor(clock: QuietClock) {
    this.#clock = clock;
  }

  /** Calls `begin` of the seeker when it is its turn, perhaps at once, if it still wants a connection then. */
  seek(seeker: HandshakeSeeker): void {
    this.#queueOf(seeker).add(seeker);
    if (this.#early.size > 0) this.#ripen();
    this.#admit();
  }

  withdraw(seeker: HandshakeSeeker): void {
    this.#first.delete(seeker);
    this.#further.delete(seeker);
    this.#early.delete(seeker);
    this.#patient.delete(seeker);
    this.#suspects.delete(seeker);
  }

  /** Called by a slot. */
  released(): void {
    this.#held--;
    this.#admit();
  }

  #queueOf(seeker: HandshakeSeeker): SeekerQueue<HandshakeSeeker> | Set<HandshakeSeeker> {
    if (seeker.suspect) return this.#suspects;
    if (seeker.unconnected) return this.#first;
    if (seeker.patient) return this.#patient;
    if (this.#further.has(seeker)) return this.#further;
    return seeker.waitingSinceMs + FURTHER_CONNECTION_MS <= this.#clock.nowMs() ? this.#further : this.#early;
  }

  /** Gives those their turn, in time, whose requests have waited long enough. */
  #ripen(): void {
    if (this.#isRipening) return;
    this.#isRipening = true;
    this.#clock.schedule(FURTHER_CONNECTION_MS, () => {
      this.#isRipening = false;
      for (const seeker of this.#early) {
        const queue = this.#queueOf(seeker);
        if (seeker.seeking && queue === this.#early) continue;
        this.#early.delete(seeker);
        if (seeker.seeking) queue.add(seeker);
      }
      if (this.#early.size > 0) this.#ripen();
      this.#admit();
    });
  }

  #admit(): void {
    // A connection can fail inside `begin` and seek again.
    if (this.#admitting) return;
    this.#admitting = true;
    while (this.#held < HANDSHAKES_MAX) {
      const seeker = this.#first.take() ?? this.#nextFurther() ?? this.#nextAtQuietMoment();
      if (seeker === null) break;
      if (!seeker.seeking) continue;
      const slot = new HandshakeSlot(this, this.#clock.nowMs() + HANDSHAKE_SLOT_MS);
      this.#held++;
      this.#slots.push(slot);
      seeker.begin(slot);
      if (seeker.seeking) this.#queueOf(seeker).add(seeker);
    }
    if (this.#early.size > 0) this.#ripen();
    this.#admitting = false;
    this.#schedule();
  }

  #nextFurther(): HandshakeSeeker | null {
    for (let seeker = this.#further.take(); seeker !== null; seeker = this.#further.take()) {
      if (!seeker.patient) return seeker;
      // The requests that it was for have been sent meanwhile.
      this.#patient.add(seeker);
    }
    return null;
  }

  /** One of those that wait for a quiet moment, if this is one (TH5, TH7). */
  #nextAtQuietMoment(): HandshakeSeeker | null {
    if (this.#isQuiet) {
      const nowMs = this.#clock.nowMs();
      const suspect = nowMs >= this.#suspectAtMs ? takeSeeking(this.#suspects) : null;
      if (suspect !== null) this.#suspectAtMs = nowMs + SUSPECT_HANDSHAKE_MS;
      const seeker = suspect ?? takeSeeking(this.#patient);
      if (seeker !== null) {
        this.#isQuiet = false;
        return seeker;
      }
    }
    if (!this.#patient.isEmpty || !this.#suspects.isEmpty) this.#pace();
    return null;
  }

  /** Admits one of them at the next quiet moment. */
  #pace(): void {
    if (this.#isPacing) return;
    this.#isPacing = true;
    const delayMs = this.#patient.isEmpty ? Math.max(0, this.#suspectAtMs - this.#clock.nowMs()) : 0;
    this.#clock.schedule(delayMs, () =>
      atQuietMoment(this.#clock, () => {
        this.#isPacing = false;
        this.#isQuiet = true;
        this.#admit();
        this.#isQuiet = false;
      }),
    );
  }

  #schedule(): void {
    const oldest = this.#slots[0];
    if (this.#isScheduled || oldest === undefined) return;
    this.#isScheduled = true;
    this.#clock.schedule(oldest.untilMs - this.#clock.nowMs(), () => {
      this.#isScheduled = false;
      const nowMs = this.#clock.nowMs();
      const over = this.#slots.findIndex(({ untilMs }) => untilMs > nowMs);
      for (const slot of this.#slots.splice(0, over === -1 ? this.#slots.length : over)) slot.release();
      this.#schedule();
    });
  }
}

/** Takes the next one that still wants a connection; null when there is none. */
function takeSeeking(queue: SeekerQueue<HandshakeSeeker>): HandshakeSeeker | null {
  for (let seeker = queue.take(); seeker !== null; seeker = queue.take()) if (seeker.seeking) return seeker;
  return null;
}
