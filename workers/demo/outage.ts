// One receiver goes down in the middle of the replay and comes back, to show that the service pauses it, looks after it and
// goes on.

import type { RunStatus } from './api-client.ts';
import type { Participant } from './participant.ts';

const OUTAGE_MS = 10_000;
/** A replay shorter than this has no outage: there would be no time to notice it and to come back. */
const OUTAGE_REPLAY_MS_MIN = 20_000;
/** When the outage begins, as a share of the replay, and the longest share that it may last. */
const OUTAGE_FROM = 0.3;
const OUTAGE_SHARE_MAX = 0.25;

export class Outage {
  readonly #victim: Participant | null;
  readonly #fromMs: number;
  readonly #untilMs: number;
  #state: 'before' | 'down' | 'over' = 'before';
  /** Whether the service was seen to pause the receiver. */
  breakerOpened = false;

  constructor(participants: readonly Participant[], plannedMs: number) {
    const long = plannedMs >= OUTAGE_REPLAY_MS_MIN;
    this.#victim = long ? (participants.find(({ goesDown }) => goesDown) ?? null) : null;
    this.#fromMs = plannedMs * OUTAGE_FROM;
    this.#untilMs = this.#fromMs + Math.min(OUTAGE_MS, plannedMs * OUTAGE_SHARE_MAX);
  }

  get lastedMs(): number | null {
    return this.#state === 'before' ? null : this.#untilMs - this.#fromMs;
  }

  watch(run: RunStatus): void {
    const endpoint = run.endpoints.find(({ webhookId }) => webhookId === this.#victim?.webhookId);
    if (this.#state !== 'before' && endpoint?.breaker === 'open') this.breakerOpened = true;
  }

  /** Switches the receiver when it is time; true when it did. */
  async step(elapsedMs: number): Promise<boolean> {
    if (this.#victim === null) return false;
    if (this.#state === 'before' && elapsedMs >= this.#fromMs) {
      this.#state = 'down';
      await this.#victim.receiver.switchOff();
      return true;
    }
    if (this.#state === 'down' && elapsedMs >= this.#untilMs) {
      await this.end();
      return true;
    }
    return false;
  }

  async end(): Promise<void> {
    if (this.#state !== 'down') return;
    this.#state = 'over';
    await this.#victim!.receiver.switchOn();
  }

  announcement(): string {
    const what = this.#state === 'down' ? 'is switched off: connections are refused' : 'is back';
    return `receiver ${this.#victim!.number} ${what}`;
  }
}
