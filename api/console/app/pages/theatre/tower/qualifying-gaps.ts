// The gaps of one driver in each part of qualifying. States name all parts at once, those to come as well, and updates
// correct earlier ones: the last part that was named need not be the one that is driven.

import type { TimingDataPayload } from '#api/client/payloads.ts';

type PartSaid = NonNullable<TimingDataPayload['drivers'][number]['qualifyingParts']>[number];
type GapSaid = NonNullable<PartSaid['gapToFastest']>;

/** Further parts are not kept. */
const PARTS_MAX = 8;

export interface PartGaps {
  readonly toFastest: GapSaid | null;
  readonly toAhead: GapSaid | null;
}

const NONE: PartGaps = { toFastest: null, toAhead: null };

export class QualifyingGaps {
  /** By part, from 1. */
  readonly #parts: PartGaps[] = [];

  take(said: readonly PartSaid[]): void {
    for (const { part, gapToFastest, gapToAhead } of said) {
      if (part < 1 || part > PARTS_MAX) continue;
      const before = this.#parts[part] ?? NONE;
      this.#parts[part] = {
        toFastest: gapToFastest === undefined ? before.toFastest : gapToFastest,
        toAhead: gapToAhead === undefined ? before.toAhead : gapToAhead,
      };
    }
  }

  /** Of the part that is driven; of somebody who is out, of the last one in which he had a gap. */
  shown(part: number, isOut: boolean): PartGaps {
    if (!isOut) return this.#parts[part] ?? NONE;
    return this.#parts.findLast((gaps) => gaps?.toFastest != null) ?? NONE;
  }
}
