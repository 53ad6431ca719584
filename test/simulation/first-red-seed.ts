// Plays seeds until one fails and says which, on one line of JSON: what mutations.test.ts runs over a broken copy of the engine.

import { drawScenario } from './draw-scenario.ts';
import { simulate } from './simulation.ts';

const [from, to] = process.argv.slice(2).map(Number) as [number, number];
let found: { readonly seed: number; readonly violation: string } | null = null;
for (let seed = from; seed < to && found === null; seed++) {
  const [violation] = (await simulate(drawScenario(seed))).violations;
  if (violation !== undefined) found = { seed, violation };
}
process.stdout.write(`${JSON.stringify(found)}\n`);
