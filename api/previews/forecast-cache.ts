// Caches forecasts: the same question to the same release always has the same result. A caller whose question is
// already being computed waits for that result. Different questions wait in a bounded queue.

import { LRUCache } from 'lru-cache';
import { ApiError } from '#api/http/api-error.ts';
import { FORECASTS_CACHED_MAX, FORECASTS_WAITING_MAX } from '#engine/base/limits.ts';
import type { Forecasts, PreviewQuestion } from './forecasts.ts';
import type { WeekendPreview } from './weekend-preview.ts';

export class ForecastCache implements Forecasts {
  readonly #forecasts: Forecasts;
  readonly #waitingMax: number;
  readonly #kept = new LRUCache<string, WeekendPreview>({ max: FORECASTS_CACHED_MAX });
  readonly #underWay = new Map<string, Promise<WeekendPreview | null>>();

  constructor(forecasts: Forecasts, waitingMax = FORECASTS_WAITING_MAX) {
    this.#forecasts = forecasts;
    this.#waitingMax = waitingMax;
  }

  async of(question: PreviewQuestion): Promise<WeekendPreview | null> {
    const key = keyOf(question);
    return this.#kept.get(key) ?? this.#underWay.get(key) ?? this.#compute(question, key);
  }

  #compute(question: PreviewQuestion, key: string): Promise<WeekendPreview | null> {
    if (this.#underWay.size >= this.#waitingMax) throw new ApiError('unavailable', undefined, { 'retry-after': '5' });
    const working = this.#forecasts
      .of(question)
      .then((preview) => {
        const release = preview?.parts.generatedFrom.release;
        if (preview !== null) this.#kept.set(keyOf({ ...question, release: release! }), preview);
        return preview;
      })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, working);
    return working;
  }
}

function keyOf({ release, eventId, race, grid }: PreviewQuestion): string {
  return JSON.stringify([release, eventId, race, grid]);
}
