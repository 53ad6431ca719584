// Writes the timing of sessions in which cars set lap times. Each run is an out lap, a timed lap, and the way back. The
// order is that of the best laps.

import { assert } from '#engine/base/assert.ts';
import { BestTimes } from './best-times.ts';
import { driverList, whoIs } from './entrants.ts';
import type { Fields, Script } from './script.ts';
import { gapText, lapText } from './time-text.ts';

/** The sectors' shares of a timed lap. */
const SECTOR_PARTS = [0.31, 0.37, 0.32];
export const OUT_SECONDS = 72;
const IN_SECONDS = 78;
const SEGMENT = { cleared: 0, slower: 2048, own: 2049, best: 2051 } as const;
const STATUS = { inPit: 80, running: 64, leftPit: 608, timed: 65 } as const;

export interface TimedRun {
  readonly number: string;
  /** The second in which the car leaves the pits. */
  readonly leaves: number;
  readonly lap: number;
  /** The car does not return to the pits after the lap. */
  readonly parks?: true;
}

export class TimedRuns {
  readonly #script: Script;
  readonly #laps = new Map<string, number>();
  readonly #backInPits = new Map<string, number>();
  #bests = new BestTimes();
  #sectors = SECTOR_PARTS.map(() => new BestTimes());
  #order: string[];
  #part: number | null;
  /** How many cars of this part advance to the next. */
  #advancing: number | null = null;

  /** `part` is the first part of qualifying, or null for practice, which has no parts. */
  constructor(script: Script, numbers: readonly string[], part: number | null) {
    this.#script = script;
    this.#order = [...numbers];
    this.#part = part;
  }

  get order(): readonly string[] {
    return this.#order;
  }

  /** Adds the first snapshot of each topic. `session` has the fields of TimingData that are not about a driver. */
  snapshots(seconds: number, session: Fields = {}): void {
    const off = { Status: 0, OverallFastest: false, PersonalFastest: false };
    const none = { Value: '' };
    const qualifying = {
      KnockedOut: false,
      Cutoff: false,
      BestLapTimes: [none, {}, {}],
      Stats: SECTOR_PARTS.map(() => ({ TimeDiffToFastest: '', TimeDifftoPositionAhead: '' })),
    };
    const practice = { TimeDiffToFastest: '', TimeDiffToPositionAhead: '' };
    const lines = this.#byNumber((number, index) => ({
      ...(this.#part === null ? practice : qualifying),
      Line: index + 1,
      Position: String(index + 1),
      ShowPosition: false,
      RacingNumber: number,
      Retired: false,
      InPit: true,
      PitOut: false,
      Stopped: false,
      Status: STATUS.inPit,
      Sectors: SECTOR_PARTS.map(() => ({
        Stopped: false,
        Value: '',
        ...off,
        Segments: [{ Status: 0 }, { Status: 0 }],
      })),
      Speeds: { I1: { ...none, ...off }, I2: { ...none, ...off }, FL: { ...none, ...off }, ST: { ...none, ...off } },
      BestLapTime: none,
      LastLapTime: { ...none, ...off },
    }));
    const script = this.#script;
    script.at(seconds, 'DriverList', driverList(this.#order));
    script.at(seconds + 0.1, 'TimingData', { ...session, Withheld: false, Lines: lines });
    const statistics = this.#byNumber((number, index) => ({
      Line: index + 1,
      RacingNumber: number,
      PersonalBestLapTime: none,
      BestSectors: [none, none, none],
      BestSpeeds: { I1: none, I2: none, FL: none, ST: none },
    }));
    const SessionType = this.#part === null ? 'Practice' : 'Qualifying';
    script.at(seconds + 0.2, 'TimingStats', { Withheld: false, SessionType, Lines: statistics });
    const app = this.#byNumber((number, index) => ({ RacingNumber: number, Line: index + 1, Stints: [] }));
    script.at(seconds + 0.3, 'TimingAppData', { Lines: app });
  }

  /** Drives the runs in the order of their ends, even if cars are on the track together. */
  drive(runs: readonly TimedRun[]): void {
    const ends = (run: TimedRun) => run.leaves + OUT_SECONDS + run.lap;
    for (const run of runs.toSorted((a, b) => ends(a) - ends(b))) this.#drive(run);
  }

  /**
   * Sets up the next part for the first `entries` cars, which start without times. The others are knocked out; the
   * message that says so follows some seconds after the one with the part.
   */
  nextPart(seconds: number, entries: number, advancing: number | null, session: Fields): void {
    const part = this.#part! + 1;
    const on = this.#order.slice(0, entries);
    const out = this.#order.slice(entries).filter((number) => this.#bests.best(number) !== Number.POSITIVE_INFINITY);
    const script = this.#script;
    script.at(seconds, 'TimingData', { ...session, SessionPart: part });
    const cleared = { BestLapTime: { Value: '', _deleted: ['Lap'] }, BestLapTimes: { [part - 1]: { Value: '' } } };
    script.lines(
      seconds + 4,
      Object.fromEntries([
        ...out.map((number) => [number, { KnockedOut: true, Cutoff: false }] as const),
        ...on.map((number) => [number, { ...cleared, ShowPosition: false, Cutoff: false }] as const),
      ]),
    );
    const lines = on.map((number) => [number, { PersonalBestLapTime: { Value: '', _deleted: ['Position'] } }] as const);
    script.at(seconds + 4.2, 'TimingStats', { Lines: Object.fromEntries(lines) });
    this.#part = part;
    this.#advancing = advancing;
    this.#bests = new BestTimes();
    this.#sectors = SECTOR_PARTS.map(() => new BestTimes());
  }

  cutOff(advancing: number): void {
    this.#advancing = advancing;
  }

  /** Moves a car to another place, from 1, because its lap was deleted. */
  moveTo(number: string, place: number): void {
    const others = this.#order.filter((other) => other !== number);
    this.#order = others.toSpliced(place - 1, 0, number);
  }

  #byNumber(line: (number: string, index: number) => unknown): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#order.map((number, index) => [number, line(number, index)]));
  }

  #drive({ number, leaves, lap, parks }: TimedRun): void {
    const script = this.#script;
    assert(leaves > (this.#backInPits.get(number) ?? 0), `car ${number} is back before it leaves at ${leaves} s`);
    this.#backInPits.set(number, leaves + OUT_SECONDS + lap + IN_SECONDS);
    const line = (seconds: number, fields: Fields) => script.lines(seconds, { [number]: fields });
    const counted = () => {
      const laps = (this.#laps.get(number) ?? 0) + 1;
      this.#laps.set(number, laps);
      return laps;
    };
    line(leaves, { InPit: false, PitOut: true, Status: STATUS.leftPit });
    const starts = leaves + OUT_SECONDS;
    line(starts, { PitOut: false, Status: STATUS.running, NumberOfLaps: counted(), LastLapTime: { Value: '' } });
    let at = starts;
    for (const [sector, part] of SECTOR_PARTS.entries()) {
      at += part * lap;
      const marks = this.#sectors[sector]!.take(number, part * lap);
      const own = marks[number]!;
      const status = own.OverallFastest ? SEGMENT.best : own.PersonalFastest ? SEGMENT.own : SEGMENT.slower;
      const Segments = { 0: { Status: status }, 1: { Status: status } };
      const lines = Object.entries(marks).map(([other, mark]) => {
        const value = other === number ? { Value: (part * lap).toFixed(3), Segments } : {};
        return [other, { Sectors: { [sector]: { ...value, ...mark } } }] as const;
      });
      script.lines(at, Object.fromEntries(lines));
      if (own.PersonalFastest) this.#rankSector(at + 0.1, number, sector, part * lap);
    }
    this.#time(starts + lap + 0.2, number, lap, counted());
    if (parks) return;
    line(starts + lap + IN_SECONDS, { InPit: true, Status: STATUS.inPit, NumberOfLaps: counted() });
  }

  #rankSector(seconds: number, number: string, sector: number, time: number): void {
    const Position = this.#sectors[sector]!.ranks().get(number)!;
    const best = { [sector]: { Value: time.toFixed(3), Position } };
    this.#script.at(seconds, 'TimingStats', { Lines: { [number]: { BestSectors: best } } });
  }

  #time(seconds: number, number: string, lap: number, laps: number): void {
    const isBest = lap < this.#bests.best(number);
    const marks = this.#bests.take(number, lap);
    const lines: Record<string, Record<string, unknown>> = {};
    for (const [other, mark] of Object.entries(marks)) lines[other] = { LastLapTime: mark };
    lines[number] = {
      NumberOfLaps: laps,
      LastLapTime: { Value: lapText(lap), ...marks[number] },
      Status: STATUS.timed,
    };
    if (isBest) {
      const best = { Value: lapText(lap), Lap: laps };
      const parts = this.#part === null ? {} : { BestLapTimes: { [this.#part - 1]: best } };
      lines[number] = { ...lines[number], BestLapTime: best, ...parts, ShowPosition: true };
      this.#rank(seconds, lines);
      const ranks = this.#bests.ranks();
      const of = (other: string) => ({ PersonalBestLapTime: { Position: ranks.get(other) } });
      const Lines = { ...Object.fromEntries([...ranks.keys()].map((other) => [other, of(other)])) };
      Lines[number] = { PersonalBestLapTime: { ...best, Position: ranks.get(number) } } as (typeof Lines)[string];
      this.#script.at(seconds + 0.2, 'TimingStats', { Lines });
    }
    this.#script.lines(seconds, lines);
    if (isBest && this.#order.indexOf(number) < 3) this.#sendTopThree(seconds + 0.3);
  }

  /** Updates the order, and adds changed positions and all gaps to the lines. */
  #rank(seconds: number, lines: Record<string, Record<string, unknown>>): void {
    const before = this.#order;
    const timed = [...this.#bests.ranks().keys()];
    this.#order = [...timed, ...before.filter((number) => !timed.includes(number))];
    const fastest = this.#bests.best(timed[0]!);
    const moved: Record<string, { readonly Line: number }> = {};
    for (const [index, number] of this.#order.entries()) {
      const fields: Record<string, unknown> = {};
      if (before[index] !== number) {
        Object.assign(fields, { Line: index + 1, Position: String(index + 1) });
        moved[number] = { Line: index + 1 };
      }
      if (this.#advancing !== null && index < timed.length) fields.Cutoff = index >= this.#advancing;
      if (index > 0 && index < timed.length) {
        const best = this.#bests.best(number);
        const toFastest = gapText(best - fastest);
        const toAhead = gapText(best - this.#bests.best(this.#order[index - 1]!));
        if (this.#part === null)
          Object.assign(fields, { TimeDiffToFastest: toFastest, TimeDiffToPositionAhead: toAhead });
        else {
          const stats = { TimeDiffToFastest: toFastest, TimeDifftoPositionAhead: toAhead };
          fields.Stats = { [this.#part - 1]: stats };
        }
      }
      if (Object.keys(fields).length > 0) lines[number] = { ...lines[number], ...fields };
    }
    if (Object.keys(moved).length > 0) this.#script.at(seconds + 0.05, 'DriverList', moved);
  }

  #sendTopThree(seconds: number): void {
    const first = this.#bests.best(this.#order[0]!);
    const Lines = this.#order.slice(0, 3).map((number, index) => {
      const best = this.#bests.best(number);
      const has = best !== Number.POSITIVE_INFINITY;
      return [
        index,
        {
          ...whoIs(number, index),
          ShowPosition: has,
          LapTime: has ? lapText(best) : '',
          LapState: index === 0 ? 67 : 65,
          DiffToAhead: has && index > 0 ? gapText(best - this.#bests.best(this.#order[index - 1]!)) : '',
          DiffToLeader: has && index > 0 ? gapText(best - first) : '',
          OverallFastest: index === 0,
          PersonalFastest: has,
        },
      ] as const;
    });
    const part = this.#part === null ? {} : { SessionPart: this.#part };
    this.#script.at(seconds, 'TopThree', { ...part, Withheld: false, Lines: Object.fromEntries(Lines) });
  }
}
