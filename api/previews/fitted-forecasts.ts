// Forecasts by the models, in the thread that asks. The models are fitted once to each release of the history, which takes
// most of the time, and kept.

import { createHash } from 'node:crypto';
import { assert } from '#engine/base/assert.ts';
import { FORECAST_SIMULATIONS_MAX } from '#engine/base/limits.ts';
import { driverSlug } from '#engine/racing/driver-slug.ts';
import { Forecaster } from '#engine/seasons/forecast/forecaster.ts';
import type { History } from '#engine/seasons/history/history.ts';
import type { Forecasts, PreviewQuestion } from './forecasts.ts';
import type { ImportedHistory } from './imported-history.ts';
import { type WeekendPreview, weekendPreview } from './weekend-preview.ts';

/** Simulated races of a forecast: a probability of a half is then within one percent, nineteen times out of twenty. */
const FORECAST_SIMULATIONS = 10_000;

assert(FORECAST_SIMULATIONS <= FORECAST_SIMULATIONS_MAX, 'a preview asks for no more than may be simulated');

interface FittedModels {
  readonly release: string;
  readonly history: History;
  readonly forecaster: Forecaster;
}

export class FittedForecasts implements Forecasts {
  readonly #read: () => Promise<ImportedHistory | null>;
  #fitted: FittedModels | null = null;

  /** `read` answers the history as it is now. */
  constructor(read: () => Promise<ImportedHistory | null>) {
    this.#read = read;
  }

  async of({ release: asked, eventId, race, grid }: PreviewQuestion): Promise<WeekendPreview | null> {
    const fitted = await this.#fit(asked);
    const weekend = fitted?.history.weekends.find((weekend) => weekend.eventId === eventId);
    if (fitted === null || weekend === undefined || (race === 'sprint' && !weekend.hasSprint)) return null;
    const { release, history, forecaster } = fitted;
    const simulations = FORECAST_SIMULATIONS;
    const seed = seedOf(release, eventId);
    const driverIds = new Map([...history.drivers.keys()].map((driverId) => [driverSlug(driverId), driverId]));
    const forecast = forecaster.forecast({
      eventId,
      race,
      grid: grid?.map((slug) => driverIds.get(slug) ?? slug) ?? null,
      simulations,
      seed,
    });
    const gridFrom = !forecast.gridKnown ? null : grid === null ? 'history' : 'qualifying';
    return weekendPreview(history, weekend, forecast, { release, simulations, seed, gridFrom });
  }

  async #fit(release: string): Promise<FittedModels | null> {
    if (this.#fitted?.release === release) return this.#fitted;
    const imported = await this.#read();
    if (imported === null) return null;
    this.#fitted = { ...imported, forecaster: new Forecaster(imported.history) };
    return this.#fitted;
  }
}

/** The same question, the same chance. */
function seedOf(release: string, eventId: string): number {
  return createHash('sha256').update(`${release} ${eventId}`).digest().readUInt32BE(0);
}
