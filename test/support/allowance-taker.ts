// A thread that takes from an allowance as fast as it can, and gives some back in between.

import { parentPort, workerData } from 'node:worker_threads';
import { Allowance } from '#engine/delivery/usage/allowance.ts';

export interface TakerData {
  readonly cell: SharedArrayBuffer;
  /** Number of takers at the gate. They start together once all have arrived. */
  readonly gate: Int32Array<SharedArrayBuffer>;
  readonly takers: number;
  readonly wallMs: number;
  readonly tries: number;
  /** After this many, one is given back. */
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
