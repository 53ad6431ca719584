import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as clientBounds from '#api/client/bounds.ts';
import * as limits from '#engine/base/limits.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LIMITS = 'engine/base/limits.ts';
const sources = new Map(
  globSync('{engine,api,workers}/**/*.ts', { cwd: ROOT })
    .filter((file) => file !== LIMITS)
    .map((file) => [file, readFileSync(`${ROOT}${file}`, 'utf8')]),
);
/** As in DEADLINE_MS or RECORD_BATCH_ATTEMPTS: a unit of measure, or what is counted. */
const UNITS = ['MS', 'S', 'DAYS', 'BYTES', 'CHARS', 'ATTEMPTS', 'ACTORS', 'ROWS', 'SLOTS'];

test('every limit is used: the service or a command imports it', () => {
  const imported = new Set(
    [...sources.values()].flatMap((source) =>
      [...source.matchAll(/^import \{([^}]*)\} from '[^']*\/limits\.ts';/gm)].flatMap(([, names]) =>
        names!.split(',').map((name) => name.trim()),
      ),
    ),
  );
  assert.deepEqual(
    Object.keys(limits).filter((name) => !imported.has(name)),
    [],
  );
});

test('the name of every limit, and of every bound of the client, ends with its unit, _MAX or _MIN', () => {
  const named = new RegExp(`_(?:${UNITS.join('|')}|MAX|MIN)$`);
  assert.deepEqual(
    Object.keys({ ...limits, ...clientBounds }).filter((name) => !named.test(name)),
    [],
  );
});

test('no cache, pool, retry or timeout has an inline number as its bound', () => {
  const bare = /\b(?:max\w*|limit|retries|timeout|\w+Timeout)\b: *(?:[2-9]|\d[\d_]+)|AbortSignal\.timeout\(\d/g;
  const wrong = [...sources].flatMap(([file, source]) =>
    [...source.matchAll(bare)].map(([text]) => `${file}: ${text}`),
  );
  // A filter, as a customer writes it.
  assert.deepEqual(wrong, ['workers/demo/wishes.ts: max: 3']);
});
