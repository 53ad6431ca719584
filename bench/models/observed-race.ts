// A recorded race as its customers saw it: positions, stops and neutralisations in the order of the timeline, and each
// forecast with the state at the time it was published.

import type { Timeline } from '#engine/timeline/timeline.ts';
import type { RaceEventType } from '#schemas/webhook/race-event-types.ts';
import type { TimingDriver } from '#schemas/webhook/timing-data.ts';

/** A forecast counts as made at the start of a lap within this time. The models need up to three seconds. */
const LAP_START_MS = 4000;
const NEUTRALISED: ReadonlySet<string> = new Set([
  'safety_car',
  'virtual_safety_car',
  'virtual_safety_car_ending',
  'red',
]);

export interface ObservedCar {
  readonly position: number | null;
  /** Null: not reported in seconds, as for lapped cars. */
  readonly gapSeconds: number | null;
  readonly lapsCompleted: number;
  readonly isOut: boolean;
}

/** The state after one update. */
export interface Moment {
  readonly sequence: number;
  readonly cars: ReadonlyMap<string, ObservedCar>;
}

export interface Forecast<Body> extends Moment {
  readonly body: Body;
  /** The leader's lap. */
  readonly lap: number;
  /** Whether this is the first update of its feed on the lap, published as the leader began it. */
  readonly isLapStart: boolean;
}

export interface ObservedStop {
  readonly number: string;
  /** The leader's lap when the car entered the pits. */
  readonly lap: number;
  readonly sequence: number;
  readonly isNeutralised: boolean;
  /** Null: the car did not come out. */
  readonly outSequence: number | null;
  /** The position two laps after the pit exit. Null: the car did not get that far. */
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

type Mutable<Record> = { -readonly [Key in keyof Record]: Record[Key] };

interface OpenStop extends Mutable<ObservedStop> {
  /** Completed laps at which `positionAfter` is taken. */
  lapsAfter: number;
}

const UNSEEN: ObservedCar = { position: null, gapSeconds: null, lapsCompleted: 0, isOut: false };

export class ObservedRace {
  readonly #cars = new Map<string, ObservedCar>();
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
      this.#apply(JSON.parse(decoder.decode(timeline.body(position))) as Body);
    }
  }

  /** Sequence of the update that made the result final. 0: none. */
  get endSequence(): number {
    return this.#endSequence;
  }

  get stops(): readonly ObservedStop[] {
    return this.#stops;
  }

  /** The state when the leader began the lap. */
  lapStart(lap: number): Moment | undefined {
    return this.#lapStarts.get(lap);
  }

  forecasts<Body>(feed: string): readonly Forecast<Body>[] {
    return (this.#forecasts.get(feed) ?? []) as Forecast<Body>[];
  }

  hasFinished(number: string): boolean {
    return this.#cars.has(number) && !this.#retirements.has(number);
  }

  /** Whether the race stayed green between the two updates and none of the cars was in the pits or out. */
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

  /** Whether the car behind was ahead at any time between the moment and the update `to`. */
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

  #apply(body: Body): void {
    const { feed, sequence, utc, lap } = body;
    if (lap !== undefined && !this.#lapStarts.has(lap)) {
      this.#lapStarts.set(lap, { sequence, cars: new Map(this.#cars) });
      this.#lapStartMs = Date.parse(utc);
    }
    switch (feed) {
      case 'timing.data':
        for (const driver of body.drivers!) this.#applyTiming(driver, sequence);
        break;
      case 'track.status':
        this.#applyTrackStatus(body.data!.status!, sequence);
        break;
      case 'session.status':
        // After the finish the cars only return to the pits.
        if (body.data!.status === 'finished') this.#isOver = true;
        if (body.data!.status === 'finalised') this.#endSequence = sequence;
        break;
      case 'events.race':
        this.#applyPitEvent(body);
        break;
      default:
        this.#addForecast(body);
    }
  }

  #applyTiming(driver: TimingDriver, sequence: number): void {
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

  #applyTrackStatus(status: string, sequence: number): void {
    const last = this.#neutralisations.at(-1);
    const isNeutralised = NEUTRALISED.has(status);
    if (isNeutralised && !this.#isNeutralised) {
      this.#neutralisations.push({ from: sequence, to: Number.POSITIVE_INFINITY });
    }
    if (!isNeutralised && this.#isNeutralised) last!.to = sequence;
    this.#isNeutralised = isNeutralised;
  }

  #applyPitEvent({ event, sequence, lap, drivers }: Body): void {
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

  #addForecast(body: Body): void {
    const { feed, sequence, utc, lap } = body;
    if (lap === undefined) return;
    let forecasts = this.#forecasts.get(feed);
    if (forecasts === undefined) {
      forecasts = [];
      this.#forecasts.set(feed, forecasts);
    }
    const isLapStart = forecasts.at(-1)?.lap !== lap && Date.parse(utc) - this.#lapStartMs <= LAP_START_MS;
    forecasts.push({ sequence, cars: new Map(this.#cars), body, lap, isLapStart });
  }
}
