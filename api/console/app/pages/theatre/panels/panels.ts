import type { Panel } from '../show/fold.ts';

export function makePanels(): readonly Panel[] {
  return [];
}
