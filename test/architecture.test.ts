// What the layout promises, checked on the files themselves.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { STAGES } from '#engine/base/stages.ts';
import { UPSTREAM_TOPICS } from '#schemas/upstream/topics.ts';
import { circles, graphOf, importGraph, roomArrows } from './support/import-graph.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const graph = importGraph(['schemas', 'engine', 'api', 'workers', 'bench']);
const { files } = graph;
const source = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8');

/** Whose folder may import from which. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  schemas: ['schemas'],
  engine: ['schemas', 'engine'],
  api: ['schemas', 'engine', 'api'],
  workers: ['schemas', 'engine', 'api', 'workers'],
  bench: ['schemas', 'engine', 'api', 'workers', 'bench'],
};

/** The rooms of the engine, and what each may use of the others. Racing and delivery know each other through the timeline only. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  timeline: ['base'],
  storage: ['base'],
  racing: ['base', 'timeline'],
  delivery: ['base', 'timeline', 'storage'],
  intake: ['base', 'timeline', 'storage', 'racing'],
  seasons: ['base', 'storage', 'racing', 'intake'],
};

test('imports go schemas <- engine <- api <- workers', () => {
  const folder = (file: string): string => file.split('/')[0]!;
  const wrong = graph.imports.filter(({ from, to }) => !FOLDERS[folder(from)]!.includes(folder(to)));
  assert.deepEqual(wrong, []);
});

test('the engine is seven rooms; racing and delivery know each other through the timeline only', () => {
  const arrows = Object.entries(ROOMS).flatMap(([room, used]) =>
    used.map((other) => `engine/${room} -> engine/${other}`),
  );
  assert.deepEqual([...roomArrows(graph, 'engine').keys()].sort(), arrows.sort());
});

test('every file of the engine is in a room, whose README says in one sentence what it is for', () => {
  assert.deepEqual(
    files.filter((file) => file.startsWith('engine/') && !(file.split('/')[1]! in ROOMS)),
    [],
  );
  for (const room of Object.keys(ROOMS)) {
    assert.match(source(`engine/${room}/README.md`), /^[A-Z][^.]+\.\n$/, room);
  }
});

test('files at the head of racing and of delivery are the words of the room: they use none of its folders', () => {
  const wrong = graph.imports.filter(({ from, to }) => {
    const [, room] = /^(engine\/(?:racing|delivery)\/)[^/]+\.ts$/.exec(from) ?? [];
    return room !== undefined && to.startsWith(room) && to.slice(room.length).includes('/');
  });
  assert.deepEqual(wrong, []);
});

test('no circle of files or folders, at any level, with imports of types', () => {
  assert.deepEqual(circles(graph), []);
});

test('a circle is found, whether of files, of folders, or through a type', () => {
  const texts = (...entries: readonly (readonly [string, string])[]) => circles(graphOf(new Map(entries)));
  assert.deepEqual(texts(['a/x.ts', "import './y.ts';"], ['a/y.ts', "import type { X } from './x.ts';"]), [
    ['a/x.ts', 'a/y.ts'],
  ]);
  assert.deepEqual(
    texts(
      ['a/b/x.ts', "import { y } from '#a/c/y.ts';"],
      ['a/c/y.ts', ''],
      ['a/c/z.ts', "const w = await import('../b/w.ts');"],
      ['a/b/w.ts', ''],
    ),
    [['a/b', 'a/c']],
  );
  assert.deepEqual(texts(['a/x.ts', "import './y.ts';"], ['a/y.ts', ''], ['b/z.ts', "import '#a/x.ts';"]), []);
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
  const logic = /^engine\/(racing|timeline|delivery\/(?!transport))/;
  const ambient = /\b(Date\.now|performance\.now|Math\.random|setTimeout|setInterval|setImmediate)\b/;
  const wrong = files.filter((file) => logic.test(file) && ambient.test(source(file)));
  assert.deepEqual(wrong, []);
});

test('a second series is a table and a schema: nothing else in the engine names it', () => {
  const wrong = files.filter((file) => file.startsWith('engine/') && /karting/i.test(source(file)));
  assert.deepEqual(wrong, ['engine/racing/series/karting.ts', 'engine/racing/series/known-series.ts']);
});

test('the topics of live timing are named only where its series, its formats and its source are', () => {
  const topics = UPSTREAM_TOPICS.map((topic) => topic.replace('.', '\\.')).join('|');
  const named = new RegExp(`['"\`](?:${topics})['"\`]`);
  const own = [
    /^engine\/racing\/(normalise|race-events)\//,
    /^engine\/racing\/series\/f1/,
    /^engine\/racing\/outcome\/f1-outcome\.ts$/,
    /^engine\/racing\/analytics\/(race-picture|qualifying-picture|f1-analytics|championship-points)\.ts$/,
    /^engine\/intake\/source\//,
    /^engine\/intake\/live\/f1-live-follower\.ts$/,
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
  for (const file of files.filter((name) => /^engine\/delivery\/(shard|endpoint|run)\//.test(name))) {
    assert.doesNotMatch(source(file), /\bawait\b/, file);
  }
});

test('the README shows the way of an update in the words of the code', () => {
  const readme = source('README.md').replaceAll(/\s+/g, ' ');
  assert.ok(readme.includes(STAGES.join(' -> ')));
});
