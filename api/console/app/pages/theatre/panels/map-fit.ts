// Fits a track into a canvas, turned by a quarter if it fills more of it then.

import type { Point } from './outline.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Where a point of the track is on the canvas, whose y points down. */
export type Fit = (point: Point) => Point;

export function fitted(outline: readonly Point[], { width, height }: Size, padding: number): Fit {
  const xs = outline.map(({ x }) => x);
  const ys = outline.map(({ y }) => y);
  const [left, right, bottom, top] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const [wide, high] = [Math.max(1, right - left), Math.max(1, top - bottom)];
  const [roomX, roomY] = [Math.max(1, width - 2 * padding), Math.max(1, height - 2 * padding)];
  const upright = Math.min(roomX / wide, roomY / high);
  const turned = Math.min(roomX / high, roomY / wide);
  const [midX, midY] = [(left + right) / 2, (bottom + top) / 2];
  if (upright >= turned)
    return ({ x, y }) => ({ x: width / 2 + (x - midX) * upright, y: height / 2 - (y - midY) * upright });
  return ({ x, y }) => ({ x: width / 2 + (y - midY) * turned, y: height / 2 + (x - midX) * turned });
}
