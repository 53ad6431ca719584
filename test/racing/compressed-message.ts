// Messages of the `.z` topics, as the upstream sends them.

import { deflateRawSync } from 'node:zlib';

/** The JSON text of a message of a `.z` topic that says this. */
export function compressed(text: string): string {
  return JSON.stringify(deflateRawSync(text).toString('base64'));
}
