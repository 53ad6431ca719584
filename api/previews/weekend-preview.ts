// Converts a forecast to the shape of the API. Ids of the race history become names, and the history's facts about the
// weekend are added.

import type { Static } from 'typebox';
import { driverSlug } from '#engine/racing/driver-slug.ts';
import type { EventForecast } from '#engine/seasons/forecast/forecast.ts';
import { HISTORY_ATTRIBUTION, type History, type RaceWeekend } from '#engine/seasons/history/history.ts';
import { teamName } from '#engine/seasons/history/team-name.ts';
import type { Preview } from '#schemas/http/previews.ts';
import { modelCard } from './model-card.ts';

/** The parts that are the same for every session previewed from one forecast. */
export type PreviewParts = Required<
  Omit<Static<typeof Preview>, 'sessionId' | 'type' | 'startDate' | 'status' | 'view' | 'message'>
>;

export interface WeekendPreview {
  readonly parts: PreviewParts;
  /** Facts about the weekend from the race history. */
  readonly weekend: {
    /** Start of the Grand Prix in Unix milliseconds; null if unknown. */
    readonly startUtcMs: number | null;
    /** Whether the forecast race was held. */
    readonly raceHeld: boolean;
    readonly qualifyingHeld: boolean;
    /** Earlier weekends of the season whose results the history lacks. */
    readonly roundsMissing: number;
  };
}

interface Entrant {
  readonly driverId: string;
  readonly constructorId: string;
}

/** The inputs of the forecast. */
type Circumstances = Pick<PreviewParts['generatedFrom'], 'release' | 'simulations' | 'seed' | 'gridFrom'>;

const WINNERS_SHOWN = 3;

export function weekendPreview(
  { drivers, constructors, weekends }: History,
  weekend: RaceWeekend,
  forecast: EventForecast,
  circumstances: Circumstances,
): WeekendPreview {
  const { race, circuit, strategy, championship, learntTo, gridKnown, known } = forecast;
  const teamOf = (constructorId: string) => teamName(constructors, constructorId, weekend.season);
  const named = <Entry extends Entrant>({ driverId, constructorId, ...rest }: Entry) => {
    const { tla, name } = drivers.get(driverId) ?? { tla: '', name: driverId };
    return { driver: driverSlug(driverId), tla, name, ...teamOf(constructorId), ...rest };
  };
  const circuitName = circuit.name;
  const winProbability = forecast.drivers.map(named);
  const qualifyingProbability = forecast.qualifying.map(named);
  const [results, qualifying] =
    race === 'sprint' ? [weekend.sprintResults, weekend.sprintQualifying] : [weekend.results, weekend.qualifying];
  return {
    weekend: {
      startUtcMs: weekend.startUtcMs,
      raceHeld: results.length > 0,
      qualifyingHeld: qualifying.length > 0,
      roundsMissing: weekends.filter(
        ({ season, round, results }) => season === weekend.season && round < weekend.round && results.length === 0,
      ).length,
    },
    parts: {
      eventId: weekend.eventId,
      name: weekend.name,
      circuitName,
      generatedFrom: { ...circumstances, learntTo, gridKnown, known },
      headline: {
        winners: winProbability.slice(0, WINNERS_SHOWN),
        poleFavourite: qualifyingProbability[0] ?? null,
      },
      winProbability,
      qualifyingProbability,
      expectedStrategy: {
        ...strategy,
        stops: [...strategy.stops],
        meanStops: rounded(strategy.meanStops),
        compounds: null,
        compoundsReason: 'not in the history',
      },
      circuitIntelligence: {
        circuitName,
        overtakingDifficulty: {
          ...circuit.overtakingDifficulty,
          value: rounded(circuit.overtakingDifficulty.value),
          meanPlacesMoved: rounded(circuit.overtakingDifficulty.meanPlacesMoved),
        },
        poleToWin: roundedRate(circuit.poleToWin),
        safetyCar: roundedRate(circuit.safetyCar),
        retirements: roundedRate(circuit.retirements),
      },
      championshipForm: {
        ...championship,
        drivers: championship.drivers.map((form) => ({ ...named(form), latest: [...form.latest] })),
        constructors: championship.constructors.map(({ constructorId, ...form }) => ({
          ...teamOf(constructorId),
          ...form,
        })),
      },
      model: modelCard(known),
      attribution: HISTORY_ATTRIBUTION,
    },
  };
}

/** Drops digits without meaning. Probabilities that must sum to one are not rounded. */
function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function roundedRate<Rate extends { readonly rate: number }>(counted: Rate): Rate {
  return { ...counted, rate: rounded(counted.rate) };
}
