// Writes the timing of a scripted race as the upstream would: at the end of each sector, its time, the gaps and the
// order; at the end of each lap, its time and the messages of the other topics.

import { BestTimes, type Marks } from './best-times.ts';
import { driverList, whoIs } from './entrants.ts';
import { type CarPlan, type RacePlan, type Run, runRace, SECTORS, type Stop, visitOf } from './race-run.ts';
import type { Fields, Script } from './script.ts';
import { gapText, lapText } from './time-text.ts';

const SEGMENT = { cleared: 0, slower: 2048, own: 2049, best: 2051, pits: 2064 } as const;
const STATUS = { running: 64, inPit: 80, leftPit: 608, finished: 1088 } as const;
/** One in this many lap times comes late. */
const LATE_TIMES = 7;
const TRAPS = ['I1', 'I2', 'FL'] as const;

interface Crossing {
  readonly run: Run;
  readonly line: number;
  readonly seconds: number;
}

export class RaceFrames {
  readonly #script: Script;
  readonly #race: RacePlan;
  readonly #runs: readonly Run[];
  /** Cars by position: the first one passed the latest line first. */
  #order: Run[];
  readonly #reached = new Map<Run, number>();
  readonly #sectorBests = Array.from({ length: SECTORS }, () => new BestTimes());
  readonly #lapBests = new BestTimes();
  #topThree: readonly string[] = [];

  constructor(script: Script, race: RacePlan) {
    this.#script = script;
    this.#race = race;
    this.#runs = runRace(race);
    this.#order = [...this.#runs];
  }

  /** Returns when the leader starts a lap. */
  lapStart(lap: number): number {
    return Math.min(...this.#runs.flatMap(({ lines }) => lines[SECTORS * (lap - 1)] ?? []));
  }

  /** Returns when a car reaches the end of a sector. */
  crossing(number: string, lap: number, sector: number): number {
    return this.#run(number).lines[SECTORS * (lap - 1) + sector]!;
  }

  /** Adds the first snapshot of each topic, before the start. */
  snapshots(seconds: number): void {
    const numbers = this.#runs.map(({ plan }) => plan.number);
    const byNumber = (line: (number: string, index: number) => unknown) =>
      Object.fromEntries(numbers.map((number, index) => [number, line(number, index)]));
    const off = { Status: 0, OverallFastest: false, PersonalFastest: false };
    const script = this.#script;
    script.at(seconds, 'DriverList', driverList(numbers));
    script.at(seconds + 0.1, 'TimingData', {
      Withheld: false,
      Lines: byNumber((number, index) => ({
        GapToLeader: '',
        IntervalToPositionAhead: { Value: '', Catching: false },
        Line: index + 1,
        Position: String(index + 1),
        ShowPosition: true,
        RacingNumber: number,
        Retired: false,
        InPit: true,
        PitOut: false,
        Stopped: false,
        Status: STATUS.inPit,
        Sectors: Array.from({ length: SECTORS }, () => ({
          Stopped: false,
          Value: '',
          ...off,
          Segments: [{ Status: SEGMENT.cleared }, { Status: SEGMENT.cleared }],
        })),
        Speeds: Object.fromEntries([...TRAPS, 'ST'].map((trap) => [trap, { Value: '', ...off }])),
        BestLapTime: { Value: '' },
        LastLapTime: { Value: '', ...off },
      })),
    });
    script.at(seconds + 0.2, 'TimingAppData', {
      Lines: byNumber((number, index) => ({
        RacingNumber: number,
        Line: index + 1,
        GridPos: String(index + 1),
        Stints: [],
      })),
    });
    const lapPosition = (number: string, index: number) => ({ RacingNumber: number, LapPosition: [String(index + 1)] });
    script.at(seconds + 0.3, 'LapSeries', byNumber(lapPosition));
    this.#topThree = numbers.slice(0, 3);
    const off3 = { ShowPosition: true, LapTime: '', LapState: 16, OverallFastest: false, PersonalFastest: false };
    const Lines = this.#topThree.map((number, index) => ({
      ...whoIs(number, index),
      ...off3,
      DiffToAhead: '',
      DiffToLeader: '',
    }));
    script.at(seconds + 0.4, 'TopThree', { Withheld: false, Lines });
  }

  /** The cars leave the garages for the grid, and their tires become known. */
  formation(seconds: number): void {
    for (const [index, { plan }] of this.#runs.entries()) {
      this.#line(seconds + index, plan.number, { InPit: false, Status: STATUS.running });
    }
    const tires = Object.fromEntries(this.#runs.map(({ plan }) => [plan.number, plan.compound]));
    const byNumber = (of: (compound: string) => unknown) =>
      Object.fromEntries(Object.entries(tires).map(([number, compound]) => [number, of(compound)]));
    const script = this.#script;
    script.at(seconds + 20, 'TimingAppData', { Lines: byNumber((tire) => ({ Stints: [stint(tire, 0)] })) });
    script.at(seconds + 20.4, 'TyreStintSeries', { Stints: byNumber((tire) => [fieldsOf(stint(tire, 0))]) });
    script.at(seconds + 20.5, 'CurrentTyres', { Tyres: byNumber((Compound) => ({ Compound, New: true })) });
  }

  race(): void {
    const crossings = this.#runs.flatMap((run) =>
      run.lines.slice(1).map((seconds, index): Crossing => ({ run, line: index + 1, seconds })),
    );
    for (const crossing of crossings.sort((a, b) => a.seconds - b.seconds)) this.#cross(crossing);
    for (const run of this.#runs) this.#visits(run);
    for (let lap = 2; lap <= this.#race.laps; lap++) this.#script.lap(this.lapStart(lap) + 0.02, lap, this.#race.laps);
  }

  #run(number: string): Run {
    return this.#runs.find(({ plan }) => plan.number === number)!;
  }

  #line(seconds: number, number: string, fields: Fields): void {
    this.#script.lines(seconds, { [number]: fields });
  }

  #cross({ run, line, seconds }: Crossing): void {
    const { number } = run.plan;
    const sector = (line - 1) % SECTORS;
    const lines: Record<string, Fields> = this.#overtake(run, line, seconds);
    const put = (marks: Readonly<Record<string, Marks>>, wrap: (fields: Fields) => Fields, own: Fields): void => {
      for (const [other, mark] of Object.entries(marks)) {
        lines[other] = { ...lines[other], ...wrap(other === number ? { ...own, ...mark } : { ...mark }) };
      }
    };
    const time = seconds - run.lines[line - 1]!;
    const isFirst = line === 1;
    // The first sector starts on the grid: its time compares with no other.
    const marks = isFirst ? { [number]: {} } : this.#sectorBests[sector]!.take(number, time);
    const status = this.#segmentOf(run, line, marks[number]!);
    const own = { Value: time.toFixed(3), Segments: { 0: { Status: status }, 1: { Status: status } } };
    put(marks, (fields) => ({ Sectors: { [sector]: fields } }), own);
    const place = this.#order.indexOf(run);
    lines[number] = {
      ...lines[number],
      ...this.#gaps(run, line, seconds, place),
      Speeds: { [TRAPS[sector]!]: { Value: String(201 + 40 * sector + (Math.round(seconds * 10) % 17)) } },
    };
    if (sector === 0 && this.#stopAt(run, (line - 1) / SECTORS) !== undefined) {
      lines[number] = { ...lines[number], PitOut: false, Status: STATUS.running };
    }
    if (sector === SECTORS - 1) this.#endLap(run, line / SECTORS, seconds, lines, put);
    this.#script.lines(seconds, lines);
    this.#line(seconds + 1.1, number, { Sectors: { [sector]: { PreviousValue: own.Value } } });
  }

  /** Moves the car ahead of all cars that have not reached its line yet. Returns the lines of the cars that moved. */
  #overtake(run: Run, line: number, seconds: number): Record<string, Fields> {
    this.#reached.set(run, line);
    const from = this.#order.indexOf(run);
    let to = from;
    while (to > 0 && (this.#reached.get(this.#order[to - 1]!) ?? 0) < line) to--;
    if (to === from) return {};
    this.#order = this.#order.toSpliced(from, 1).toSpliced(to, 0, run);
    const moved = this.#order.slice(to, from + 1).map(({ plan }, index) => [plan.number, to + index + 1] as const);
    this.#script.at(
      seconds + 0.04,
      'DriverList',
      Object.fromEntries(moved.map(([number, Line]) => [number, { Line }])),
    );
    return Object.fromEntries(moved.map(([number, Line]) => [number, { Line, Position: String(Line) }]));
  }

  #segmentOf(run: Run, line: number, { OverallFastest, PersonalFastest }: Marks): number {
    if (line % SECTORS === 1 && this.#stopAt(run, (line - 1) / SECTORS) !== undefined) return SEGMENT.pits;
    return OverallFastest === true ? SEGMENT.best : PersonalFastest === true ? SEGMENT.own : SEGMENT.slower;
  }

  #stopAt({ plan }: Run, lap: number): Stop | undefined {
    return plan.stops?.find((stop) => stop.lap === lap);
  }

  #gaps(run: Run, line: number, seconds: number, place: number): Fields {
    if (place === 0) {
      const text = `LAP ${Math.min(this.#race.laps, Math.floor(line / SECTORS) + 1)}`;
      return { GapToLeader: text, IntervalToPositionAhead: { Value: text } };
    }
    const to = (other: Run): string => {
      const laps = Math.floor((this.#reached.get(other)! - line) / SECTORS);
      return laps > 0 ? `${laps}L` : gapText(seconds - other.lines[line]!);
    };
    const ahead = this.#order[place - 1]!;
    const Catching = seconds - run.lines[line - 1]! < (ahead.lines[line] ?? 0) - (ahead.lines[line - 1] ?? 0);
    return { GapToLeader: to(this.#order[0]!), IntervalToPositionAhead: { Value: to(ahead), Catching } };
  }

  #endLap(
    run: Run,
    lap: number,
    seconds: number,
    lines: Record<string, Fields>,
    put: (marks: Readonly<Record<string, Marks>>, wrap: (fields: Fields) => Fields, own: Fields) => void,
  ): void {
    const { number } = run.plan;
    const place = this.#order.indexOf(run);
    lines[number] = { ...lines[number], NumberOfLaps: lap };
    if (this.#reached.get(this.#order[0]!) === SECTORS * this.#race.laps) {
      lines[number] = { ...lines[number], Status: STATUS.finished };
    }
    this.#script.at(seconds + 0.2, 'LapSeries', { [number]: { LapPosition: { [lap]: String(place + 1) } } });
    this.#sendTires(run, lap, seconds);
    if (lap > 1) {
      const time = seconds - run.lines[SECTORS * (lap - 1)]!;
      const before = this.#lapBests.best(number);
      const ranks = this.#lapBests.ranks();
      const marks = this.#lapBests.take(number, time);
      const best = time < before ? { BestLapTime: { Value: lapText(time), Lap: lap } } : {};
      if ((lap + Number(number)) % LATE_TIMES === 0) {
        // The time comes after the lap count, and its mark after the time.
        const { [number]: own, ...others } = marks;
        put(others, (fields) => ({ LastLapTime: fields }), {});
        this.#line(seconds + 2.2, number, { LastLapTime: { Value: lapText(time) }, ...best });
        if (Object.keys(own!).length > 0) this.#line(seconds + 2.5, number, { LastLapTime: own });
      } else {
        put(marks, (fields) => ({ LastLapTime: fields }), { Value: lapText(time) });
        lines[number] = { ...lines[number], ...best };
      }
      if (time < before) this.#sendBest(number, lap, time, seconds, ranks);
    }
    const { GapToLeader: Gap, IntervalToPositionAhead } = lines[number] as {
      GapToLeader: string;
      IntervalToPositionAhead: { Value: string };
    };
    this.#script.at(seconds + 0.3, 'DriverRaceInfo', {
      [number]: {
        RacingNumber: number,
        Position: String(place + 1),
        Gap,
        Interval: IntervalToPositionAhead.Value,
        PitStops: run.plan.stops?.filter((stop) => stop.lap < lap).length ?? 0,
        Catching: lap % 3,
        OvertakeState: 0,
        IsOut: false,
      },
    });
    if (place < 3) this.#sendTopThree(place, run, lap, seconds, Gap, IntervalToPositionAhead.Value);
  }

  #sendTires({ plan }: Run, lap: number, seconds: number): void {
    const { number } = plan;
    const { place, since, age } = this.#stintOn(plan, lap);
    const TotalLaps = lap - since + age;
    const lines = (fields: Fields) => ({ Lines: { [number]: { Stints: { [place]: fields } } } });
    this.#script.at(seconds + 1.35, 'TimingAppData', lines({ TotalLaps }));
    this.#script.at(seconds + 1.6, 'TyreStintSeries', { Stints: { [number]: { [place]: { TotalLaps } } } });
  }

  #sendBest(number: string, lap: number, time: number, seconds: number, before: ReadonlyMap<string, number>): void {
    const Lines: Record<string, Fields> = {};
    for (const [other, Position] of this.#lapBests.ranks()) {
      if (other === number) Lines[other] = { PersonalBestLapTime: { Value: lapText(time), Lap: lap, Position } };
      else if (before.get(other) !== Position) Lines[other] = { PersonalBestLapTime: { Position } };
    }
    this.#script.at(seconds + 0.25, 'TimingStats', { Lines });
    const app = { LapTime: lapText(time), LapNumber: lap, LapFlags: 1 };
    const { place } = this.#stintOn(this.#run(number).plan, lap);
    this.#script.at(seconds + 0.15, 'TimingAppData', { Lines: { [number]: { Stints: { [place]: app } } } });
  }

  /** Returns the stint of the lap, from 0, the lap after which it started, and the age of its tires then. */
  #stintOn(
    { stops = [] }: CarPlan,
    lap: number,
  ): { readonly place: number; readonly since: number; readonly age: number } {
    const begun = stops.filter((stop) => stop.lap < lap && stop.compound !== null);
    const { pause } = this.#race;
    // Every car starts a new stint while the race is interrupted.
    if (pause !== undefined && pause.afterLap < lap) return { place: begun.length + 1, since: pause.afterLap, age: 0 };
    return { place: begun.length, since: begun.at(-1)?.lap ?? 0, age: begun.at(-1)?.age ?? 0 };
  }

  #sendTopThree(place: number, { plan }: Run, lap: number, seconds: number, gap: string, interval: string): void {
    const { number } = plan;
    const isNew = this.#topThree[place] !== number;
    this.#topThree = Object.assign([...this.#topThree], { [place]: number });
    const line = {
      ...(isNew ? { ...whoIs(number, place), ShowPosition: true } : {}),
      LapTime: lapText(seconds - this.#run(number).lines[SECTORS * (lap - 1)]!),
      LapState: 64 + (lap % 4),
      DiffToAhead: interval,
      DiffToLeader: gap,
    };
    this.#script.at(seconds + 0.35, 'TopThree', { Lines: { [place]: line } });
  }

  #visits(run: Run): void {
    const { number, stops = [] } = run.plan;
    for (const [index, stop] of stops.entries()) {
      const { enters, leaves } = visitOf(run, stop);
      this.#line(enters, number, { InPit: true, Status: STATUS.inPit, NumberOfPitStops: index + 1 });
      const cleared = Object.fromEntries(TRAPS.map((trap) => [trap, { Value: '' }]));
      const Sectors = { 0: { Value: '' }, 1: { Value: '' }, 2: { Value: '' } };
      this.#line(leaves, number, { InPit: false, PitOut: true, Status: STATUS.leftPit, Sectors, Speeds: cleared });
      this.#sendStop(run, stop, enters, leaves);
      if (stop.compound === null) continue;
      const changes = stops.slice(0, index).filter(({ compound }) => compound !== null).length + 1;
      const tires = stint(stop.compound, stop.age ?? 0);
      // The tires show some seconds after the exit, at first as UNKNOWN.
      const guess = { ...tires, Compound: 'UNKNOWN' };
      const script = this.#script;
      const app = (fields: Fields) => ({ Lines: { [number]: { Stints: { [changes]: fields } } } });
      script.at(leaves + 2, 'TimingAppData', app(guess));
      script.at(leaves + 6, 'TimingAppData', app({ Compound: stop.compound }));
      // Either topic may be the first to have the stint.
      const series = leaves + (Number(number) % 2 === 0 ? 1.4 : 6.4);
      script.at(series, 'TyreStintSeries', { Stints: { [number]: { [changes]: fieldsOf(tires) } } });
      const New = (stop.age ?? 0) === 0;
      script.at(leaves + 6.5, 'CurrentTyres', { Tyres: { [number]: { Compound: stop.compound, New } } });
    }
  }

  #sendStop({ plan }: Run, stop: Stop, enters: number, leaves: number): void {
    const { number } = plan;
    const script = this.#script;
    const lane = (leaves - enters).toFixed(1);
    if (stop.publishedIn?.includes('PitLaneTimeCollection')) {
      const entry = { RacingNumber: number, Duration: lane, Lap: String(stop.lap) };
      script.at(leaves + 1, 'PitLaneTimeCollection', { PitTimes: { [number]: entry } });
      script.at(leaves + 61, 'PitLaneTimeCollection', { PitTimes: { _deleted: [number] } });
    }
    if (stop.publishedIn?.includes('PitStopSeries')) {
      const PitStop = {
        RacingNumber: number,
        PitStopTime: stop.stands.toFixed(1),
        PitLaneTime: lane,
        Lap: String(stop.lap),
      };
      const entry = { Timestamp: script.utc(leaves), PitStop };
      const earlier = plan.stops!.filter(
        (one) => one.lap < stop.lap && one.publishedIn?.includes('PitStopSeries'),
      ).length;
      const PitTimes = { [number]: earlier === 0 ? [entry] : { [earlier]: entry } };
      script.at(leaves + 3, 'PitStopSeries', { PitTimes });
    }
  }
}

function stint(Compound: string, age: number): Fields {
  const New = age === 0 ? 'true' : 'false';
  return { LapFlags: 0, Compound, New, TyresNotChanged: '0', TotalLaps: age, StartLaps: age };
}

/** As TyreStintSeries has it. */
function fieldsOf({ LapFlags: _, ...stint }: Fields): Fields {
  return stint;
}
