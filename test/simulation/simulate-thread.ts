// A thread of `npm run simulate`: plays the seeds that it receives, one after the other, and sends back each result.

import { parentPort } from 'node:worker_threads';
import { drawScenario } from './draw-scenario.ts';
import { simulate } from './simulation.ts';

export interface PlayedSeed {
  readonly seed: number;
  readonly steps: number;
  readonly attempts: number;
  readonly simulatedMs: number;
  readonly violations: readonly string[];
}

const port = parentPort!;

port.on('message', async (seed: number) => {
  const { steps, attempts, simulatedMs, violations } = await simulate(drawScenario(seed));
  port.postMessage({ seed, steps, attempts, simulatedMs, violations } satisfies PlayedSeed);
});
