// The files of Swagger UI, served from its package, so the documentation page loads nothing from other hosts. They are
// read when the service starts: two megabytes and a few milliseconds. Later, its folder may be gone.

import { readFileSync } from 'node:fs';

export interface PageFile {
  readonly contentType: string;
  readonly content: Uint8Array;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

export function swaggerUiFiles(): ReadonlyMap<string, PageFile> {
  return new Map(
    Object.entries(CONTENT_TYPES).map(([name, contentType]) => {
      const content = readFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)));
      return [name, { contentType, content }];
    }),
  );
}
