// Runs the models of a session: it keeps their picture of it, and lets them speak when there is something new. They speak
// one a frame, in the order of their list, so that no single frame waits for all of them.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { MergedFrame } from '#engine/racing/race-events/race-event-rule.ts';
import type { AnalyticsFeed, QualifyingModel, RaceModel } from './analytics-model.ts';
import { QualifyingPicture } from './qualifying-picture.ts';
import { RacePicture } from './race-picture.ts';

export interface AnalyticsUpdate {
  readonly feed: AnalyticsFeed;
  readonly content: Content;
}

/** Of one session; what a series' analytics look like from outside. */
export interface SessionAnalytics {
  /** What the frame, and those before it, gave a model to say; null: nothing. */
  apply(frame: MergedFrame): AnalyticsUpdate | null;
}

/** What makes the models speak: a lap, the flag, who is out, and that the race is over. */
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
  /** Models that have spoken since the latest moment. */
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
