// analytics.winning-margin: by how much the race may be won, and by whom. Without a gap of the second car it is silent.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { WinningMarginDriver } from '#schemas/webhook/analytics-winning-margin.ts';
import type { RaceModel } from './analytics-model.ts';
import { MarginChances } from './margin-chances.ts';
import type { OddsMaker } from './odds.ts';
import type { RacePicture } from './race-picture.ts';
import { rounded } from './rounded.ts';

/** The margins in seconds whose chances are given. */
export const MARGIN_BOUNDS = [1, 2, 5, 10, 20, 30] as const;
/** Drivers with a smaller chance of a win are left out. */
const WIN_CHANCE_MIN = 0.01;

export class WinningMargin implements RaceModel {
  readonly feed = 'analytics.winning-margin';
  readonly #chances = new MarginChances();
  readonly #maker: OddsMaker;

  /** Only reads the maker's latest odds. The race odds model, which runs earlier, computes them. */
  constructor(maker: OddsMaker) {
    this.#maker = maker;
  }

  emit(_picture: RacePicture, state: SessionState): Content | null {
    const { odds } = this.#maker;
    const gapSeconds = odds?.standings[1]?.gapSeconds ?? null;
    if (odds === null || gapSeconds === null) return null;
    this.#chances.of(odds, gapSeconds);
    const quantile = (chance: number, winner: number | null = null) =>
      rounded(this.#chances.quantile(chance, winner), 2);
    const drivers = odds.standings.flatMap(({ car }, place): WinningMarginDriver[] => {
      const win = odds.chance(place, 1);
      if (win < WIN_CHANCE_MIN) return [];
      const [p10Seconds, p50Seconds, p90Seconds] = [0.1, 0.5, 0.9].map((chance) => quantile(chance, place));
      return [
        {
          ...state.driver(car.number),
          winProbability: rounded(win, 5),
          marginIfWins: { p10Seconds: p10Seconds!, p50Seconds: p50Seconds!, p90Seconds: p90Seconds! },
        },
      ];
    });
    return {
      session: {
        lapsLeft: odds.lapsLeft,
        gapSeconds: rounded(gapSeconds, 3),
        margin: {
          p10Seconds: quantile(0.1),
          p25Seconds: quantile(0.25),
          p50Seconds: quantile(0.5),
          p75Seconds: quantile(0.75),
          p90Seconds: quantile(0.9),
        },
        within: MARGIN_BOUNDS.map((seconds) => ({
          seconds,
          probability: rounded(this.#chances.within(seconds), 4),
        })),
      },
      drivers,
    };
  }

  emitFinal(picture: RacePicture, state: SessionState): Content | null {
    return this.emit(picture, state);
  }
}
