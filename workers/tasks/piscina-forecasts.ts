// Computes forecasts on a worker thread of their own, one at a time. The thread starts with the first question and
// stays alive, because it caches the fitted models.

import { ApiError } from '#api/http/api-error.ts';
import type { Forecasts, PreviewQuestion } from '#api/previews/forecasts.ts';
import type { WeekendPreview } from '#api/previews/weekend-preview.ts';
import type { KnownBefore } from '#engine/racing/session/known-before.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import type { ForecastJob, ForecastResult } from './forecast.ts';
import { PiscinaThread } from './piscina-thread.ts';

export class PiscinaForecasts implements Forecasts {
  readonly #connection: ConnectionSettings;
  readonly #thread = new PiscinaThread<ForecastJob, ForecastResult>(
    new URL('forecast.ts', import.meta.url),
    'forecast',
    Number.POSITIVE_INFINITY,
  );

  /** `connection` to the database with the history. */
  constructor(connection: ConnectionSettings) {
    this.#connection = connection;
  }

  async of(question: PreviewQuestion): Promise<WeekendPreview | null> {
    return (await this.#answer(question)) as WeekendPreview | null;
  }

  /** How strong the drivers of an event were before it. Null: the history does not say. */
  async strengths(eventId: string): Promise<KnownBefore | null> {
    return (await this.#answer(eventId)) as KnownBefore | null;
  }

  async #answer(question: PreviewQuestion | string): Promise<WeekendPreview | KnownBefore | null> {
    const result = await this.#thread.run({ connection: this.#connection, question });
    if (result === 'database_away') throw new ApiError('unavailable', undefined, { 'retry-after': '1' });
    return result;
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
