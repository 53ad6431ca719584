// analytics.pit-window: what a stop now would cost, and what it would gain.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { PitWindowDriver } from '#schemas/webhook/analytics-pit-window.ts';
import type { RaceModel } from './analytics-model.ts';
import { LatestContent } from './latest-content.ts';
import { normalBelow, Z90 } from './normal-distribution.ts';
import { paces } from './pace.ts';
import { type PitLoss, PitLosses } from './pit-loss.ts';
import type { Standing } from './race-car.ts';
import { racingStandings } from './race-field.ts';
import type { RacePicture } from './race-picture.ts';
import { rounded } from './rounded.ts';
import { type CarStops, nextStopLap, StopForecasts } from './stop-forecasts.ts';
import type { StopProspects } from './stop-prospects.ts';
import { LAST_LAPS } from './stops-due.ts';
import { tireWear } from './tire-wear.ts';

/** A car that rejoins this close behind another is in traffic. */
const TRAFFIC_SECONDS = 2;
/** Time lost to cold tires on the out-lap. */
const COLD_TIRES_SECONDS = 0.5;
/** Deviation of the pit crew's work, for each of the two stops. */
const SERVICE_DEVIATION_SECONDS = 0.7;
/** Beyond this gap an undercut is out of reach. */
const UNDERCUT_GAP_SECONDS = 8;

/** Above this chance of no further stop there is no window. */
const WINDOW_NONE_MAX = 0.5;

interface Foreseen {
  readonly stints: number;
  readonly toLap: number;
}

type Undercut = Omit<NonNullable<PitWindowDriver['undercut']>, 'number'>;

export class PitWindow implements RaceModel {
  readonly feed = 'analytics.pit-window';
  readonly #forecasts: StopForecasts;
  readonly #losses = new PitLosses();
  readonly #latest = new LatestContent();
  /** By racing number: the end of the window when the stint was first seen. */
  readonly #foreseen = new Map<string, Foreseen>();

  constructor(forecasts = new StopForecasts()) {
    this.#forecasts = forecasts;
  }

  emit(picture: RacePicture, state: SessionState): Content | null {
    this.#losses.update(picture);
    const { trackStatus: status, lap, totalLaps, isFinished } = picture;
    if (status === 'red_flag' || isFinished || lap === null || totalLaps === null) return null;
    const loss = this.#losses.loss(status);
    const greenLoss = this.#losses.loss('green');
    const order = racingStandings(picture);
    const { lapSeconds } = picture;
    const field = this.#forecasts.at(picture);
    const undercuts = status === 'green' && lap <= totalLaps - LAST_LAPS ? undercutsOf(order, picture) : [];
    const drivers: PitWindowDriver[] = [];
    order.forEach((standing, index) => {
      const { car } = standing;
      if (car.place !== 'track') return;
      const rejoin = rejoinOf(standing, order, loss, lapSeconds);
      const stops = field?.cars.get(car.number);
      const window = stops === undefined ? null : this.#windowOf(stops, lap);
      const attack = undercuts[index] ?? null;
      const attacked = undercuts[index + 1] ?? null;
      const undercut = attack && { number: order[index - 1]!.car.number, ...attack };
      const threat = attacked && { number: order[index + 1]!.car.number, ...attacked };
      if (rejoin === null && window === null) return;
      drivers.push({ ...state.driver(car.number), rejoin, window, undercut, threat });
    });
    if (drivers.length === 0) return null;
    return this.#latest.ifChanged({
      session: {
        status,
        pitLossSeconds: rounded(loss.seconds, 2),
        pitLossUncertaintySeconds: rounded(loss.uncertaintySeconds, 2),
        stopsMeasured: loss.stops,
        savedSeconds: rounded(greenLoss.seconds - loss.seconds, 2),
      },
      drivers,
    });
  }

  /** Null: a stop is unlikely. */
  #windowOf(stops: CarStops, lap: number): PitWindowDriver['window'] {
    if (stops.none > WINDOW_NONE_MAX) return null;
    const { p25: fromLap, p75: toLap } = nextStopLap(stops, lap);
    const { number, stints } = stops.car;
    const before = this.#foreseen.get(number);
    const foreseen = before?.stints === stints.length ? before : { stints: stints.length, toLap };
    this.#foreseen.set(number, foreseen);
    return {
      state: lap > foreseen.toLap ? 'overdue' : lap < fromLap ? 'not_yet' : 'open',
      fromLap,
      toLap,
      uncertaintyLaps: rounded(deviationOf(stops), 1),
    };
  }
}

/** Standard deviation of the lap of the next stop, given that there is one. */
function deviationOf({ none, next }: StopProspects): number {
  let sum = 0;
  let squares = 0;
  next.forEach((chance, laps) => {
    sum += chance * laps;
    squares += chance * laps * laps;
  });
  const any = 1 - none;
  return Math.sqrt(Math.max(0, squares / any - (sum / any) ** 2));
}

/** Null: the car is lapped, or its gap, or that of a car it may fall behind, is not known in seconds. */
function rejoinOf(
  { car, gapSeconds, lapsBehind }: Standing,
  order: readonly Standing[],
  loss: PitLoss,
  lapSeconds: number | null,
): PitWindowDriver['rejoin'] {
  if (gapSeconds === null || lapsBehind > 0) return null;
  const after = gapSeconds + loss.seconds;
  const spread = Z90 * loss.uncertaintySeconds;
  let position = 1;
  let best = 1;
  let worst = 1;
  let ahead: Standing | null = null;
  let behind: Standing | null = null;
  let roadSeconds: number | null = null;
  let isAhead = true;
  for (const other of order) {
    if (other.car === car) {
      isAhead = false;
      continue;
    }
    if (other.gapSeconds === null) {
      if (!isAhead && behind === null) return null;
      if (isAhead) {
        position++;
        best++;
        worst++;
      }
      continue;
    }
    const gap = other.gapSeconds;
    if (gap <= after - spread) best++;
    if (gap <= after + spread) worst++;
    if (gap <= after) {
      position++;
      if (ahead === null || gap > ahead.gapSeconds!) ahead = other;
    } else if (behind === null || gap < behind.gapSeconds!) behind = other;
    if (lapSeconds !== null && other.car.place === 'track' && other.lapsBehind === 0) {
      const distance = (((after - gap) % lapSeconds) + lapSeconds) % lapSeconds;
      roadSeconds = Math.min(roadSeconds ?? distance, distance);
    }
  }
  return {
    position,
    position10: best,
    position90: worst,
    aheadNumber: ahead?.car.number ?? null,
    gapToAheadSeconds: ahead === null ? null : rounded(after - ahead.gapSeconds!, 2),
    behindNumber: behind?.car.number ?? null,
    gapToBehindSeconds: behind === null ? null : rounded(behind.gapSeconds! - after, 2),
    isInTraffic: roadSeconds !== null && roadSeconds < TRAFFIC_SECONDS,
  };
}

/**
 * By index in the order: what the car gains on the one ahead by stopping a lap earlier. Null: out of reach or not
 * known.
 */
function undercutsOf(order: readonly Standing[], picture: RacePicture): (Undercut | null)[] {
  const found = paces(picture);
  const { scatterSeconds } = picture.lapTimes;
  return order.map(({ car, intervalSeconds }, index) => {
    const ahead = order[index - 1]?.car;
    if (ahead === undefined || car.place !== 'track' || ahead.place !== 'track') return null;
    if (intervalSeconds === null || intervalSeconds < 0 || intervalSeconds > UNDERCUT_GAP_SECONDS) return null;
    const own = found.get(car.number)!;
    const other = found.get(ahead.number)!;
    const ownWear = tireWear(car, picture);
    if (ownWear === null || own.laps === 0 || other.laps === 0) return null;
    // The car ahead does another lap on its old tires. This car does that lap on new tires of its present compound.
    const gainSeconds = other.offsetSeconds - own.offsetSeconds + ownWear.lostSeconds - COLD_TIRES_SECONDS;
    const deviation = Math.sqrt(
      2 * scatterSeconds ** 2 +
        2 * SERVICE_DEVIATION_SECONDS ** 2 +
        own.uncertaintySeconds ** 2 +
        other.uncertaintySeconds ** 2 +
        (ownWear.uncertaintySeconds * ownWear.age) ** 2,
    );
    return {
      gapSeconds: intervalSeconds,
      gainSeconds: rounded(gainSeconds, 2),
      uncertaintySeconds: rounded(deviation, 2),
      probability: rounded(normalBelow((gainSeconds - intervalSeconds) / deviation), 3),
    };
  });
}
