// Whether an autocorrelated value, such as the memory of a process, rises over time.
//
// Neighbouring values are not independent, so a line fitted to all of them would look far more certain than it is. The
// line is fitted to the means of a few blocks instead, which are almost independent, and its uncertainty is that of so
// few points.

import { studentQuantile } from '../suite/student-t.ts';

export interface Slope {
  /** Rise of y per unit of x, by least squares through the blocks. */
  readonly slope: number;
  /** Half the width of the 95 % interval. */
  readonly uncertainty: number;
}

const BLOCKS = 10;

/** Needs at least BLOCKS points, with x ascending. */
export function slopeOf(x: readonly number[], y: readonly number[]): Slope {
  const blocks = Array.from({ length: BLOCKS }, (_, block) => {
    const [from, to] = [block, block + 1].map((edge) => Math.floor((edge * x.length) / BLOCKS)) as [number, number];
    return { x: mean(x.slice(from, to)), y: mean(y.slice(from, to)) };
  });
  const middle = { x: mean(blocks.map((block) => block.x)), y: mean(blocks.map((block) => block.y)) };
  const spread = sum(blocks.map((block) => (block.x - middle.x) ** 2));
  const slope = sum(blocks.map((block) => (block.x - middle.x) * (block.y - middle.y))) / spread;
  const residues = sum(blocks.map((block) => (block.y - middle.y - slope * (block.x - middle.x)) ** 2));
  const degrees = BLOCKS - 2;
  return { slope, uncertainty: studentQuantile(0.025, degrees) * Math.sqrt(residues / degrees / spread) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
