// Messages of the `.z` topics, as the upstream sends them.

import { deflateRawSync } from 'node:zlib';

/** Returns the JSON text of a `.z` message with this content. */
export function compressed(text: string): string {
  return JSON.stringify(deflateRawSync(text).toString('base64'));
}
