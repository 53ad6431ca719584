// Plays seeds against broken engines, one defect after the other, each until it is found, and prints a line of JSON for
// each. mutations.test.ts runs `node break-engine.ts FIRST EVERY`: it tries the defects FIRST, FIRST + EVERY and so on.
// The broken modules are loaded beside the intact ones, so no file is written. Timelines are made once.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type LoadFnOutput, type ResolveFnOutput, registerHooks } from 'node:module';
import { drawScenario } from './draw-scenario.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';

/** The violation that revealed the defect; `found` is null if no seed failed. */
export interface BrokenEngine {
  readonly defect: string;
  readonly found: string | null;
}

const SEEDS_MAX = 100;
const ROOT = new URL('../../', import.meta.url).href;
const SHARED = [`${ROOT}node_modules/`, `${ROOT}test/simulation/planned-timeline.ts`];

let trial = 0;
let broken: Mutation | null = null;

registerHooks({
  /** Modules that a module of a trial imports belong to the same trial. */
  resolve(specifier, context, next): ResolveFnOutput {
    const resolved = next(specifier, context);
    const isOfTrial = context.parentURL?.includes('?trial=') === true;
    const isOwn = resolved.url.startsWith(ROOT) && !SHARED.some((shared) => resolved.url.startsWith(shared));
    return isOfTrial && isOwn ? { ...resolved, url: `${resolved.url}?trial=${trial}` } : resolved;
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

async function tryOut(mutation: Mutation): Promise<BrokenEngine> {
  trial++;
  broken = mutation;
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
