// What the layout promises, checked on the files themselves.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { STAGES } from '#engine/stages.ts';
import { UPSTREAM_TOPICS } from '#schemas/upstream/topics.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const files = globSync('{schemas,engine,api,workers,bench}/**/*.ts', { cwd: ROOT });
const source = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8');

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  engine: ['schemas', 'engine'],
  api: ['schemas', 'engine', 'api'],
  workers: ['schemas', 'engine', 'api', 'workers'],
  bench: ['schemas', 'engine', 'api', 'workers'],
};

test('imports go schemas <- engine <- api <- workers; schemas take types only', () => {
  const wrong: string[] = [];
  for (const file of files) {
    const folder = file.split('/')[0]!;
    for (const [statement, target] of source(file).matchAll(/^import [^;]*?from '#(\w+)\/[^']*'/gms)) {
      const typeOnly = statement.startsWith('import type');
      const allowed = folder === 'schemas' ? target === 'schemas' || typeOnly : MAY_IMPORT[folder]!.includes(target!);
      if (!allowed) wrong.push(`${file} imports ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('a file named after a technology is the only kind that imports it', () => {
  const named: Readonly<Record<string, RegExp>> = {
    undici: /undici/,
    piscina: /piscina/,
    stripe: /stripe/,
    postgres: /postgres/,
    yauzl: /yauzl/,
    nodemailer: /nodemailer/,
    'nodemailer/lib/mail-composer': /nodemailer/,
    '@node-rs/argon2': /argon2/,
    'uWebSockets.js': /uws|receiver|bare-server/,
    '@microsoft/signalr': /signalr/,
    ws: /signalr/,
    'prom-client': /metrics/,
    uplot: /uplot/,
    bullmq: /bullmq/,
    'graphile-worker': /graphile-worker/,
    tinybench: /tinybench/,
  };
  const wrong = files.flatMap((file) =>
    Object.entries(named)
      .filter(([library, name]) => source(file).includes(`from '${library}'`) && !name.test(file))
      .map(([library]) => `${file} imports ${library}`),
  );
  assert.deepEqual(wrong, []);
});

test('delivery logic reads no clock, rolls no dice and sets no timer of its own', () => {
  const logic = /^engine\/(actor|endpoint|filter|mailbox|retry|replay|record|session|sign|timeline|usage|cluster)\//;
  const ambient = /\b(Date\.now|performance\.now|Math\.random|setTimeout|setInterval|setImmediate)\b/;
  const wrong = files.filter((file) => logic.test(file) && ambient.test(source(file)));
  assert.deepEqual(wrong, []);
});

test('a second series is a table and a schema: nothing else in the engine names it', () => {
  const wrong = files.filter((file) => file.startsWith('engine/') && /karting/i.test(source(file)));
  assert.deepEqual(wrong, ['engine/session/series/karting.ts', 'engine/session/series/known-series.ts']);
});

test('the topics of live timing are named only where its series, its formats and its source are', () => {
  const topics = UPSTREAM_TOPICS.map((topic) => topic.replace('.', '\\.')).join('|');
  const named = new RegExp(`['"\`](?:${topics})['"\`]`);
  const own = [
    /^engine\/session\/(normalise|race-events)\//,
    /^engine\/session\/series\/f1/,
    /^engine\/session\/outcome\/f1-outcome\.ts$/,
    /^engine\/analytics\/(race-picture|qualifying-picture|f1-analytics|championship-points)\.ts$/,
    /^engine\/source\//,
    /^engine\/live\/live-follower\.ts$/,
    /^schemas\/upstream\//,
  ];
  // The name of a feed; an example in a help text.
  const alike = ['schemas/webhook/feeds.ts', 'workers/admin/import-recording.ts'];
  const wrong = files.filter(
    (file) =>
      !file.startsWith('bench/') &&
      named.test(source(file)) &&
      !own.some((path) => path.test(file)) &&
      !alike.includes(file),
  );
  assert.deepEqual(wrong, []);
});

test('no URL is judged by URL.canParse, which refuses letters beyond ASCII once the runtime has compiled a call of it', () => {
  assert.deepEqual(
    files.filter((file) => source(file).includes('URL.canParse(')),
    [],
  );
});

test('the actor waits for nothing: no await where turns are taken', () => {
  for (const file of files.filter((name) => /^engine\/(actor|endpoint|mailbox|retry|replay)\//.test(name))) {
    assert.doesNotMatch(source(file), /\bawait\b/, file);
  }
});

test('the README shows the way of an update in the words of the code', () => {
  const readme = source('README.md').replaceAll(/\s+/g, ' ');
  assert.ok(readme.includes(STAGES.join(' -> ')));
});
