// Who takes part, as panels show it: code, team colour, and which of a team's two drivers has the dashed line.

import type { ShownUpdate } from '../show/fold.ts';
import { isOf } from './update-of.ts';

/** No series has more cars on the track. */
const ENTRANTS_MAX = 60;
const HEX_COLOUR = /^[0-9A-Fa-f]{6}$/;

export interface Entrant {
  readonly number: string;
  /** The three-letter code, or the number until the code is known. */
  readonly code: string;
  readonly name: string;
  readonly team: string | null;
  /** Hexadecimal RGB without its sign; null: not known. */
  readonly colour: string | null;
  /** Whether a driver of the same team was listed before: the line is dashed. */
  readonly isSecond: boolean;
  readonly position: number | null;
}

interface Identity {
  readonly number: string;
  readonly tla: string | null;
  readonly name: string | null;
  readonly team: string | null;
  readonly position: number | null;
  readonly teamColor?: string | null;
}

export class Entrants {
  /** Counts changes of what lines and legends look like; positions are not among them. */
  version = 0;
  #byNumber = new Map<string, Entrant>();

  reset(): void {
    this.#byNumber = new Map();
    this.version++;
  }

  /** Learns from what every update of drivers says. */
  take(update: ShownUpdate): void {
    const { drivers } = update.payload as { readonly drivers?: unknown };
    if (!Array.isArray(drivers)) return;
    const isList = isOf(update, 'timing.driver-info');
    for (const driver of drivers as readonly Identity[]) {
      const known = this.#byNumber.get(driver.number);
      if (known === undefined || isList || known.team === null) this.#learn(driver, known);
      else if (driver.position !== known.position)
        this.#byNumber.set(driver.number, { ...known, position: driver.position });
    }
  }

  get(number: string): Entrant | undefined {
    return this.#byNumber.get(number);
  }

  /** By current position; those without one come last. */
  inOrder(): readonly Entrant[] {
    return [...this.#byNumber.values()].sort((a, b) => (a.position ?? ENTRANTS_MAX) - (b.position ?? ENTRANTS_MAX));
  }

  #learn({ number, tla, name, team, position, teamColor }: Identity, known: Entrant | undefined): void {
    if (known === undefined && this.#byNumber.size === ENTRANTS_MAX) return;
    const colour = typeof teamColor === 'string' && HEX_COLOUR.test(teamColor) ? teamColor : (known?.colour ?? null);
    const learned = {
      number,
      code: tla ?? known?.code ?? number,
      name: name ?? known?.name ?? number,
      team: team ?? known?.team ?? null,
      colour,
      isSecond: known?.team != null ? known.isSecond : this.#hasTeammate(number, team),
      position,
    };
    this.#byNumber.set(number, learned);
    if (
      known?.code !== learned.code ||
      known.name !== learned.name ||
      known.team !== learned.team ||
      known.colour !== learned.colour
    )
      this.version++;
  }

  #hasTeammate(number: string, team: string | null): boolean {
    if (team === null) return false;
    for (const other of this.#byNumber.values()) if (other.team === team && other.number !== number) return true;
    return false;
  }
}
