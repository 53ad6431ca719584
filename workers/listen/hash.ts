// `hash` of node:crypto, for Node 18 and early versions of Node 20, which lack it. In the package the files that import it
// get this one (workers/client/client-program.ts).

import crypto from 'node:crypto';

type Encoding = crypto.BinaryToTextEncoding | 'buffer';

export const hash = crypto.hash ?? inTwoCalls;

export function inTwoCalls(algorithm: string, data: crypto.BinaryLike, encoding: Encoding = 'hex'): string | Buffer {
  const hash = crypto.createHash(algorithm).update(data);
  return encoding === 'buffer' ? hash.digest() : hash.digest(encoding);
}
