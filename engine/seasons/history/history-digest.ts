// The digest of a history. The same content has the same digest, whatever release or file it came from.

import { createHash } from 'node:crypto';
import type { History } from './history.ts';

/** SHA-256 in hexadecimal. */
export function historyDigest(history: History): string {
  const { circuits, drivers, constructors, entries, weekends } = history;
  const content = [[...circuits.values()], [...drivers.values()], [...constructors.values()], entries, weekends];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
