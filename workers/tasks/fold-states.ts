// A task for a thread: folds the states of a session. The thread keeps some of them between questions.

import { FoldingHere, type StateQuestion } from '#api/sessions/state-folder.ts';

const folding = new FoldingHere();

export function foldStates(question: StateQuestion): Promise<string[] | null> {
  return folding.fold(question);
}
