// Fits the settings of previews on the seasons up to 2021, each session forecast from what came before it. Ratings,
// weights and temperature are found by their loss: that of the winner, and of the next places, each of which counts half
// of the one before, summed over what previews forecast (qualifying and race, with and without practice, on the grid alone
// and with the times that set it). Retirements are fitted apart, by the log-loss of who retires.
//
// The search goes through the settings one by one and keeps a change that makes the loss smaller by more than
// GAIN_MIN; its steps shrink from pass to pass. It has no chance in it.

import { assert } from '#engine/base/assert.ts';
import { SAFETY_CARS } from '#engine/seasons/forecast/forecaster.ts';
import { type Basis, Knowledge, type Ranking } from '#engine/seasons/forecast/knowledge.ts';
import { ASSUMED, type ModelSettings, type RetirementSettings } from '#engine/seasons/forecast/model-settings.ts';
import { hasRetired, hasStarted } from '#engine/seasons/forecast/race-start.ts';
import { fitRanking } from '#engine/seasons/forecast/ranking-model.ts';
import { RetirementRecord } from '#engine/seasons/forecast/retirement-hazard.ts';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import type { History } from '#engine/seasons/history/history.ts';
import { type Coefficients, F1DB, type Fit } from './fit.ts';

export const FIT_SEASON_MAX = 2021;
/** Seasons before it only teach the ratings. */
const SCORED_SEASON_MIN = 2017;
/** In the search, weights are fitted anew before every so many weekends. */
const REFIT_WEEKENDS = 20;
/** Places counted after the winner's, and the weight of each against the one before. */
const PLACES_SCORED = 6;
const PLACE_FADE = 0.5;
/** A change that gains less is not worth its risk; nats in a weekend, over all forecasts. */
const GAIN_MIN = 0.001;
/** Factors of the passes. A share of what is kept over a winter changes by a tenth of them. */
const STEPS = [1.6, 1.3, 1.3, 1.15, 1.15] as const;

const SCORED: readonly (readonly [Ranking, Basis])[] = [
  ['qualifying', 'rated'],
  ['qualifying', 'practised'],
  ['withoutGrid', 'rated'],
  ['withoutGrid', 'practised'],
  ['gridAlone', 'rated'],
  ['withGrid', 'practised'],
];

/** Where the search begins: weak beliefs, of the right order of magnitude. */
export const START: ModelSettings = {
  qualifying: {
    driverSpread: 0.15,
    constructorSpread: 0.75,
    rookieMean: 0.2,
    driverDrift: 0.02,
    constructorDrift: 0.1,
    driverWinter: { kept: 0.9, spread: 0.1 },
    constructorWinter: { kept: 0.8, spread: 0.3 },
    noise: 0.2,
    surpriseMax: 1,
    ...ASSUMED.qualifying,
  },
  race: {
    driverSpread: 0.3,
    constructorSpread: 0.9,
    rookieMean: -0.3,
    driverDrift: 0.02,
    constructorDrift: 0.05,
    driverWinter: { kept: 0.9, spread: 0.15 },
    constructorWinter: { kept: 0.8, spread: 0.2 },
    noise: 1,
    surpriseMax: 1,
    ...ASSUMED.race,
  },
  ranking: { placeWeight: 0.6, ridge: 2, halfLife: 150 },
  temperature: { halfLife: 60, prior: 8 },
  weightPriors: {
    qualifying: { rated: [0.5, 3], practised: [0.5, 3, 0.5, 0.5] },
    withoutGrid: { rated: [1, 1], practised: [1, 1, 0.5, 0.5] },
    gridAlone: { rated: [1, 1, 1, 0.5], practised: [1, 1, 1, 0.5, 0, 0] },
    withGrid: { rated: [1, 1, 1, 0.5], practised: [1, 1, 1, 0.5, 0, 0] },
  },
  practiceGapMax: 2.5,
  neutralisationNoise: 0.02,
  retirements: {
    halfLife: 40,
    driver: { prior: 100, halfLife: 40 },
    team: { prior: 100, halfLife: 40 },
    circuit: { prior: 100, halfLife: 40 },
  },
  circuitPrior: 5,
};

/** The numbers that the search changes, as paths: `race.noise`. */
export const RATING_PATHS: readonly string[] = ['qualifying', 'race', 'ranking', 'temperature']
  .flatMap((part) => pathsOf(START[part as keyof ModelSettings], part))
  .filter((path) => !path.includes('newRules') && !path.includes('newTeamMean'))
  .concat('practiceGapMax', 'neutralisationNoise', 'circuitPrior');
const RETIREMENT_PATHS = pathsOf(START.retirements, '');

export const PREVIEWS_FIT: Fit = {
  summary: 'ratings, weights and retirements of previews, from results since 2014',
  file: 'engine/seasons/forecast/coefficients/previews.json',
  sources: [F1DB],
  method:
    'Deterministic coordinate search (bench/fit/previews.ts) for the least loss of winners, poles and next places in 2017 to ' +
    '2021, each forecast from what came before it since 2014; retirements apart, by the log-loss of who retires. Prior ' +
    'weights: fitted to all orders of 2014 to 2021.',
  fit({ history: folder }, progress) {
    const history = upTo(readF1dbRelease(folder), FIT_SEASON_MAX);
    const retirements = searched(START.retirements, RETIREMENT_PATHS, STEPS, (settings) =>
      retirementLoss(history, settings),
    );
    progress(`retirements ${retirements.loss.toFixed(4)}`);
    const found = searched(
      { ...START, retirements: retirements.settings },
      RATING_PATHS,
      STEPS,
      (settings) => previewLoss(history, settings),
      progress,
    );
    const { qualifying, race, ...others } = withPriors(history, found.settings);
    const fittedOf = ({ newRules: _, newTeamMean: __, ...fitted }: ModelSettings['race']) => fitted;
    const values = { qualifying: fittedOf(qualifying), race: fittedOf(race), ...others };
    return { seasons: `2014 to ${FIT_SEASON_MAX}`, values: values as unknown as Record<string, Coefficients> };
  },
};

export function upTo(history: History, season: number): History {
  return { ...history, weekends: history.weekends.filter((weekend) => weekend.season <= season) };
}

/** Replaces the prior weights by those that fit all orders of the history. */
export function withPriors(history: History, settings: ModelSettings): ModelSettings {
  const knowledge = new Knowledge(history, settings);
  const priorOf = (ranking: Ranking, basis: Basis): readonly number[] => {
    const before = settings.weightPriors[ranking][basis];
    const all = { ...settings.ranking, halfLife: Number.MAX_SAFE_INTEGER };
    return [...fitRanking(knowledge.orders(history.weekends.length, ranking, basis), before, all)].map(rounded);
  };
  const both = (ranking: Ranking) => ({ rated: priorOf(ranking, 'rated'), practised: priorOf(ranking, 'practised') });
  const weightPriors = {
    qualifying: both('qualifying'),
    withoutGrid: both('withoutGrid'),
    gridAlone: both('gridAlone'),
    withGrid: both('withGrid'),
  };
  return { ...settings, weightPriors };
}

/** Mean over the scored weekends of the loss of all forecasts, in nats. */
export function previewLoss(history: History, settings: ModelSettings): number {
  const knowledge = new Knowledge(history, settings);
  const { neutralisationNoise } = settings;
  let loss = 0;
  let weekends = 0;
  const weights = new Map<string, Float64Array>();
  history.weekends.forEach(({ season, results }, index) => {
    if (season < SCORED_SEASON_MIN || results.length === 0) return;
    const refit = weekends++ % REFIT_WEEKENDS === 0;
    for (const [ranking, basis] of SCORED) {
      const key = `${ranking} ${basis}`;
      if (refit) weights.set(key, knowledge.weights(index, ranking, basis));
      const order = knowledge.orders(index + 1, ranking, basis)[index]!;
      const noise = ranking === 'qualifying' ? 0 : neutralisationNoise;
      if (order.length > 0) loss += orderLoss(order, weights.get(key)!, noise);
    }
  });
  assert(weekends > 0, 'the history has a race to score');
  return loss / weekends;
}

/** The negative logarithm of the chance of the first place, and of the next ones with less weight. */
function orderLoss(order: Float64Array, weights: Float64Array, noise: number): number {
  const width = weights.length;
  const utilities = Array.from({ length: order.length / width }, (_, driver) =>
    weights.reduce((sum, weight, i) => sum + weight * order[driver * width + i]!, 0),
  );
  const highest = Math.max(...utilities);
  const chances = new Float64Array(utilities.length);
  SAFETY_CARS.forEach((share, count) => {
    let left = 0;
    // From the last place, so that what is left to choose from is a sum of positive numbers.
    for (let place = utilities.length - 1; place >= 0; place--) {
      const strength = Math.exp((utilities[place]! - highest) / (1 + noise * count));
      left += strength;
      chances[place]! += (share * strength) / left;
    }
  });
  return chances
    .subarray(0, Math.min(PLACES_SCORED, chances.length - 1))
    .reduce((loss, chance, place) => loss - PLACE_FADE ** place * Math.log(Math.max(Number.MIN_VALUE, chance)), 0);
}

/** Mean log-loss of who retires, over the starts of the scored races. */
function retirementLoss(history: History, settings: RetirementSettings): number {
  const record = new RetirementRecord(settings);
  let loss = 0;
  let starts = 0;
  for (const weekend of history.weekends) {
    for (const result of weekend.season < SCORED_SEASON_MIN ? [] : weekend.results) {
      if (!hasStarted(result)) continue;
      const hazard = record.hazard(result, weekend.circuitId, 'grand_prix');
      loss -= Math.log(hasRetired(result) ? hazard : 1 - hazard);
      starts++;
    }
    record.learn(weekend);
  }
  return loss / starts;
}

/** The settings with the least loss that the search finds. */
export function searched<Settings extends object>(
  start: Settings,
  paths: readonly string[],
  steps: readonly number[],
  lossOf: (settings: Settings) => number,
  progress: (line: string) => void = () => {},
): { readonly settings: Settings; readonly loss: number } {
  let settings = start;
  let loss = lossOf(settings);
  for (const step of steps) {
    for (const path of paths) {
      const value = valueAt(settings, path);
      const candidates = path.endsWith('kept')
        ? [Math.min(1, value + (step - 1) / 10), value - (step - 1) / 10]
        : [value * step, value / step];
      for (const candidate of candidates.map(rounded)) {
        const changed = withValue(settings, path, candidate);
        const changedLoss = lossOf(changed);
        if (!(changedLoss < loss - gainMin(start))) continue;
        settings = changed;
        loss = changedLoss;
        break;
      }
    }
    progress(`step ${step}: loss ${loss.toFixed(4)}`);
  }
  return { settings, loss };
}

/** Retirements are scored by the start, of which a weekend has some twenty. */
function gainMin(start: object): number {
  return 'ranking' in start ? GAIN_MIN : GAIN_MIN / 20;
}

export function pathsOf(value: unknown, path: string): readonly string[] {
  if (typeof value === 'number') return [path];
  return Object.entries(value as object).flatMap(([name, inner]) =>
    pathsOf(inner, path === '' ? name : `${path}.${name}`),
  );
}

function valueAt(settings: object, path: string): number {
  return path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], settings) as number;
}

function withValue<Settings extends object>(settings: Settings, path: string, value: number): Settings {
  const [name, ...rest] = path.split('.');
  if (Array.isArray(settings)) return settings.with(Number(name), value) as unknown as Settings;
  const inner = (settings as Record<string, unknown>)[name!];
  return { ...settings, [name!]: rest.length === 0 ? value : withValue(inner as object, rest.join('.'), value) };
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
