// championship.prediction: the changes in the predicted standings of drivers and teams.

import { integerOf, type JsonObject, numberOf, objectOf, textOf } from '#engine/base/json-value.ts';
import { racingNumbers } from '#engine/racing/session/session-state.ts';
import { slugOf } from '#engine/racing/slug.ts';
import type { PredictedDriver, PredictedStanding, PredictedTeam } from '#schemas/webhook/championship-prediction.ts';
import { NOTHING, type Normalise } from './normaliser.ts';

export const championshipPrediction: Normalise = (changes, state) => {
  const changedDrivers = objectOf(changes.Drivers);
  const drivers: PredictedDriver[] = [];
  for (const number of racingNumbers(changedDrivers)) {
    const standing = standingOf(objectOf(changedDrivers[number]));
    if (standing !== null) drivers.push({ ...state.driver(number), ...standing });
  }
  const changedTeams = objectOf(changes.Teams);
  const known = objectOf(state.topic('ChampionshipPrediction').Teams);
  const teams: PredictedTeam[] = [];
  for (const entrant of Object.keys(changedTeams)) {
    const standing = standingOf(objectOf(changedTeams[entrant]));
    if (standing === null) continue;
    const team = textOf(objectOf(known[entrant]).TeamName);
    teams.push({ entrant, team, constructorId: team === null ? null : slugOf(team), ...standing });
  }
  return drivers.length === 0 && teams.length === 0 ? NOTHING : [{ drivers, teams }];
};

function standingOf(change: JsonObject): PredictedStanding | null {
  const standing: PredictedStanding = {};
  if (Object.hasOwn(change, 'CurrentPosition')) standing.currentPosition = integerOf(change.CurrentPosition);
  if (Object.hasOwn(change, 'PredictedPosition')) standing.predictedPosition = integerOf(change.PredictedPosition);
  if (Object.hasOwn(change, 'CurrentPoints')) standing.currentPoints = numberOf(change.CurrentPoints);
  if (Object.hasOwn(change, 'PredictedPoints')) standing.predictedPoints = numberOf(change.PredictedPoints);
  return Object.keys(standing).length === 0 ? null : standing;
}
