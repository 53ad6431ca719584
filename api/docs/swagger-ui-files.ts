// The files of Swagger UI, served from its package, so the documentation page loads nothing from other hosts.

import { readFile } from 'node:fs/promises';

export interface PageFile {
  readonly contentType: string;
  readonly content: Uint8Array;
}

const CONTENT_TYPES = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

export class SwaggerUiFiles {
  /** Two megabytes that most processes never need, so they are read on first use and kept. */
  readonly #read = new Map<string, Promise<Uint8Array>>();

  /** Null if the page has no such file. */
  async file(name: string): Promise<PageFile | null> {
    const contentType = CONTENT_TYPES.get(name);
    if (contentType === undefined) return null;
    let content = this.#read.get(name);
    if (content === undefined) {
      content = readFile(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)));
      this.#read.set(name, content);
    }
    return { contentType, content: await content };
  }
}
