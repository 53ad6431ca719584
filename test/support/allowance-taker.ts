// A thread that takes from an allowance as fast as it can, and gives some of it back in between.

import { parentPort, workerData } from 'node:worker_threads';
import { Allowance } from '#engine/delivery/usage/allowance.ts';

export interface TakerData {
  readonly cell: SharedArrayBuffer;
  /** How many takers have come to the gate; they start together when all have. */
  readonly gate: Int32Array<SharedArrayBuffer>;
  readonly takers: number;
  readonly wallMs: number;
  readonly tries: number;
  /** Every so many taken, one is given back. */
  readonly giveBackEvery: number;
}

const { cell, gate, takers, wallMs, tries, giveBackEvery } = workerData as TakerData;
const allowance = new Allowance(cell);
let kept = 0;
Atomics.add(gate, 0, 1);
Atomics.notify(gate, 0);
for (let here = Atomics.load(gate, 0); here < takers; here = Atomics.load(gate, 0)) Atomics.wait(gate, 0, here);
for (let i = 0; i < tries; i++) {
  if (!allowance.take(wallMs)) continue;
  kept++;
  if (kept % giveBackEvery !== 0) continue;
  allowance.giveBack(wallMs);
  kept--;
}
parentPort!.postMessage(kept);
