// A stream of the demo's replay, beside its webhooks. It must have every update once and in order, with the very bytes that the
// receivers got.

import { BodyDigests } from './body-digests.ts';

export interface StreamedUpdate {
  readonly sequence: number;
  /** The body of the webhook. */
  readonly body: Uint8Array;
}

/** What a stream had at the end of the replay. */
export interface StreamFigures {
  readonly protocol: string;
  /** The sequence of its last update; 0: it had none. */
  readonly last: number;
  /** Updates that did not follow the one before. */
  readonly disordered: number;
  /** Bodies that a receiver got otherwise, summed over receivers. */
  readonly different: number;
  /** Null: it ended as it should. */
  readonly failure: string | null;
}

export class FollowedStream {
  readonly #protocol: string;
  readonly #bodies = new BodyDigests();
  #last = 0;
  #disordered = 0;
  #failure: string | null = 'it is still open';
  /** Resolves when the stream is over, in whatever way. */
  readonly ended: Promise<void>;

  constructor(protocol: string, updates: AsyncIterable<StreamedUpdate>) {
    this.#protocol = protocol;
    this.ended = this.#follow(updates);
  }

  /** `received`: what each receiver got. */
  figures(received: readonly BodyDigests[]): StreamFigures {
    return {
      protocol: this.#protocol,
      last: this.#last,
      disordered: this.#disordered,
      different: received.reduce((sum, bodies) => sum + bodies.differing(this.#bodies, this.#last), 0),
      failure: this.#failure,
    };
  }

  async #follow(updates: AsyncIterable<StreamedUpdate>): Promise<void> {
    try {
      for await (const { sequence, body } of updates) {
        if (sequence !== this.#last + 1) this.#disordered++;
        this.#last = sequence;
        this.#bodies.add(sequence, body);
      }
      this.#failure = null;
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
    }
  }
}

/**
 * The problems of the streams. `updates`: how many they should have had; null: the replay was stopped, and nobody knows at which
 * update.
 */
export function streamProblems(streams: readonly StreamFigures[], updates: number | null): string[] {
  return streams.flatMap(({ protocol, last, disordered, different, failure }) => {
    const problems: string[] = [];
    if (failure !== null) problems.push(`did not end as it should: ${failure}`);
    if (updates === null ? last === 0 : last !== updates) problems.push(`ended with update ${last}`);
    if (disordered > 0) problems.push(`${disordered} updates were out of order, lost or came twice`);
    if (different > 0) problems.push(`${different} bodies were not those of the webhooks`);
    return problems.map((problem) => `stream over ${protocol}: ${problem}`);
  });
}
