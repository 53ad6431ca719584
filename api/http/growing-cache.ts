// A bounded cache of the entries used last that takes memory for those it holds. Given `max`, lru-cache takes the memory
// of all of them at once: 2 MB and 10 ms for 100,000 entries, for each cache and at every start.

import { LRUCache } from 'lru-cache';

export function growingCache<Value extends object>(entriesMax: number): LRUCache<string, Value> {
  return new LRUCache({ maxSize: entriesMax, sizeCalculation: () => 1 });
}
