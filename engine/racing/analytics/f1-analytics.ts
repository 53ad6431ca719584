// The Formula One models by kind of session. They run in the order of these lists.

import type { MergedFrame } from '#engine/racing/race-events/race-event-rule.ts';
import type { QualifyingModel, RaceModel } from './analytics-model.ts';
import { Battles } from './battles.ts';
import { Championship } from './championship.ts';
import { GapProjection } from './gap-projection.ts';
import { OddsMaker } from './odds.ts';
import { PitWindow } from './pit-window.ts';
import { QualifyingOdds } from './qualifying-odds.ts';
import { RaceOdds } from './race-odds.ts';
import { SafetyCarRisk } from './safety-car-risk.ts';
import { SectorPace } from './sector-pace.ts';
import {
  type AnalyticsUpdate,
  QualifyingAnalytics,
  RaceAnalytics,
  type SessionAnalytics,
} from './session-analytics.ts';
import { StopForecasts } from './stop-forecasts.ts';
import { Strategy } from './strategy.ts';
import { LatestTeamGains } from './team-gains.ts';
import { TeamPoints } from './team-points.ts';
import { TireHealth } from './tire-health.ts';
import { TireStrategy } from './tire-strategy.ts';
import { TruePace } from './true-pace.ts';
import { WinningMargin } from './winning-margin.ts';

/** New models for one session. They are stateful. */
function raceModels(): readonly RaceModel[] {
  const odds = new OddsMaker();
  const gains = new LatestTeamGains();
  const stops = new StopForecasts();
  return [
    new TruePace(),
    new TireHealth(),
    new PitWindow(stops),
    new Strategy(stops),
    new GapProjection(),
    new RaceOdds(odds),
    new Championship(odds, gains),
    new SafetyCarRisk(),
    new Battles(),
    new WinningMargin(odds),
    new TeamPoints(odds, gains),
    new TireStrategy(stops),
    new SectorPace(),
  ];
}

function qualifyingModels(): readonly QualifyingModel[] {
  return [new QualifyingOdds()];
}

/** Chooses the models frame by frame, because it may take some until they tell the kind of session. */
export class F1Analytics implements SessionAnalytics {
  readonly #race = new RaceAnalytics(raceModels());
  readonly #qualifying = new QualifyingAnalytics(qualifyingModels());

  apply(frame: MergedFrame): AnalyticsUpdate | null {
    const { state } = frame;
    if (state.isRace) return this.#race.apply(frame);
    return state.isQualifying ? this.#qualifying.apply(frame) : null;
  }
}
