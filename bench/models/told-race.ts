// A recorded race as its customers were told it: where cars were, who stopped and when the race was neutralised, in the order
// of the timeline, with the forecasts at the moment when they came.

import type { Timeline } from '#engine/timeline/timeline.ts';
import type { RaceEventType } from '#schemas/webhook/race-event-types.ts';
import type { TimingDriver } from '#schemas/webhook/timing-data.ts';

/** A forecast tells of a whole lap when the leader has just begun it; the models need up to three seconds. */
const LAP_START_MS = 4000;
const NEUTRALISED: ReadonlySet<string> = new Set([
  'safety_car',
  'virtual_safety_car',
  'virtual_safety_car_ending',
  'red',
]);

export interface ToldCar {
  readonly position: number | null;
  /** Null: not told in seconds, as of lapped cars. */
  readonly gapSeconds: number | null;
  readonly lapsCompleted: number;
  readonly isOut: boolean;
}

/** What had been told until then. */
export interface Moment {
  readonly sequence: number;
  readonly cars: ReadonlyMap<string, ToldCar>;
}

export interface Forecast<Body> extends Moment {
  readonly body: Body;
  /** Lap that the leader is on. */
  readonly lap: number;
  /** Whether it is the first of its feed on the lap, told as the leader began it. */
  readonly isLapStart: boolean;
}

export interface ToldStop {
  readonly number: string;
  /** Lap that the leader was on when the car went in. */
  readonly lap: number;
  readonly sequence: number;
  readonly isNeutralised: boolean;
  /** Null: it did not come out. */
  readonly outSequence: number | null;
  /** Two laps after it came out; null: it did not get so far. */
  readonly positionAfter: number | null;
}

interface Body {
  readonly feed: string;
  readonly sequence: number;
  readonly utc: string;
  readonly lap?: number;
  readonly event?: RaceEventType;
  readonly data?: { readonly status?: string };
  readonly drivers?: readonly TimingDriver[];
}

type Written<Record> = { -readonly [Key in keyof Record]: Record[Key] };

interface OpenStop extends Written<ToldStop> {
  /** Laps after which the position counts. */
  lapsAfter: number;
}

const UNSEEN: ToldCar = { position: null, gapSeconds: null, lapsCompleted: 0, isOut: false };

export class ToldRace {
  readonly #cars = new Map<string, ToldCar>();
  readonly #lapStarts = new Map<number, Moment>();
  readonly #forecasts = new Map<string, Forecast<unknown>[]>();
  readonly #places: { readonly sequence: number; readonly number: string; readonly position: number }[] = [];
  readonly #retirements = new Map<string, number>();
  readonly #neutralisations: { readonly from: number; to: number }[] = [];
  readonly #stops: OpenStop[] = [];
  #lapStartMs = 0;
  #isNeutralised = false;
  #isOver = false;
  #endSequence = 0;

  constructor(timeline: Timeline) {
    const decoder = new TextDecoder();
    for (let position = 0; position < timeline.length; position++) {
      const feed = timeline.feedId(position);
      const isFollowed = feed === 'timing.data' || feed === 'track.status' || feed === 'session.status';
      if (!isFollowed && feed !== 'events.race' && !feed.startsWith('analytics.')) continue;
      this.#take(JSON.parse(decoder.decode(timeline.body(position))) as Body);
    }
  }

  /** Update with which the result was final; 0: there was none. */
  get endSequence(): number {
    return this.#endSequence;
  }

  get stops(): readonly ToldStop[] {
    return this.#stops;
  }

  /** What had been told when the leader began the lap. */
  lapStart(lap: number): Moment | undefined {
    return this.#lapStarts.get(lap);
  }

  forecasts<Told>(feed: string): readonly Forecast<Told>[] {
    return (this.#forecasts.get(feed) ?? []) as Forecast<Told>[];
  }

  hasFinished(number: string): boolean {
    return this.#cars.has(number) && !this.#retirements.has(number);
  }

  /** Whether the race was green between the two updates, and none of the cars in the pits or out. */
  isUndisturbed(numbers: readonly string[], from: number, to: number): boolean {
    return (
      !this.#neutralisations.some((one) => one.from <= to && one.to >= from) &&
      !numbers.some((number) => (this.#retirements.get(number) ?? to + 1) <= to) &&
      !this.#stops.some(
        ({ number, sequence, outSequence }) =>
          numbers.includes(number) && sequence <= to && (outSequence ?? sequence) >= from,
      )
    );
  }

  /** Whether the car behind was ahead at any time from the moment up to the update. */
  hasPassed(behind: string, ahead: string, { sequence: from, cars }: Moment, to: number): boolean {
    let behindPosition = cars.get(behind)!.position!;
    let aheadPosition = cars.get(ahead)!.position!;
    return this.#places.some(({ sequence, number, position }) => {
      if (sequence <= from || sequence > to) return false;
      if (number === behind) behindPosition = position;
      if (number === ahead) aheadPosition = position;
      return behindPosition < aheadPosition;
    });
  }

  #take(body: Body): void {
    const { feed, sequence, utc, lap } = body;
    if (lap !== undefined && !this.#lapStarts.has(lap)) {
      this.#lapStarts.set(lap, { sequence, cars: new Map(this.#cars) });
      this.#lapStartMs = Date.parse(utc);
    }
    switch (feed) {
      case 'timing.data':
        for (const driver of body.drivers!) this.#time(driver, sequence);
        break;
      case 'track.status':
        this.#flag(body.data!.status!, sequence);
        break;
      case 'session.status':
        // What happens after that is the way back to the pits.
        if (body.data!.status === 'finished') this.#isOver = true;
        if (body.data!.status === 'finalised') this.#endSequence = sequence;
        break;
      case 'events.race':
        this.#stop(body);
        break;
      default:
        this.#forecast(body);
    }
  }

  #time(driver: TimingDriver, sequence: number): void {
    const { number, position, gapToLeader, lapsCompleted, stopped, retired } = driver;
    const before = this.#cars.get(number) ?? UNSEEN;
    const car = {
      position,
      gapSeconds: gapToLeader === undefined ? before.gapSeconds : (gapToLeader?.seconds ?? null),
      lapsCompleted: lapsCompleted ?? before.lapsCompleted,
      isOut: before.isOut || (!this.#isOver && (stopped === true || retired === true)),
    };
    this.#cars.set(number, car);
    if (position !== null && position !== before.position) this.#places.push({ sequence, number, position });
    if (car.isOut && !before.isOut) this.#retirements.set(number, sequence);
    for (const stop of this.#stops) {
      if (stop.number === number && stop.positionAfter === null && car.lapsCompleted >= stop.lapsAfter) {
        stop.positionAfter = position;
      }
    }
  }

  #flag(status: string, sequence: number): void {
    const last = this.#neutralisations.at(-1);
    const isNeutralised = NEUTRALISED.has(status);
    if (isNeutralised && !this.#isNeutralised) {
      this.#neutralisations.push({ from: sequence, to: Number.POSITIVE_INFINITY });
    }
    if (!isNeutralised && this.#isNeutralised) last!.to = sequence;
    this.#isNeutralised = isNeutralised;
  }

  #stop({ event, sequence, lap, drivers }: Body): void {
    if (event === 'pit_entry') {
      this.#stops.push({
        number: drivers![0]!.number,
        lap: lap!,
        sequence,
        isNeutralised: this.#isNeutralised,
        outSequence: null,
        positionAfter: null,
        lapsAfter: Number.POSITIVE_INFINITY,
      });
    }
    if (event !== 'pit_exit') return;
    const { number } = drivers![0]!;
    const stop = this.#stops.findLast((one) => one.number === number);
    if (stop === undefined) return;
    stop.outSequence = sequence;
    stop.lapsAfter = this.#cars.get(number)!.lapsCompleted + 2;
  }

  #forecast(body: Body): void {
    const { feed, sequence, utc, lap } = body;
    if (lap === undefined) return;
    let told = this.#forecasts.get(feed);
    if (told === undefined) {
      told = [];
      this.#forecasts.set(feed, told);
    }
    const isLapStart = told.at(-1)?.lap !== lap && Date.parse(utc) - this.#lapStartMs <= LAP_START_MS;
    told.push({ sequence, cars: new Map(this.#cars), body, lap, isLapStart });
  }
}
