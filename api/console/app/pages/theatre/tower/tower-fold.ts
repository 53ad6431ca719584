// What the timing tower shows of each driver, kept from the updates of the timing and tyre feeds. Every payload with drivers
// names them in full, so a driver is known from the first one.

import type {
  TimingAppDataPayload,
  TimingDataPayload,
  TimingDriverInfoPayload,
  TireCurrentPayload,
  TireStintsPayload,
} from '#api/client/payloads.ts';
import type { Fold, ShownUpdate } from '../show/updates.ts';
import { QualifyingGaps } from './qualifying-gaps.ts';

/** Drivers of one session, reserves included. Further ones are not shown. */
const DRIVERS_MAX = 100;
const SECTORS_MAX = 3;
const SEGMENTS_MAX = 20;

export type Merit = 'overall' | 'personal' | 'none';

export interface LapTime {
  readonly display: string;
  readonly ms: number | null;
}

export interface SectorShown {
  readonly time: LapTime | null;
  readonly merit: Merit;
  /** The status of each mini-sector. */
  readonly segments: readonly number[];
}

export interface DriverShown {
  readonly number: string;
  /** Changes with anything of the driver that is shown. None comes twice, not even after a reset: rows are drawn by it. */
  readonly version: number;
  readonly tla: string | null;
  readonly name: string | null;
  readonly team: string | null;
  /** Hexadecimal RGB, checked; null: not known. */
  readonly teamColor: string | null;
  readonly position: number | null;
  readonly gridPosition: number | null;
  readonly gap: string | null;
  readonly gapSeconds: number | null;
  readonly interval: string | null;
  readonly lapsCompleted: number;
  readonly lastLap: LapTime | null;
  readonly lastMerit: Merit;
  readonly bestLap: LapTime | null;
  readonly bestLapNumber: number | null;
  readonly sectors: readonly SectorShown[];
  readonly speedTrapKph: number | null;
  readonly stops: number;
  readonly stint: number;
  readonly compound: string | null;
  readonly isNewTyre: boolean | null;
  readonly tyreAge: number | null;
  readonly inPit: boolean;
  readonly pitOut: boolean;
  readonly stopped: boolean;
  readonly retired: boolean;
  readonly knockedOut: boolean;
  readonly inDropZone: boolean;
}

type Driver = { -readonly [Field in keyof DriverShown]: DriverShown[Field] };

interface Identity {
  readonly number: string;
  readonly tla: string | null;
  readonly name: string | null;
  readonly team: string | null;
  readonly position: number | null;
}

type TimingDriver = TimingDataPayload['drivers'][number];

export class TowerFold implements Fold {
  readonly #drivers = new Map<string, Driver>();
  readonly #qualifying = new Map<string, QualifyingGaps>();
  /** The part of qualifying that is driven; 0: none. */
  #part = 0;
  #lastVersion = 0;
  #order: readonly DriverShown[] = [];
  #isSorted = true;

  reset(): void {
    this.#drivers.clear();
    this.#qualifying.clear();
    this.#part = 0;
    this.#order = [];
    this.#isSorted = true;
  }

  /** The first first; those without a position last. */
  get order(): readonly DriverShown[] {
    if (!this.#isSorted) {
      this.#order = [...this.#drivers.values()].sort(
        (a, b) => (a.position ?? Number.POSITIVE_INFINITY) - (b.position ?? Number.POSITIVE_INFINITY) || 0,
      );
      this.#isSorted = true;
    }
    return this.#order;
  }

  driver(number: string): DriverShown | undefined {
    return this.#drivers.get(number);
  }

  take({ feed, payload }: ShownUpdate): void {
    switch (feed) {
      case 'timing.data':
        this.#allTiming(payload as unknown as TimingDataPayload);
        break;
      case 'timing.app-data':
        for (const said of (payload as unknown as TimingAppDataPayload).drivers) {
          const driver = this.#known(said);
          if (driver !== null && said.gridPosition !== undefined) driver.gridPosition = said.gridPosition;
        }
        break;
      case 'timing.driver-info':
        for (const said of (payload as unknown as TimingDriverInfoPayload).drivers) {
          const driver = this.#known(said);
          if (driver !== null && said.teamColor !== undefined) driver.teamColor = checkedColour(said.teamColor);
        }
        break;
      case 'tire.stints':
        for (const said of (payload as unknown as TireStintsPayload).drivers) this.#stints(said);
        break;
      case 'tire.current':
        for (const said of (payload as unknown as TireCurrentPayload).drivers) {
          const driver = this.#known(said);
          if (driver === null) continue;
          if (said.compound != null) driver.compound = said.compound;
          if (said.isNew !== undefined) driver.isNewTyre = said.isNew;
        }
        break;
    }
  }

  #allTiming({ session, drivers }: TimingDataPayload): void {
    for (const said of drivers) this.#timing(said);
    const part = session?.part ?? this.#part;
    const hasBegun = part !== this.#part;
    this.#part = part;
    for (const number of hasBegun ? this.#qualifying.keys() : drivers.map((said) => said.number))
      this.#showPart(number);
  }

  #showPart(number: string): void {
    const driver = this.#drivers.get(number);
    const gaps = this.#qualifying.get(number);
    if (driver === undefined || gaps === undefined) return;
    const { toFastest, toAhead } = gaps.shown(this.#part, driver.knockedOut);
    driver.gap = toFastest?.display ?? null;
    driver.gapSeconds = toFastest?.seconds ?? null;
    driver.interval = toAhead?.display ?? null;
    driver.version = ++this.#lastVersion;
  }

  #timing(said: TimingDriver): void {
    const driver = this.#known(said);
    if (driver === null) return;
    if (said.qualifyingParts !== undefined) {
      const gaps = this.#qualifying.get(driver.number) ?? new QualifyingGaps();
      this.#qualifying.set(driver.number, gaps);
      gaps.take(said.qualifyingParts);
    }
    const gap = said.gapToLeader ?? said.gapToFastest;
    if (gap != null && LEADERS_LAP.test(gap.display)) {
      driver.gap = null;
      driver.gapSeconds = null;
    } else if (gap != null) {
      driver.gap = gap.display;
      driver.gapSeconds = gap.seconds;
    } else if (said.gapToLeader === null || said.gapToFastest === null) {
      driver.gap = null;
      driver.gapSeconds = null;
    }
    const interval = said.gapToAhead;
    if (interval !== undefined && interval !== null)
      driver.interval = LEADERS_LAP.test(interval.display) ? null : interval.display;
    else if (said.gapToAhead === null) driver.interval = null;
    if (said.lastLap?.time !== undefined) driver.lastLap = said.lastLap.time;
    if (said.lastLap !== undefined) driver.lastMerit = meritOf(said.lastLap, driver.lastMerit);
    if (said.bestLap?.time !== undefined) driver.bestLap = said.bestLap.time;
    if (said.bestLap?.lap !== undefined) driver.bestLapNumber = said.bestLap.lap;
    if (said.speeds?.speedTrap?.kph !== undefined) driver.speedTrapKph = said.speeds.speedTrap.kph;
    if (said.pitStops !== undefined) driver.stops = said.pitStops;
    for (const field of FIELDS) if (said[field] !== undefined) Object.assign(driver, { [field]: said[field] });
    for (const sector of said.sectors ?? []) {
      if (sector.sector < 1 || sector.sector > SECTORS_MAX) continue;
      const sectors = [...driver.sectors];
      while (sectors.length < sector.sector) sectors.push(NO_SECTOR);
      sectors[sector.sector - 1] = changedSector(sectors[sector.sector - 1]!, sector);
      driver.sectors = sectors;
    }
  }

  #stints(said: TireStintsPayload['drivers'][number]): void {
    const driver = this.#known(said);
    if (driver === null) return;
    for (const { stint, compound, isNew, totalLaps } of said.stints) {
      if (stint < driver.stint) continue;
      if (stint > driver.stint) {
        driver.stint = stint;
        driver.tyreAge = null;
      }
      if (compound != null) driver.compound = compound;
      if (isNew !== undefined) driver.isNewTyre = isNew;
      if (totalLaps !== undefined) driver.tyreAge = totalLaps;
    }
  }

  /** The driver, with what every payload says; null: there are too many. */
  #known({ number, tla, name, team, position }: Identity): Driver | null {
    let driver = this.#drivers.get(number);
    if (driver === undefined) {
      if (this.#drivers.size >= DRIVERS_MAX) return null;
      driver = { ...NOBODY, number };
      this.#drivers.set(number, driver);
      this.#isSorted = false;
    }
    driver.tla = tla ?? driver.tla;
    driver.name = name ?? driver.name;
    driver.team = team ?? driver.team;
    if (position !== driver.position) {
      driver.position = position ?? driver.position;
      this.#isSorted = false;
    }
    driver.version = ++this.#lastVersion;
    return driver;
  }
}

/** Recordings say the lap of the leader in place of a gap. */
const LEADERS_LAP = /^LAP \d+$/;

/** Fields that are kept as they are said. */
const FIELDS = [
  'lapsCompleted',
  'inPit',
  'pitOut',
  'stopped',
  'retired',
  'knockedOut',
  'inDropZone',
] as const satisfies readonly (keyof TimingDriver & keyof DriverShown)[];

const NO_SECTOR: SectorShown = { time: null, merit: 'none', segments: [] };

const NOBODY: Omit<Driver, 'number'> = {
  version: 0,
  tla: null,
  name: null,
  team: null,
  teamColor: null,
  position: null,
  gridPosition: null,
  gap: null,
  gapSeconds: null,
  interval: null,
  lapsCompleted: 0,
  lastLap: null,
  lastMerit: 'none',
  bestLap: null,
  bestLapNumber: null,
  sectors: [],
  speedTrapKph: null,
  stops: 0,
  stint: 0,
  compound: null,
  isNewTyre: null,
  tyreAge: null,
  inPit: false,
  pitOut: false,
  stopped: false,
  retired: false,
  knockedOut: false,
  inDropZone: false,
};

interface Merits {
  readonly overallFastest?: boolean;
  readonly personalFastest?: boolean;
}

/** Only what changed is said: what is left out stays. */
function meritOf({ overallFastest, personalFastest }: Merits, before: Merit): Merit {
  if (overallFastest ?? before === 'overall') return 'overall';
  if (personalFastest ?? before !== 'none') return 'personal';
  return 'none';
}

function changedSector(before: SectorShown, said: NonNullable<TimingDriver['sectors']>[number]): SectorShown {
  let { segments } = before;
  if (said.segments !== undefined) {
    const changed = [...segments];
    for (const { segment, status } of said.segments) {
      if (segment < 1 || segment > SEGMENTS_MAX) continue;
      while (changed.length < segment) changed.push(0);
      changed[segment - 1] = status;
    }
    segments = changed;
  }
  return { time: said.time === undefined ? before.time : said.time, merit: meritOf(said, before.merit), segments };
}

/** The colour is put into a style: nothing but a colour may get there. */
function checkedColour(said: string | null): string | null {
  return said !== null && /^[\da-f]{6}$/i.test(said) ? said : null;
}

/** One word for what a driver does, or null while he simply drives. */
export type DriverStatus = 'retired' | 'knockedOut' | 'stopped' | 'pit' | 'outLap';

export function statusOf(driver: DriverShown): DriverStatus | null {
  if (driver.retired) return 'retired';
  if (driver.knockedOut) return 'knockedOut';
  if (driver.stopped) return 'stopped';
  if (driver.inPit) return 'pit';
  return driver.pitOut ? 'outLap' : null;
}
