// The project's own import graph, read from its files. Type imports count, because readers follow them too.

import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The formatter keeps every import in one of these two forms. */
const IMPORTS = /^(?:import|export)\s(?:[^;'"]*?from\s+)?'([^']+)'|\bimport\('([^']+)'\)/gms;

export interface Import {
  /** Paths from the project's folder. */
  readonly from: string;
  readonly to: string;
}

export interface ImportGraph {
  readonly files: readonly string[];
  readonly imports: readonly Import[];
}

/** The graph of the TypeScript files below these folders. Imports of other files are left out. */
export function importGraph(folders: readonly string[]): ImportGraph {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT })).sort();
  return graphOf(new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')])));
}

/** The graph of these files, given their texts by path. */
export function graphOf(texts: ReadonlyMap<string, string>): ImportGraph {
  const imports: Import[] = [];
  for (const [from, text] of texts) {
    for (const [, statically, dynamically] of text.matchAll(IMPORTS)) {
      const to = resolvedImport(from, (statically ?? dynamically)!);
      if (to !== null && texts.has(to)) imports.push({ from, to });
    }
  }
  return { files: [...texts.keys()], imports };
}

/** The path of an import: `#engine/base/log.ts` stands for `engine/base/log.ts` (package.json). Null for packages. */
export function resolvedImport(from: string, specifier: string): string | null {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier.startsWith('.') ? join(dirname(from), specifier) : null;
}

/**
 * Import circles among the files and folders of one folder, at every level. Each circle is a sorted list of paths. An
 * import from `a/b/c.ts` to `a/d/e.ts` is an arrow from `a/b` to `a/d`.
 */
export function circles({ imports }: ImportGraph): string[][] {
  const arrows = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [a, b] = sideBySide(from, to);
    const targets = arrows.get(a) ?? new Set();
    arrows.set(a, targets.add(b));
  }
  return components(arrows).filter(
    (component) => component.length > 1 || arrows.get(component[0]!)?.has(component[0]!),
  );
}

/** Arrows between the rooms of a folder, such as `engine/racing -> engine/base`, with their number of imports. */
export function roomArrows({ imports }: ImportGraph, folder: string): Map<string, number> {
  const counts = new Map<string, number>();
  const room = (path: string): string =>
    path
      .split('/')
      .slice(0, folder.split('/').length + 1)
      .join('/');
  for (const { from, to } of imports) {
    if (!from.startsWith(`${folder}/`) || !to.startsWith(`${folder}/`) || room(from) === room(to)) continue;
    const arrow = `${room(from)} -> ${room(to)}`;
    counts.set(arrow, (counts.get(arrow) ?? 0) + 1);
  }
  return counts;
}

function sideBySide(from: string, to: string): [string, string] {
  const [a, b] = [from.split('/'), to.split('/')];
  let depth = 0;
  while (depth < a.length - 1 && a[depth] === b[depth]) depth++;
  return [a.slice(0, depth + 1).join('/'), b.slice(0, depth + 1).join('/')];
}

/** Strongly connected components (Tarjan, 1972). */
function components(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const indexes = new Map<string, number>();
  const lows = new Map<string, number>();
  const path: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): void => {
    indexes.set(node, indexes.size);
    lows.set(node, indexes.get(node)!);
    path.push(node);
    for (const next of arrows.get(node) ?? []) {
      if (!indexes.has(next)) visit(next);
      if (path.includes(next)) lows.set(node, Math.min(lows.get(node)!, lows.get(next)!));
    }
    if (lows.get(node) === indexes.get(node)) found.push(path.splice(path.indexOf(node)).sort());
  };
  for (const node of arrows.keys()) if (!indexes.has(node)) visit(node);
  return found;
}
