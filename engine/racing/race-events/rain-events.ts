// rain_start: the weather station begins to report rain. rain_stop: it has reported none for three minutes, so a
// drizzle counts as one rain. Its first report is not news. The station is in one place: it may rain elsewhere on the
// track.

import { numberOf } from '#engine/base/json-value.ts';
import { type MergedFrame, NO_EVENTS, plainEvent, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';

/** How long the station must report no rain before the rain counts as stopped. */
const RAIN_DRY_MS = 180_000;

type Weather =
  | { readonly kind: 'unknown' | 'dry' | 'rain' }
  /** No rain since then, but not long enough for rain_stop. */
  | { readonly kind: 'drying'; readonly sinceUtcMs: number };

export class RainEvents implements RaceEventRule {
  readonly topics = ['WeatherData'];
  #weather: Weather = { kind: 'unknown' };

  apply({ state, utcMs }: MergedFrame): readonly RaceEvent[] {
    const rainfall = numberOf(state.topic('WeatherData').Rainfall);
    if (rainfall === null) return NO_EVENTS;
    const before = this.#weather;
    if (rainfall > 0) {
      this.#weather = { kind: 'rain' };
      return before.kind === 'dry' ? [plainEvent('rain_start')] : NO_EVENTS;
    }
    if (before.kind === 'rain') this.#weather = { kind: 'drying', sinceUtcMs: utcMs };
    if (before.kind === 'unknown') this.#weather = { kind: 'dry' };
    if (before.kind !== 'drying' || utcMs - before.sinceUtcMs < RAIN_DRY_MS) return NO_EVENTS;
    this.#weather = { kind: 'dry' };
    return [plainEvent('rain_stop')];
  }
}
