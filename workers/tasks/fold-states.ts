// A task for a thread: folds the states of a session. The thread keeps some of them between questions.

import { FoldingHere, type SnapshotQuestion, type StateQuestion } from '#api/states/state-folder.ts';
import type { Snapshots } from '#engine/timeline/snapshots.ts';

const folding = new FoldingHere();

export function foldStates(question: StateQuestion | SnapshotQuestion): Promise<string[] | Snapshots | null> {
  return 'feedIds' in question ? folding.fold(question) : folding.snapshots(question);
}
