// Plays seeds against broken engines, one defect after the other, each until it is found, and prints a line of JSON for
// each. mutations.test.ts runs `node break-engine.ts FIRST EVERY`: it tries the defects FIRST, FIRST + EVERY and so on.
// The broken modules, and those that import them, are loaded beside the intact ones, so no file is written. All others are
// loaded once, and timelines are made once.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type LoadFnOutput, type ResolveFnOutput, registerHooks } from 'node:module';
import { importGraph } from '#test/support/import-graph.ts';
import { drawScenario } from './draw-scenario.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';

/** The violation that revealed the defect; `found` is null if no seed failed. */
export interface BrokenEngine {
  readonly defect: string;
  readonly found: string | null;
}

const SEEDS_MAX = 100;
const ROOT = new URL('../../', import.meta.url).href;
const SHARED = `${ROOT}test/simulation/planned-timeline.ts`;
const importers = Map.groupBy(
  importGraph(['api', 'engine', 'schemas', 'test/simulation', 'test/support']).imports,
  ({ to }) => to,
);

let trial = 0;
let broken: Mutation | null = null;
/** The URLs of the modules of the present trial. */
let ofTrial: ReadonlySet<string> = new Set();

registerHooks({
  /** What a module of a trial imports belongs to the same trial if the defect reaches it. */
  resolve(specifier, context, next): ResolveFnOutput {
    const resolved = next(specifier, context);
    const isImportedInTrial = context.parentURL?.includes('?trial=') === true;
    return isImportedInTrial && ofTrial.has(resolved.url)
      ? { ...resolved, url: `${resolved.url}?trial=${trial}` }
      : resolved;
  },
  load(url, context, next): LoadFnOutput {
    if (broken === null || url !== `${ROOT}${broken.file}?trial=${trial}`) return next(url, context);
    let source = readFileSync(new URL(broken.file, ROOT), 'utf8');
    for (const [text, instead] of broken.edits) {
      assert.equal(source.split(text).length - 1, 1, `${broken.file} has this once: ${text}`);
      source = source.replace(text, () => instead);
    }
    broken = null;
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});

/** The URLs of this module and of all that import it, directly or not. */
function reachedFrom(file: string): ReadonlySet<string> {
  // A set is visited in the order in which it grows.
  const reached = new Set([file]);
  for (const path of reached) for (const { from } of importers.get(path) ?? []) reached.add(from);
  return new Set([...reached].map((path) => `${ROOT}${path}`).filter((url) => url !== SHARED));
}

async function tryOut(mutation: Mutation): Promise<BrokenEngine> {
  trial++;
  broken = mutation;
  ofTrial = reachedFrom(mutation.file);
  const path = `./simulation.ts?trial=${trial}`;
  const { simulate } = (await import(path)) as typeof import('./simulation.ts');
  assert.equal(broken, null, `the simulation loads ${mutation.file}`);
  for (const seed of new Set([mutation.seed ?? 0, ...Array(SEEDS_MAX).keys()])) {
    const [violation] = (await simulate(drawScenario(seed))).violations;
    if (violation !== undefined) return { defect: mutation.defect, found: `seed ${seed}: ${violation}` };
  }
  return { defect: mutation.defect, found: null };
}

const [first, every] = process.argv.slice(2).map(Number) as [number, number];
for (let index = first; index < MUTATIONS.length; index += every)
  process.stdout.write(`${JSON.stringify(await tryOut(MUTATIONS[index]!))}\n`);
