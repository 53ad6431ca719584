// Computes when the cars of a scripted race reach the ends of their sectors: from the pace of the car, its tires and
// fuel, and what the script adds. So tests know the true values that models estimate.

import { seededRandom } from '#engine/base/random.ts';

export interface Stop {
  /** The lap at the end of which the car stops. */
  readonly lap: number;
  /** Null: the tires stay on, as for a drive-through. */
  readonly compound: string | null;
  /** Seconds that the car is stationary. */
  readonly stands: number;
  /** Laps that its new tires have done already. */
  readonly age?: number;
  /** The topics that have its times, besides the messages of entry and exit. */
  readonly publishedIn?: readonly ('PitLaneTimeCollection' | 'PitStopSeries')[];
}

export interface CarPlan {
  readonly number: string;
  /** Seconds a lap that it is slower than the fastest car. */
  readonly pace: number;
  readonly compound: string;
  readonly stops?: readonly Stop[];
  /** Seconds lost, by lap, in the second sector. */
  readonly lost?: Readonly<Record<number, number>>;
  /** The car retires at the end of this sector (1 to 3). */
  readonly out?: { readonly lap: number; readonly sector: number };
}

export interface RacePlan {
  readonly laps: number;
  /** Seconds that a full tank costs on a lap. */
  readonly fuelSeconds: number;
  /** When the lights go out. */
  readonly lights: number;
  /** In the order of the grid. */
  readonly cars: readonly CarPlan[];
  /** By lap, the factor by which all cars are slower. */
  readonly slow?: Readonly<Record<number, number>>;
  /** Laps at the end of which the field is bunched up: seconds of the leader's lap, and between cars. */
  readonly trains?: Readonly<Record<number, readonly [leader: number, gap: number]>>;
  /** The race is interrupted after this lap, and resumes in this order, two seconds between cars. */
  readonly pause?: { readonly afterLap: number; readonly until: number; readonly order: readonly string[] };
}

export interface Run {
  readonly plan: CarPlan;
  /** When the car reached the end of each sector. The first entry is the start. */
  readonly lines: readonly number[];
}

interface OpenRun {
  readonly plan: CarPlan;
  readonly lines: number[];
  compound: string;
  age: number;
  outLoss: number;
}

export const SECTORS = 3;
const SECTOR_PARTS = [0.31, 0.37, 0.32];
const LAP_SECONDS = 61;
const NOISE_SECONDS = 0.12;
/** Seconds a lap that new tires cost compared with soft ones, and that each lap of age adds. */
export const TIRES: Readonly<Record<string, { readonly base: number; readonly wear: number }>> = {
  SOFT: { base: 0, wear: 0.12 },
  MEDIUM: { base: 0.35, wear: 0.08 },
  HARD: { base: 0.7, wear: 0.05 },
  INTERMEDIATE: { base: 5, wear: 0.06 },
};
/** Seconds that a stop costs before the line, and after it, without the stationary time. */
const PIT_IN_SECONDS = 3;
const PIT_OUT_SECONDS = 12;
export const RESUME_APART_SECONDS = 2;

export function runRace(race: RacePlan): Run[] {
  const random = seededRandom(1);
  const runs = race.cars.map(
    (plan): OpenRun => ({ plan, lines: [race.lights], compound: plan.compound, age: 0, outLoss: 0 }),
  );
  for (let lap = 1; lap <= race.laps; lap++) {
    const racing = runs.filter(({ lines }) => lines.length === SECTORS * (lap - 1) + 1);
    const trainEnds = trainOf(racing, race.trains?.[lap]);
    for (const [place, run] of racing.entries()) {
      const noise = NOISE_SECONDS * (random.next() + random.next() - 1);
      drive(run, race, lap, { noise, place, end: trainEnds?.get(run) ?? null });
    }
    if (race.pause?.afterLap === lap) resume(runs, race.pause);
  }
  return cutAtFinish(runs, race.laps);
}

/** Returns when each car ends its lap, in the order of the cars after their stops. */
function trainOf(racing: readonly OpenRun[], train?: readonly [number, number]): Map<OpenRun, number> | null {
  if (train === undefined) return null;
  const order = racing.toSorted((a, b) => a.lines.at(-1)! + a.outLoss - b.lines.at(-1)! - b.outLoss);
  const first = order[0]!.lines.at(-1)! + order[0]!.outLoss + train[0];
  return new Map(order.map((run, index) => [run, first + index * train[1]]));
}

interface Circumstances {
  readonly noise: number;
  readonly place: number;
  /** When the lap ends; null if the pace decides. */
  readonly end: number | null;
}

function drive(run: OpenRun, race: RacePlan, lap: number, { noise, place, end }: Circumstances): void {
  const { plan, lines } = run;
  const begin = lines.at(-1)!;
  const { base, wear } = TIRES[run.compound]!;
  run.age++;
  const fuel = race.fuelSeconds * (1 - (lap - 0.5) / race.laps);
  const start = lap === 1 ? 4 + 0.3 * place : 0;
  const free = (LAP_SECONDS + plan.pace + base + wear * run.age + fuel + noise + start) * (race.slow?.[lap] ?? 1);
  const lap2 = end === null ? free : end - begin - run.outLoss;
  const stop = plan.stops?.find((one) => one.lap === lap);
  const seconds = SECTOR_PARTS.map((part) => part * lap2);
  seconds[0]! += run.outLoss;
  seconds[1]! += plan.lost?.[lap] ?? 0;
  seconds[2]! += stop === undefined ? 0 : PIT_IN_SECONDS;
  run.outLoss = 0;
  let at = begin;
  const last = plan.out?.lap === lap ? plan.out.sector : SECTORS;
  for (const sector of seconds.slice(0, last)) {
    at += sector;
    lines.push(Math.round(at * 1000) / 1000);
  }
  if (stop === undefined) return;
  run.outLoss = PIT_OUT_SECONDS + stop.stands;
  if (stop.compound === null) return;
  run.compound = stop.compound;
  run.age = stop.age ?? 0;
}

/** Adds the interruption to each car's next lap. */
function resume(runs: readonly OpenRun[], { until, order }: NonNullable<RacePlan['pause']>): void {
  for (const [index, number] of order.entries()) {
    const run = runs.find(({ plan }) => plan.number === number)!;
    run.outLoss = until + RESUME_APART_SECONDS * index - run.lines.at(-1)!;
  }
}

/** A lapped car finishes when it reaches the line after the winner. */
function cutAtFinish(runs: readonly OpenRun[], laps: number): Run[] {
  const finish = Math.min(...runs.flatMap(({ lines }) => lines[SECTORS * laps] ?? []));
  return runs.map(({ plan, lines }) => {
    const end = lines.findIndex((seconds, line) => line > 0 && line % SECTORS === 0 && seconds >= finish);
    return { plan, lines: end === -1 ? lines : lines.slice(0, end + 1) };
  });
}

/** Returns when the messages of the car's pit entry and exit are sent. */
export function visitOf({ lines }: Run, { lap, stands }: Stop): { readonly enters: number; readonly leaves: number } {
  const line = lines[SECTORS * lap]!;
  return { enters: line - 2.5, leaves: line + PIT_OUT_SECONDS - 2 + stands };
}
