// Which test files only compute: neither they nor the modules of tests and benches that they import can start a server,
// a process, a thread or a database, ask one over HTTP, or send a signal. Such files can share a process (test/suite.ts).

import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The formatter keeps every import in one of these two forms. Types start nothing. */
const IMPORTS = /^(?:import|export)\s(?!type\s)(?:[^;'"]*?from\s+)?'([^']+)'|\bimport\('([^']+)'\)/gms;
/** What starts something, or needs something that was started. */
const STARTERS =
  /^(?:node:(?:child_process|dgram|http|https|http2|net|tls|worker_threads)|@grpc\/grpc-js|piscina|playwright-core|postgres|smtp-server|undici|ws|#engine\/storage\/database\.ts|#workers\/tasks\/.+)$/;
/** It asks a server, or sends a signal, which reaches all of its process. */
const REACHES_OUT = /\bfetch\(|\bprocess\.kill\(/;

/** Of these test files, by their paths from the project's folder, those that only compute. */
export function computingTests(files: readonly string[]): string[] {
  const texts = new Map(
    globSync('{bench,test}/**/*.ts', { cwd: ROOT }).map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]),
  );
  return computingAmong(files, texts);
}

/** As `computingTests`, given the texts of all modules of tests and benches by their paths. */
export function computingAmong(files: readonly string[], texts: ReadonlyMap<string, string>): string[] {
  const starters = new Set(
    [...texts].filter(([, text]) => REACHES_OUT.test(text) || importsOf(text).some(isStarter)).map(([file]) => file),
  );
  return files.filter((file) => {
    // A set is visited in the order in which it grows.
    const reached = new Set([file]);
    for (const path of reached) {
      if (starters.has(path)) return false;
      for (const name of importsOf(texts.get(path) ?? '')) reached.add(pathOf(path, name));
    }
    return true;
  });
}

const isStarter = (name: string): boolean => STARTERS.test(name);

function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORTS)].map(([, statically, dynamically]) => (statically ?? dynamically)!);
}

function pathOf(from: string, name: string): string {
  return name.startsWith('#') ? name.slice(1) : join(dirname(from), name);
}
