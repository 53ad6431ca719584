// Switches one receiver off in the middle of the replay and on again, to show that the service pauses it, probes it and
// resumes. It waits until updates flow: without attempts the service cannot notice that a receiver is down.

import type { RunStatus } from './api-client.ts';
import type { Participant } from './participant.ts';

const OUTAGE_MS = 10_000;
/** A shorter replay has no outage: there is no time for the service to notice it and recover. */
const REPLAY_MS_MIN = 20_000;
/** The outage starts between these two shares of the replay, and lasts at most the third. */
const EARLIEST = 0.3;
const LATEST = 0.6;
const LASTS_AT_MOST = 0.25;
/** Updates a second that the receiver must get before it goes down. */
const RATE_MIN = 10;
const RATE_WINDOW_MS = 1_000;

export class Outage {
  readonly #victim: Participant | null;
  readonly #plannedMs: number;
  readonly #lengthMs: number;
  #state: 'before' | 'down' | 'over' = 'before';
  #downAtMs = 0;
  #window = { fromMs: 0, received: 0 };
  #rate = 0;
  /** Whether the service was seen to pause the receiver. */
  breakerOpened = false;
  /** How long the receiver was down; null until the outage is over. */
  lastedMs: number | null = null;

  constructor(participants: readonly Participant[], plannedMs: number) {
    const long = plannedMs >= REPLAY_MS_MIN;
    this.#victim = long ? (participants.find(({ goesDown }) => goesDown) ?? null) : null;
    this.#plannedMs = plannedMs;
    this.#lengthMs = Math.min(OUTAGE_MS, plannedMs * LASTS_AT_MOST);
  }

  /** Notes from the run's status whether the service has paused the receiver. */
  watch(run: RunStatus): void {
    const endpoint = run.endpoints.find(({ webhookId }) => webhookId === this.#victim?.webhookId);
    if (this.#state !== 'before' && endpoint?.breaker === 'open') this.breakerOpened = true;
  }

  /** Switches the receiver off or on when it is time. Returns a line to show, or null. */
  async step(elapsedMs: number): Promise<string | null> {
    const victim = this.#victim;
    if (victim === null) return null;
    if (this.#state === 'before' && this.#isTime(victim, elapsedMs)) {
      this.#state = 'down';
      this.#downAtMs = elapsedMs;
      await victim.receiver.switchOff();
      return `receiver ${victim.number} is switched off: connections are refused`;
    }
    const downMs = elapsedMs - this.#downAtMs;
    // With few updates it takes longer until enough attempts have failed: then the receiver stays down twice as long.
    if (this.#state === 'down' && downMs >= (this.breakerOpened ? 1 : 2) * this.#lengthMs) {
      await this.end(elapsedMs);
      return `receiver ${victim.number} is back`;
    }
    return null;
  }

  /** Switches the receiver on again if it is off. */
  async end(elapsedMs: number): Promise<void> {
    if (this.#state !== 'down') return;
    this.#state = 'over';
    this.lastedMs = elapsedMs - this.#downAtMs;
    await this.#victim!.receiver.switchOn();
  }

  #isTime(victim: Participant, elapsedMs: number): boolean {
    const received = victim.receiver.received.size;
    const windowMs = elapsedMs - this.#window.fromMs;
    if (windowMs >= RATE_WINDOW_MS) {
      this.#rate = ((received - this.#window.received) * 1000) / windowMs;
      this.#window = { fromMs: elapsedMs, received };
    }
    const share = elapsedMs / this.#plannedMs;
    return share >= EARLIEST && share <= LATEST && this.#rate >= RATE_MIN;
  }
}
