// The memory of this process after a garbage collection.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface CollectedMemory {
  readonly rssBytes: number;
  /** Heap and external memory in use. Memory of OpenSSL is in neither, so it shows in `rssBytes` only. */
  readonly heldBytes: number;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
/** What a collection frees may hold on to something that only the next one frees. */
const COLLECTIONS = 3;

export async function collectedMemory(): Promise<CollectedMemory> {
  for (let i = 0; i < COLLECTIONS; i++) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rssBytes: rss, heldBytes: heapUsed + external };
}
