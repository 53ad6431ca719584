// Makes forecasts with the models, on the calling thread. Fitting the models takes most of the time, so they are fitted
// once per release of the history and kept.

import { createHash } from 'node:crypto';
import { assert } from '#engine/base/assert.ts';
import { FORECAST_SIMULATIONS_MAX } from '#engine/base/limits.ts';
import { driverSlug } from '#engine/racing/driver-slug.ts';
import type { KnownBefore } from '#engine/racing/session/known-before.ts';
import { Forecaster } from '#engine/seasons/forecast/forecaster.ts';
import { strengthsMessage } from '#engine/seasons/forecast/strengths-frame.ts';
import type { History } from '#engine/seasons/history/history.ts';
import type { Forecasts, PreviewQuestion } from './forecasts.ts';
import type { ImportedHistory } from './imported-history.ts';
import { type WeekendPreview, weekendPreview } from './weekend-preview.ts';

/** Simulated races per forecast. A probability of 0.5 is then within one percentage point in 95 % of cases. */
const FORECAST_SIMULATIONS = 10_000;

assert(FORECAST_SIMULATIONS <= FORECAST_SIMULATIONS_MAX, 'a preview stays within the bound on simulations');

interface FittedModels {
  readonly release: string;
  readonly history: History;
  readonly forecaster: Forecaster;
}

export class FittedForecasts implements Forecasts {
  readonly #read: () => Promise<ImportedHistory | null>;
  #fitted: FittedModels | null = null;

  /** `read` resolves with the current history. */
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

  async strengths(eventId: string): Promise<KnownBefore | null> {
    const imported = await this.#read();
    if (imported === null) return null;
    const fitted = await this.#fit(imported.release);
    return fitted && strengthsMessage(fitted.forecaster, eventId);
  }

  async #fit(release: string): Promise<FittedModels | null> {
    if (this.#fitted?.release === release) return this.#fitted;
    const imported = await this.#read();
    if (imported === null) return null;
    this.#fitted = { ...imported, forecaster: new Forecaster(imported.history) };
    return this.#fitted;
  }
}

/** The same question gets the same random numbers. */
function seedOf(release: string, eventId: string): number {
  return createHash('sha256').update(`${release} ${eventId}`).digest().readUInt32BE(0);
}
