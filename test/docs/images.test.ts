// The pictures of the documents: each is shown, says what is seen on it, and is small.

import assert from 'node:assert/strict';
import { globSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { documentPaths, prose, ROOT, read } from './documents.ts';

/** Of all pictures together: a clone and a bundle have them. */
const IMAGES_BYTES_MAX = 1_500_000;

interface Image {
  readonly document: string;
  readonly alt: string;
  /** Relative to the project's folder. */
  readonly path: string;
}

const images: readonly Image[] = documentPaths().flatMap((document) => {
  const text = prose(read(document));
  const written = [...text.matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g)].map(([, alt, target]) => ({ alt, target }));
  const tags = [...text.matchAll(/<img\b[^>]*>/g)].map(([tag]) => ({
    alt: /\balt="([^"]*)"/.exec(tag)?.[1],
    target: /\bsrc="([^"]*)"/.exec(tag)?.[1],
  }));
  return [...written, ...tags].map(({ alt, target }) => ({
    document,
    alt: alt ?? '',
    path: join(dirname(document), target ?? ''),
  }));
});
const files = globSync('docs/images/*', { cwd: ROOT });

test('every picture that a document shows is there, and every picture is shown', () => {
  assert.deepEqual([...new Set(images.map(({ path }) => path))].sort(), files.sort());
});

test('every picture says in words what is seen', () => {
  assert.deepEqual(
    images.filter(({ alt }) => alt.split(' ').length < 5),
    [],
  );
});

test(`the pictures have at most ${IMAGES_BYTES_MAX} bytes`, () => {
  const bytes = files.reduce((sum, file) => sum + statSync(join(ROOT, file)).size, 0);
  assert.ok(bytes <= IMAGES_BYTES_MAX, `${bytes} bytes`);
});
