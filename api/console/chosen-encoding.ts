// A file of a page in the best encoding that a browser takes.

import type { ConsoleFile } from './esbuild-console.ts';

export interface EncodedFile {
  readonly content: Uint8Array;
  readonly encoding?: 'br' | 'gzip';
}

/** `accepted`: the header Accept-Encoding. */
export function chosenEncoding(file: ConsoleFile, accepted: string): EncodedFile {
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : null;
  return encoding === null ? { content: file.plain } : { content: file[encoding], encoding };
}
