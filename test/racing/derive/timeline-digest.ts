// A timeline as one short text: everything that it tells is in it.

import { createHash } from 'node:crypto';
import { COLUMNS } from '#engine/timeline/artifact-format.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';

const HEX_DIGITS = 16;

/** Of what describes it, and of every column, the bodies included. */
export function timelineDigest({ info, columns }: Timeline): string {
  const hash = createHash('sha256').update(JSON.stringify(info));
  for (const [name] of COLUMNS) {
    const { buffer, byteOffset, byteLength } = columns[name];
    hash.update(`\n${name} ${byteLength}\n`).update(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return hash.digest('hex').slice(0, HEX_DIGITS);
}
