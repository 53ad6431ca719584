// A fault of a cluster: what is done, and how it is judged.

import type { StageOptions } from './stage.ts';

export interface CaseOptions extends Omit<StageOptions, 'hasLinks'> {
  readonly progress: (line: string) => void;
}

export interface Outcome {
  readonly figures: Readonly<Record<string, number>>;
  /** What should not be. */
  readonly problems: readonly string[];
}

export interface FaultCase {
  /** One line for the list. */
  readonly summary: string;
  readonly run: (options: CaseOptions) => Promise<Outcome>;
}
