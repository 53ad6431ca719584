// What an endpoint costs while nothing is due: a real shard with so many endpoints in a run that begins in an hour, in
// a process of its own (idle-actors-process.ts) whose garbage can be collected on demand.

import { fork } from 'node:child_process';
import { once } from 'node:events';

export interface IdleActors {
  /** Growth for each endpoint, bytes: of the collected heap with what it holds outside, and of the process's memory. */
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** Growth of the heap by kind of object, largest first; what is less than a byte for each endpoint is left out. */
  readonly kinds: readonly { readonly name: string; readonly count: number; readonly bytes: number }[];
}

/** New objects would otherwise lie in tens of MiB that are resident and belong to nobody. */
const FLAGS = ['--expose-gc', '--max-semi-space-size=1'];

export async function measureIdleActors(endpoints: number): Promise<IdleActors> {
  const child = fork(new URL('./idle-actors-process.ts', import.meta.url), [String(endpoints)], { execArgv: FLAGS });
  let answer: IdleActors | undefined;
  child.once('message', (message) => {
    answer = message as IdleActors;
  });
  await once(child, 'exit');
  if (answer === undefined) throw new Error('the process with the idle shard ended without an answer');
  return answer;
}
