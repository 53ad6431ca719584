// Measures the memory of an endpoint while nothing is due: a real shard with many endpoints in a run that begins in an
// hour, in its own process (idle-actors-process.ts), which can collect garbage on demand.

import { fork } from 'node:child_process';
import { once } from 'node:events';

export interface IdleActors {
  /**
   * Growth per endpoint in bytes, after garbage collection: of the heap with its external memory, and of the process.
   */
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** Growth of the heap per endpoint by kind of object, largest first; kinds below one byte are omitted. */
  readonly kinds: readonly { readonly name: string; readonly count: number; readonly bytes: number }[];
}

/** A larger semi-space would add tens of MiB of resident memory that holds no live objects. */
const FLAGS = ['--expose-gc', '--max-semi-space-size=1'];

export async function measureIdleActors(endpoints: number): Promise<IdleActors> {
  const child = fork(new URL('./idle-actors-process.ts', import.meta.url), [String(endpoints)], { execArgv: FLAGS });
  let result: IdleActors | undefined;
  child.once('message', (message) => {
    result = message as IdleActors;
  });
  await once(child, 'exit');
  if (result === undefined) throw new Error('the process with the idle shard exited without a result');
  return result;
}
