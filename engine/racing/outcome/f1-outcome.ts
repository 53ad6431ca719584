// The outcome of a Formula One session. Most of it is in the merged state, and is read on request. Stops and
// retirements do not stay there, so they come from the race events.

import { integerOf, type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { LANE_STOPS_MAX } from '#engine/base/limits.ts';
import { driverSlug } from '#engine/racing/driver-slug.ts';
import { PIT_LANE_STAY_MS_MAX } from '#engine/racing/normalise/pit-lane.ts';
import { PitEvents } from '#engine/racing/race-events/pit-events.ts';
import type { MergedFrame, RaceEvent, RaceEventOf, RaceEventRule } from '#engine/racing/race-events/race-event-rule.ts';
import { lapsOf } from '#engine/racing/race-events/racing.ts';
import { RetirementEvents } from '#engine/racing/race-events/retirement-events.ts';
import type { SessionFacts } from '#engine/racing/session/session-facts.ts';
import { sessionPhase } from '#engine/racing/session/session-phase.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import { lapTimeOf } from '#engine/racing/timing-text.ts';
import { Q3_PLACES } from './knockout-qualifying.ts';
import type { CarOutcome, LaneStop, OutcomeTracker, SessionOutcome } from './session-outcome.ts';

interface TrackedStop extends LaneStop {
  /** Key of the latest stint at the time of the stop; null if there was none. */
  readonly stint: string | null;
}

export class F1Outcome implements OutcomeTracker {
  readonly #status: SessionFacts['status'];
  readonly #stops: TrackedStop[] = [];
  /** By racing number, the laps of cars that stood on the track for so long that they count as out. */
  readonly #stood = new Map<string, number>();
  #state: SessionState | null = null;

  constructor(status: SessionFacts['status']) {
    this.#status = status;
  }

  rules(): readonly RaceEventRule[] {
    return [new PitEvents(), new RetirementEvents()];
  }

  apply({ state }: MergedFrame, events: readonly RaceEvent[]): void {
    this.#state = state;
    for (const event of events) {
      if (event.type === 'retirement' && !event.data.announced)
        this.#stood.set(event.numbers[0]!, event.data.lapsCompleted);
      else if (event.type === 'pit_stop') this.#stop(event, state);
    }
  }

  outcome(): SessionOutcome {
    const state = this.#state;
    if (state === null) {
      return { phase: 'upcoming', currentLap: null, totalLaps: null, cars: [], fastestLap: null, stops: [] };
    }
    const cars = Array.from(state.drivers(), ({ number }) => this.#car(number, state));
    cars.sort((a, b) => (a.position ?? Number.MAX_VALUE) - (b.position ?? Number.MAX_VALUE));
    const { topic, field } = this.#status;
    return {
      phase: sessionPhase(state.topic(topic)[field], this.#status),
      currentLap: state.lap,
      totalLaps: integerOf(state.topic('LapCount').TotalLaps),
      cars,
      fastestLap: fastestOf(cars, state),
      stops: this.#stops
        .filter(({ number, stint }) => stint === null || !isOnSameTires(objectOf(stintsOf(state, number)[stint])))
        .map(({ number, lap, pitLaneMs }) => ({ number, lap, pitLaneMs })),
    };
  }

  #stop({ numbers: [number], data: { pitLaneMs } }: RaceEventOf<'pit_stop'>, state: SessionState): void {
    if (pitLaneMs > PIT_LANE_STAY_MS_MAX || this.#stops.length === LANE_STOPS_MAX) return;
    const lap = lapsOf(state, number!);
    this.#stops.push({ number: number!, lap, pitLaneMs, stint: Object.keys(stintsOf(state, number!)).at(-1) ?? null });
  }

  #car(number: string, state: SessionState): CarOutcome {
    const { driverId, name, tla, team, constructorId, position } = state.driver(number);
    const { Retired, KnockedOut } = state.timing(number);
    const { Lines, SessionPart } = state.topic('TimingData');
    const laps = lapsOf(state, number);
    const gridPlace = integerOf(objectOf(objectOf(state.topic('TimingAppData').Lines)[number]).GridPos) ?? 0;
    return {
      number,
      driver: driverId === null ? null : driverSlug(driverId),
      name,
      tla,
      team,
      constructorId,
      position,
      gridPlace: gridPlace > 0 ? gridPlace : null,
      lapsCompleted: Lines === undefined ? null : laps,
      // Only another lap shows that a car goes on: the timing clears Stopped on cars that never do.
      out: Retired === true || this.#stood.get(number) === laps,
      reachedQ3: SessionPart === 3 && KnockedOut !== true && position !== null && position <= Q3_PLACES,
    };
  }
}

function stintsOf(state: SessionState, number: string): JsonObject {
  return objectOf(objectOf(objectOf(state.topic('TimingAppData').Lines)[number]).Stints);
}

/** A visit without new tires is a drive-through or a repair. The timing may say so long after the visit. */
function isOnSameTires({ TyresNotChanged }: JsonObject): boolean {
  return TyresNotChanged === '1';
}

/** Returns the car with the fastest lap. Of equal laps, the earlier one counts, then the better placed car's. */
function fastestOf(cars: readonly CarOutcome[], state: SessionState): string | null {
  let fastest: { readonly number: string; readonly ms: number; readonly lap: number } | null = null;
  for (const { number } of cars) {
    const { Value, Lap } = objectOf(state.timing(number).BestLapTime);
    const ms = lapTimeOf(Value)?.ms ?? null;
    const lap = integerOf(Lap) ?? Number.MAX_VALUE;
    if (ms === null) continue;
    if (fastest === null || ms < fastest.ms || (ms === fastest.ms && lap < fastest.lap)) fastest = { number, ms, lap };
  }
  return fastest?.number ?? null;
}
