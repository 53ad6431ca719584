// Plays seeds against broken engines, one defect after the other, each until it is found; says so on a line of JSON each. What
// mutations.test.ts runs: `node break-engine.ts FIRST EVERY` tries every so many-th defect. The broken modules are loaded beside
// the sound ones and nothing is written; timelines are made once.

import assert from 'node:assert/strict';
import { type LoadFnOutput, type ResolveFnOutput, registerHooks } from 'node:module';
import { drawScenario } from './draw-scenario.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';

/** What came of a defect; `found` is null when no seed fails. */
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
  /** Whatever a module of a trial imports belongs to the trial. */
  resolve(specifier, context, next): ResolveFnOutput {
    const resolved = next(specifier, context);
    const isOfTrial = context.parentURL?.includes('?trial=') === true;
    const isOwn = resolved.url.startsWith(ROOT) && !SHARED.some((shared) => resolved.url.startsWith(shared));
    return isOfTrial && isOwn ? { ...resolved, url: `${resolved.url}?trial=${trial}` } : resolved;
  },
  load(url, context, next): LoadFnOutput {
    const loaded = next(url, context);
    if (broken === null || url !== `${ROOT}${broken.file}?trial=${trial}`) return loaded;
    let source = Buffer.from(loaded.source as Uint8Array).toString();
    for (const [text, instead] of broken.edits) {
      assert.equal(source.split(text).length - 1, 1, `${broken.file} has this once: ${text}`);
      source = source.replace(text, () => instead);
    }
    broken = null;
    return { ...loaded, source };
  },
});

async function tryOut(mutation: Mutation): Promise<BrokenEngine> {
  trial++;
  broken = mutation;
  const path = `./simulation.ts?trial=${trial}`;
  const { simulate } = (await import(path)) as typeof import('./simulation.ts');
  assert.equal(broken, null, `the simulation loads ${mutation.file}`);
  for (let seed = 0; seed < SEEDS_MAX; seed++) {
    const [violation] = (await simulate(drawScenario(seed))).violations;
    if (violation !== undefined) return { defect: mutation.defect, found: `seed ${seed}: ${violation}` };
  }
  return { defect: mutation.defect, found: null };
}

const [first, every] = process.argv.slice(2).map(Number) as [number, number];
for (let index = first; index < MUTATIONS.length; index += every)
  process.stdout.write(`${JSON.stringify(await tryOut(MUTATIONS[index]!))}\n`);
