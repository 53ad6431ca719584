// The digest of a timeline, which covers all of its content.

import { createHash } from 'node:crypto';
import { COLUMNS } from '#engine/timeline/artifact-format.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';

const HEX_DIGITS = 16;

/** Returns the digest of the timeline's description and of every column, bodies included. */
export function timelineDigest({ info, columns }: Timeline): string {
  const hash = createHash('sha256').update(JSON.stringify(info));
  for (const [name] of COLUMNS) {
    const { buffer, byteOffset, byteLength } = columns[name];
    hash.update(`\n${name} ${byteLength}\n`).update(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return hash.digest('hex').slice(0, HEX_DIGITS);
}
