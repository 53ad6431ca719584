// Learns where the track runs from the paths of the cars.
//
// A path is what one car drove without standing still. When it comes back to where it was, in the same direction, the
// part between is a lap. The source measures each car once a second, so a slow lap shows the corners best: it replaces
// a faster one.

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Units of the source: tenths of a metre. */
const METRE = 10;
const PATHS_MAX = 40;
/** A slower lap than this, in samples, is no lap of a track. */
const PATH_SAMPLES_MAX = 320;
const LAP_METRES_MIN = 1_500;
/** A car that moves less from one sample to the next stands. */
const STANDING_METRES = 3;
/** And one that moves more was lost in between. */
const JUMP_METRES = 250;
/** How near a path must come to itself. */
const CLOSE_METRES = 20;
/** Laps with this many samples are good enough; after this many laps, the best one has to do. */
const SAMPLES_ENOUGH = 140;
const LAPS_ENOUGH = 60;
/** Points between two samples. */
const SMOOTH_STEPS = 4;

export class OutlineLearner {
  /** A closed line, smoothed; at most four points for each second of a lap. Null: not learned yet. */
  outline: readonly Point[] | null = null;
  /** Samples of the lap that it was learned from. */
  #samples = 0;
  #paths = new Map<string, Point[]>();
  #laps = 0;
  /** Counts changes of the outline. */
  version = 0;

  reset(): void {
    this.outline = null;
    this.#samples = 0;
    this.#paths = new Map();
    this.#laps = 0;
    this.version++;
  }

  /** `isMeasured`: false if the source does not know where the car is. */
  take(car: string, x: number, y: number, isMeasured: boolean): void {
    if (this.#laps >= LAPS_ENOUGH || this.#samples >= SAMPLES_ENOUGH) return;
    const path = this.#paths.get(car);
    const point = { x, y };
    const last = path?.at(-1);
    if (path === undefined || last === undefined || !isMeasured) {
      if (path !== undefined || this.#paths.size < PATHS_MAX) this.#paths.set(car, isMeasured ? [point] : []);
      return;
    }
    const moved = distance(last, point) / METRE;
    if (moved < STANDING_METRES || moved > JUMP_METRES) {
      this.#paths.set(car, [point]);
      return;
    }
    path.push(point);
    const start = startOfLap(path);
    if (start !== null) {
      this.#consider(path.slice(start, -1));
      this.#paths.set(car, [point]);
    } else if (path.length > PATH_SAMPLES_MAX) path.shift();
  }

  #consider(lap: readonly Point[]): void {
    this.#laps++;
    if (lap.length <= this.#samples) return;
    this.#samples = lap.length;
    this.outline = smoothed(lap);
    this.version++;
  }
}

/** The index of the sample that the path's last step comes back to; null: none. */
function startOfLap(path: readonly Point[]): number | null {
  const end = path.at(-1)!;
  const before = path.at(-2)!;
  const dx = end.x - before.x;
  const dy = end.y - before.y;
  const length = Math.hypot(dx, dy);
  let metres = 0;
  for (let at = path.length - 2; at >= 1; at--) {
    const point = path[at]!;
    const next = path[at + 1]!;
    metres += distance(point, next) / METRE;
    if (metres < LAP_METRES_MIN) continue;
    // How far along the last step the sample is, and how far beside it.
    const along = ((point.x - before.x) * dx + (point.y - before.y) * dy) / length;
    if (along < 0 || along > length) continue;
    const beside = Math.abs((point.x - before.x) * dy - (point.y - before.y) * dx) / length;
    if (beside > CLOSE_METRES * METRE) continue;
    const sameWay = (next.x - point.x) * dx + (next.y - point.y) * dy;
    if (sameWay > 0.8 * length * distance(point, next)) return at;
  }
  return null;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/** A curve through all points of a closed line (Catmull and Rom's). */
function smoothed(points: readonly Point[]): readonly Point[] {
  const { length } = points;
  const at = (index: number): Point => points[(index + length) % length]!;
  return points.flatMap((point, index) => {
    const [before, next, after] = [at(index - 1), at(index + 1), at(index + 2)];
    return Array.from({ length: SMOOTH_STEPS }, (_, step) => {
      const t = step / SMOOTH_STEPS;
      const along = (axis: 'x' | 'y'): number => {
        const [a, b, c, d] = [before[axis], point[axis], next[axis], after[axis]];
        return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
      };
      return { x: along('x'), y: along('y') };
    });
  });
}
