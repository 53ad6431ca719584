// Runs the models of a session: keeps the picture they share and calls them when something relevant changed. At most
// one model runs per frame, in the order of the list, so no single frame pays for all of them.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { MergedFrame } from '#engine/racing/race-events/race-event-rule.ts';
import type { AnalyticsFeed, QualifyingModel, RaceModel } from './analytics-model.ts';
import { QualifyingPicture } from './qualifying-picture.ts';
import { RacePicture } from './race-picture.ts';

export interface AnalyticsUpdate {
  readonly feed: AnalyticsFeed;
  readonly content: Content;
}

/** The analytics of one session. Each series implements this. */
export interface SessionAnalytics {
  /** Takes the next frame in order. Returns an update, or null. */
  apply(frame: MergedFrame): AnalyticsUpdate | null;
}

/** A change of any of these makes the models run: a new lap, the flag, another car out, the end of the race. */
interface Moment {
  readonly lap: number | null;
  readonly green: boolean;
  readonly out: number;
  readonly over: boolean;
}

export class RaceAnalytics implements SessionAnalytics {
  readonly #models: readonly RaceModel[];
  readonly #picture = new RacePicture();
  readonly #topics = new Set(RacePicture.topics);
  #moment: Moment = { lap: null, green: true, out: 0, over: false };
  /** Index of the next model to run. The number of models: all have run since the latest moment. */
  #nextModel: number;

  constructor(models: readonly RaceModel[]) {
    this.#models = models;
    this.#nextModel = models.length;
  }

  apply(frame: MergedFrame): AnalyticsUpdate | null {
    if (this.#topics.has(frame.topic) && this.#picture.apply(frame) && this.#isNewMoment()) this.#nextModel = 0;
    if (this.#nextModel === this.#models.length) return null;
    const model = this.#models[this.#nextModel++]!;
    const { over } = this.#moment;
    const content = over ? model.emitFinal?.(this.#picture, frame.state) : model.emit(this.#picture, frame.state);
    return content == null ? null : { feed: model.feed, content };
  }

  #isNewMoment(): boolean {
    const { lap, isGreen: green, isStarted, isFinished } = this.#picture;
    const before = this.#moment;
    const over = isFinished && before.lap !== null;
    if (lap === null || !(isStarted || over)) return false;
    let out = 0;
    for (const { place } of this.#picture.cars()) if (place === 'out') out++;
    if (over ? before.over : lap === before.lap && green === before.green && out <= before.out) return false;
    this.#moment = { lap, green, out, over };
    return true;
  }
}

export class QualifyingAnalytics implements SessionAnalytics {
  readonly #models: readonly QualifyingModel[];
  readonly #picture = new QualifyingPicture();
  readonly #topics = new Set(QualifyingPicture.topics);
  #nextModel: number;

  constructor(models: readonly QualifyingModel[]) {
    this.#models = models;
    this.#nextModel = models.length;
  }

  apply(frame: MergedFrame): AnalyticsUpdate | null {
    if (this.#topics.has(frame.topic) && this.#picture.apply(frame)) this.#nextModel = 0;
    if (this.#nextModel === this.#models.length) return null;
    const model = this.#models[this.#nextModel++]!;
    const content = model.emit(this.#picture, frame.state);
    return content === null ? null : { feed: model.feed, content };
  }
}
