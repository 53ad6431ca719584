// What the models expect of a race, in the words of the interface: ids of the history become names, and the history's facts
// of the weekend are told beside it.

import type { Static } from 'typebox';
import type { EventForecast } from '#engine/forecast/forecast.ts';
import { driverSlug } from '#engine/history/driver-slug.ts';
import { HISTORY_ATTRIBUTION, type History, type RaceWeekend } from '#engine/history/history.ts';
import type { Preview } from '#schemas/http/previews.ts';
import { modelCard } from './model-card.ts';

/** What the same forecast says of any session that it is shown with. */
export type PreviewParts = Required<
  Omit<Static<typeof Preview>, 'sessionId' | 'type' | 'startDate' | 'status' | 'view' | 'message'>
>;

export interface WeekendPreview {
  readonly parts: PreviewParts;
  /** What the history tells of the weekend's sessions. */
  readonly weekend: {
    /** Start of the Grand Prix, Unix epoch milliseconds; null when it is not known. */
    readonly startUtcMs: number | null;
    /** Whether the race that is forecast was held. */
    readonly raceHeld: boolean;
    readonly qualifyingHeld: boolean;
  };
}

interface Entrant {
  readonly driverId: string;
  readonly constructorId: string;
}

/** How the forecast came about. */
type Circumstances = Pick<PreviewParts['generatedFrom'], 'release' | 'simulations' | 'seed' | 'gridFrom'>;

const WINNERS_SHOWN = 3;

export function weekendPreview(
  { drivers, constructors }: History,
  weekend: RaceWeekend,
  forecast: EventForecast,
  circumstances: Circumstances,
): WeekendPreview {
  const { race, circuit, strategy, championship, learntTo, gridKnown } = forecast;
  const teamOf = (constructorId: string) => constructors.get(constructorId)?.name ?? constructorId;
  const named = <Entry extends Entrant>({ driverId, constructorId, ...rest }: Entry) => {
    const { tla, name } = drivers.get(driverId) ?? { tla: '', name: driverId };
    return { driver: driverSlug(driverId), tla, name, team: teamOf(constructorId), ...rest };
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
    },
    parts: {
      eventId: weekend.eventId,
      name: weekend.name,
      circuitName,
      generatedFrom: { ...circumstances, learntTo, gridKnown },
      headline: {
        winners: winProbability.slice(0, WINNERS_SHOWN),
        poleFavourite: qualifyingProbability[0] ?? null,
      },
      winProbability,
      qualifyingProbability,
      expectedStrategy: {
        ...strategy,
        stops: [...strategy.stops],
        compounds: null,
        compoundsReason: 'not in the history',
      },
      circuitIntelligence: { ...circuit, circuitName },
      championshipForm: {
        ...championship,
        drivers: championship.drivers.map((form) => ({ ...named(form), latest: [...form.latest] })),
        constructors: championship.constructors.map(({ constructorId, ...form }) => ({
          team: teamOf(constructorId),
          ...form,
        })),
      },
      model: modelCard(gridKnown),
      attribution: HISTORY_ATTRIBUTION,
    },
  };
}
