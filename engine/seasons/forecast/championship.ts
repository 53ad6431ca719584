// Title chances: simulates the rest of the season many times from today's points. The strength of a driver is
// uncertain, so each simulated season draws one strength for him and one for his team and keeps them to the end. An
// underrated driver then wins race after race, instead of drawing his luck anew for each race.

import type { Random } from '#engine/base/random.ts';
import type { RaceKind } from '#engine/racing/race-kind.ts';
import { type RaceModel, RaceSimulation } from './race-simulation.ts';
import type { Entrant } from './ratings.ts';

export interface SeasonRace {
  readonly model: RaceModel;
  /** Indexes of the entrants who take part, in the order of the model. */
  readonly entrants: readonly number[];
  readonly kind: RaceKind;
  /** Points by place, the winner's first. */
  readonly points: readonly number[];
}

export interface Season {
  readonly entrants: readonly Entrant[];
  /** Uncertainty of their strengths, as standard deviations of the logarithm. */
  readonly driverUncertainties: readonly number[];
  readonly constructorUncertainties: ReadonlyMap<string, number>;
  readonly races: readonly SeasonRace[];
  /** Today's points of all who have any, and wins, which break ties. */
  readonly driverPoints: ReadonlyMap<string, number>;
  readonly driverWins: ReadonlyMap<string, number>;
  readonly constructorPoints: ReadonlyMap<string, number>;
  readonly constructorWins: ReadonlyMap<string, number>;
}

/** Title chances of all who have or can score points. Each map sums to one. */
export interface TitleProbabilities {
  readonly drivers: ReadonlyMap<string, number>;
  readonly constructors: ReadonlyMap<string, number>;
}

/** The value of a win as a tie-break: all wins together stay below one point. A sprint win does not count. */
const WIN_WORTH = 1 / 1_024;

export function simulateSeasons(season: Season, simulations: number, random: Random): TitleProbabilities {
  const { entrants, races, driverUncertainties, constructorUncertainties } = season;
  const drivers = new TitleRace(season.driverPoints, season.driverWins);
  const constructors = new TitleRace(season.constructorPoints, season.constructorWins);
  const driverRows = entrants.map(({ driverId }) => drivers.rowOf(driverId));
  const constructorRows = entrants.map(({ constructorId }) => constructors.rowOf(constructorId));
  const teams = [...new Set(entrants.map(({ constructorId }) => constructorId))];
  const teamOfEntrant = entrants.map(({ constructorId }) => teams.indexOf(constructorId));
  const teamUncertainties = teams.map((constructorId) => constructorUncertainties.get(constructorId) ?? 0);
  const teamShifts = new Float64Array(teams.length);
  const simulatedRaces = races.map(({ model, entrants: own, kind, points }) => ({
    race: new RaceSimulation(model, random),
    own,
    points,
    winWorth: kind === 'grand_prix' ? WIN_WORTH : 0,
    factors: new Float64Array(own.length),
  }));
  const factors = new Float64Array(entrants.length);
  for (let simulation = 0; simulation < simulations; simulation++) {
    drivers.begin();
    constructors.begin();
    for (let team = 0; team < teams.length; team++) teamShifts[team] = teamUncertainties[team]! * normal(random);
    for (let entrant = 0; entrant < entrants.length; entrant++) {
      factors[entrant] = Math.exp(
        teamShifts[teamOfEntrant[entrant]!]! + driverUncertainties[entrant]! * normal(random),
      );
    }
    for (const { race, own, points, winWorth, factors: raceFactors } of simulatedRaces) {
      for (let driver = 0; driver < own.length; driver++) raceFactors[driver] = factors[own[driver]!]!;
      race.run(raceFactors);
      const scored = Math.min(race.finishers, points.length);
      for (let place = 0; place < scored; place++) {
        const entrant = own[race.order[place]!]!;
        const worth = points[place]! + (place === 0 ? winWorth : 0);
        drivers.add(driverRows[entrant]!, worth);
        constructors.add(constructorRows[entrant]!, worth);
      }
    }
    drivers.end();
    constructors.end();
  }
  return { drivers: drivers.probabilities(simulations), constructors: constructors.probabilities(simulations) };
}

/** The points of one championship over many simulated seasons. */
class TitleRace {
  readonly #ids: string[] = [];
  readonly #rows = new Map<string, number>();
  readonly #start: number[] = [];
  #points = new Float64Array(0);
  #titles = new Float64Array(0);

  constructor(points: ReadonlyMap<string, number>, wins: ReadonlyMap<string, number>) {
    for (const [id, value] of points) this.#start[this.rowOf(id)] = value + (wins.get(id) ?? 0) * WIN_WORTH;
  }

  rowOf(id: string): number {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    this.#rows.set(id, this.#ids.length);
    this.#start.push(0);
    return this.#ids.push(id) - 1;
  }

  begin(): void {
    if (this.#points.length !== this.#ids.length) {
      this.#points = new Float64Array(this.#ids.length);
      this.#titles = new Float64Array(this.#ids.length);
    }
    this.#points.set(this.#start);
  }

  add(row: number, worth: number): void {
    this.#points[row]! += worth;
  }

  /** Entrants level at the top share the title. */
  end(): void {
    let best = -1;
    let level = 0;
    for (const points of this.#points) {
      if (points > best) {
        best = points;
        level = 1;
      } else if (points === best) level++;
    }
    for (let row = 0; row < this.#points.length; row++) {
      if (this.#points[row] === best) this.#titles[row]! += 1 / level;
    }
  }

  probabilities(simulations: number): ReadonlyMap<string, number> {
    return new Map(this.#ids.map((id, row) => [id, this.#titles[row]! / simulations]));
  }
}

/** Draws from the standard normal distribution (Box-Muller). */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
