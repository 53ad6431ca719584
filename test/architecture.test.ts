// Checks the rules of the layout on the files themselves.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { STAGES } from '#engine/base/stages.ts';
import { UPSTREAM_TOPICS } from '#schemas/upstream/topics.ts';
import { circles, graphOf, importGraph, resolvedImport, roomArrows } from './support/import-graph.ts';
import { machineReads } from './support/machine-reads.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const graph = importGraph(['schemas', 'engine', 'api', 'workers', 'bench']);
const { files } = graph;
const source = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8');

/** The folders from which each folder may import. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  schemas: ['schemas'],
  engine: ['schemas', 'engine'],
  api: ['schemas', 'engine', 'api'],
  workers: ['schemas', 'engine', 'api', 'workers'],
  bench: ['schemas', 'engine', 'api', 'workers', 'bench'],
};

/** The rooms of the engine, and which others each may use. Racing and delivery share only the timeline. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  timeline: ['base'],
  storage: ['base'],
  racing: ['base', 'timeline'],
  delivery: ['base', 'timeline', 'storage'],
  intake: ['base', 'timeline', 'storage', 'racing'],
  nodes: ['base', 'delivery', 'storage'],
  seasons: ['base', 'storage', 'racing', 'intake'],
};

test('imports go schemas <- engine <- api <- workers', () => {
  const folder = (file: string): string => file.split('/')[0]!;
  const wrong = graph.imports.filter(({ from, to }) => !FOLDERS[folder(from)]!.includes(folder(to)));
  assert.deepEqual(wrong, []);
});

test('the client, which runs in programs of customers, uses no other part of the project and no package', () => {
  const own = files.filter((file) => file.startsWith('api/client/'));
  const imported = own.flatMap((file) =>
    [...source(file).matchAll(/\b(?:from|import) '([^']+)'/g)].map(([, name]) => ({ file, name: name! })),
  );
  assert.ok(imported.length > 10);
  assert.deepEqual(
    imported.filter(({ name }) => !/^(?:\.\/[\w-]+\.ts|node:crypto)$/.test(name)),
    [],
  );
});

test('the engine has eight rooms; racing and delivery share only the timeline', () => {
  const arrows = Object.entries(ROOMS).flatMap(([room, used]) =>
    used.map((other) => `engine/${room} -> engine/${other}`),
  );
  assert.deepEqual([...roomArrows(graph, 'engine').keys()].sort(), arrows.sort());
});

test('every file of the engine is in a room, and each room has a README of one sentence', () => {
  assert.deepEqual(
    files.filter((file) => file.startsWith('engine/') && !(file.split('/')[1]! in ROOMS)),
    [],
  );
  for (const room of Object.keys(ROOMS)) {
    assert.match(source(`engine/${room}/README.md`), /^[A-Z][^.]+\.\n$/, room);
  }
});

test('files at the top of racing and of delivery use none of the folders below them', () => {
  const wrong = graph.imports.filter(({ from, to }) => {
    const [, room] = /^(engine\/(?:racing|delivery)\/)[^/]+\.ts$/.exec(from) ?? [];
    return room !== undefined && to.startsWith(room) && to.slice(room.length).includes('/');
  });
  assert.deepEqual(wrong, []);
});

test('there is no import circle of files or folders at any level, type imports included', () => {
  assert.deepEqual(circles(graph), []);
});

test('a circle of files, of folders or through a type import is found', () => {
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

test('only files named after a technology import it', () => {
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
    pkijs: /pkijs/,
    asn1js: /pkijs/,
    uplot: /uplot/,
    bullmq: /bullmq/,
    'graphile-worker': /graphile-worker/,
    tinybench: /tinybench/,
    marked: /marked/,
    '@grpc/grpc-js': /grpc/,
    '@grpc/proto-loader': /grpc/,
    '@grpc/reflection': /grpc/,
    'grpc-health-check': /grpc/,
    '@modelcontextprotocol/server': /mcp-server/,
    '@modelcontextprotocol/server/stdio': /mcp-server/,
  };
  const wrong = files.flatMap((file) =>
    Object.entries(named)
      .filter(([library, name]) => source(file).includes(`from '${library}'`) && !name.test(file))
      .map(([library]) => `${file} imports ${library}`),
  );
  assert.deepEqual(wrong, []);
});

/** The only files of the engine that may read the machine's clock or random numbers. */
const READERS = ['engine/base/clock.ts', 'engine/base/random.ts'];
/** The platform's own timeout of a socket. It restarts at each byte, which a timer of ours would have to do as well. */
const SOCKET_TIMEOUTS: ReadonlyMap<string, RegExp> = new Map([
  ['engine/delivery/transport/http-connection.ts', /^this\.#socket\.setTimeout\(\w+\);$/],
  ['engine/delivery/transport/sockets.ts', /^setTimeout\(idleMs: number\): unknown;$/],
]);

test('the engine gets its clock, timers and random numbers as parameters: only two files read the machine', () => {
  const wrong = files
    .filter((file) => file.startsWith('engine/') && !READERS.includes(file))
    .flatMap((file) =>
      machineReads(source(file))
        .filter(({ text }) => SOCKET_TIMEOUTS.get(file)?.test(text) !== true)
        .map(({ line, text }) => `${file}:${line} ${text}`),
    );
  assert.deepEqual(wrong, []);
});

test('every form of reading the machine is found', () => {
  const reads = [
    'const now = Date.now();',
    'const now = new Date();',
    'const now = new Date;',
    'const now = Date();',
    'const nowMs = performance.now();',
    'const began = process.hrtime.bigint();',
    "import { uptime } from 'node:os';",
    'setTimeout(look, 5);',
    'const timer = globalThis.setInterval(look, 5);',
    'setImmediate(look);',
    "import { setTimeout as sleep } from 'node:timers/promises';",
    "import * as timers from 'node:timers';",
    "const { performance: p } = await import('node:perf_hooks');",
    'signal: AbortSignal.timeout(5),',
    'Atomics.wait(cell, 0, 0, 5);',
    'const chance = Math.random();',
    'const { random } = Math;',
    'const { now } = globalThis.performance;',
    "import { createHash, randomUUID } from 'node:crypto';",
    "import { randomBytes as bytes } from 'node:crypto';",
    "import { randomInt } from 'crypto';",
    "import * as library from 'node:crypto';",
    "const { generateKeySync } = await import('node:crypto');",
    'const id = crypto.randomUUID();',
    'globalThis.crypto.getRandomValues(bytes);',
    "import { systemClock } from '#engine/base/clock.ts';",
    'randomBytes: RandomBytes = systemRandomBytes,',
  ];
  for (const text of reads) assert.deepEqual(machineReads(`\n\n  ${text}\n`), [{ line: 3, text }]);
  assert.deepEqual(machineReads("import {\n  createHash,\n  randomInt,\n} from 'node:crypto';\n").length, 1);
  const others = [
    "import { createHash, hkdfSync as derive } from 'node:crypto';",
    "import { raceScores } from './performance.ts';",
    'const day = new Date(ms).toISOString();',
    'const ms = Date.parse(text) - Date.UTC(2026, 0, 1);',
    'await clock.sleep(5);',
    'const nonce = this.#randomBytes(12);',
  ];
  for (const text of others) assert.deepEqual(machineReads(text), [], text);
});

test('a second series is a table and a schema: no other file of the engine names it', () => {
  const wrong = files.filter((file) => file.startsWith('engine/') && /karting/i.test(source(file)));
  assert.deepEqual(wrong, ['engine/racing/series/karting.ts', 'engine/racing/series/known-series.ts']);
});

test('only the files of the Formula One series, its formats and its sources name topics of live timing', () => {
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
  // A feed with the name of a topic; an example in a help text.
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

test('no file uses URL.canParse, which refuses letters beyond ASCII once the runtime has compiled the call', () => {
  assert.deepEqual(
    files.filter((file) => source(file).includes('URL.canParse(')),
    [],
  );
});

test('no thread of the service loads language tables, which holds it up for 25 ms', () => {
  const service = files.filter(
    (file) => /^(?:engine|api)\//.test(file) && !/^api\/(?:console\/app|client)\//.test(file),
  );
  const loading = service.filter((file) => /\.toLocale(?:Date|Time)?String\(|\bIntl\./.test(source(file)));
  assert.deepEqual(loading, []);
});

test('programs start without the large libraries that only some settings and commands use', () => {
  const loaded = ['workers/main.ts', 'workers/admin.ts'];
  const packages = new Set<string>();
  for (const file of loaded) {
    // `import type` loads nothing, and `import()` only when it runs.
    for (const [, specifier] of source(file).matchAll(
      /^(?:import|export)\s(?!type\s)(?:[^;'"]*?from\s+)?'([^']+)'/gms,
    )) {
      const path = resolvedImport(file, specifier!);
      if (path === null) packages.add(specifier!);
      else if (files.includes(path) && !loaded.includes(path)) loaded.push(path);
    }
  }
  assert.ok(loaded.length > 500 && packages.has('postgres'));
  const large = ['nodemailer', 'stripe', 'undici'];
  assert.deepEqual(
    [...packages].filter((name) => large.includes(name.split('/')[0]!)),
    [],
  );
});

test('actors never wait: no await where turns are taken', () => {
  for (const file of files.filter((name) => /^engine\/delivery\/(shard|endpoint|run)\//.test(name))) {
    assert.doesNotMatch(source(file), /\bawait\b/, file);
  }
});

test('the README shows the stages of an update as the code names them', () => {
  const readme = source('README.md').replaceAll(/\s+/g, ' ');
  assert.ok(readme.includes(STAGES.join(' -> ')));
});

test('every rule is defined at the head of one file, and docs/architecture.md lists each letter with its file', () => {
  const listed = new Map(
    [...source('docs/architecture.md').matchAll(/^\| ([A-Z]{1,2}) +\| \[`[^`]+`\]\(\.\.\/([^)]+)\) +\|$/gm)].map(
      ([, letter, file]) => [letter!, file!],
    ),
  );
  const defined = new Map<string, Set<string>>();
  for (const file of files) {
    for (const [, letter] of source(file).matchAll(/^\/\/ ([A-Z]{1,2})\d+:? /gm)) {
      defined.set(letter!, (defined.get(letter!) ?? new Set()).add(file));
    }
  }
  assert.deepEqual(
    [...defined].map(([letter, places]) => [letter, [...places].join(', ')] as const).sort(),
    [...listed].sort(),
  );
});

test('every invariant and rule that a test cites is defined', () => {
  const invariants = source('docs/architecture.md').matchAll(/^\| (I\d+) /gm);
  const rules = files.flatMap((file) => [...source(file).matchAll(/^\/\/.*?\b([A-Z]{1,2}\d+):? [A-Z]/gm)]);
  const defined = new Set([...invariants, ...rules].map(([, name]) => name));
  const cited = globSync('test/**/*.test.ts', { cwd: ROOT }).flatMap((file) =>
    [...source(file).matchAll(/^\s*(?:it|test)\(\s*'((?:[A-Z]{1,2}\d+, )*[A-Z]{1,2}\d+):/gm)].flatMap(([, names]) =>
      names!.split(', ').map((name) => ({ file, name })),
    ),
  );
  assert.ok(cited.length > 100, `${cited.length} titles cite one`);
  assert.deepEqual(
    cited.filter(({ name }) => !defined.has(name)),
    [],
  );
});
