// Writes TimingData, and the running order in DriverList, from the simulated race as the upstream would: a snapshot
// first, then a segment and a gap for each timing line, a time and a speed for each sector, and a time for each lap.

import type { Random } from '#engine/base/random.ts';
import { BestMarks, type MarkChange } from './best-marks.ts';
import { LAST_LINE, LINES_PER_LAP, LINES_PER_SECTOR, lapOf, SECTORS, stretchOf } from './circuit.ts';
import { type FrameWriter, lapTimeText, sectorTimeText } from './frame-writer.ts';
import type { Entrant } from './race-plan.ts';

type Line = Record<string, unknown>;

const SEGMENT = { none: 0, yellow: 2048, green: 2049, purple: 2051, pit: 2064 } as const;
const STATUS = { running: 64, inPit: 80, stopped: 68, retired: 92, leftPit: 608, finished: 1088 } as const;
const SPEED_TRAPS = ['I1', 'I2', 'FL'] as const;
const SPEED_BASE: Readonly<Record<string, number>> = { I1: 248, I2: 214, FL: 281 };

interface CarTiming {
  /** When the car crossed each line, in milliseconds since the lights went out. Line 0 is the start. */
  readonly lineMs: number[];
  line: number;
  bestLapMs: number;
  stops: number;
  inPit: boolean;
  leftPit: boolean;
}

export class TimingFrames {
  readonly #out: FrameWriter;
  readonly #grid: readonly Entrant[];
  readonly #random: Random;
  readonly #lightsMs: number;
  readonly #cars: CarTiming[];
  /** Cars by position. */
  readonly #order: number[];
  readonly #segmentMarks: BestMarks[];
  readonly #sectorMarks: BestMarks[];
  readonly #speedMarks: Readonly<Record<string, BestMarks>>;
  readonly #lapMarks: BestMarks;

  /** `lightsMs` is when the lights go out, in milliseconds since the session's start. */
  constructor(out: FrameWriter, grid: readonly Entrant[], random: Random, lightsMs: number) {
    this.#out = out;
    this.#grid = grid;
    this.#random = random;
    this.#lightsMs = lightsMs;
    this.#cars = grid.map(() => ({
      lineMs: [0],
      line: 0,
      bestLapMs: Number.POSITIVE_INFINITY,
      stops: 0,
      inPit: true,
      leftPit: false,
    }));
    this.#order = grid.map((_, index) => index);
    const marks = (): BestMarks => new BestMarks(grid.length);
    this.#segmentMarks = Array.from({ length: LINES_PER_LAP }, marks);
    this.#sectorMarks = Array.from({ length: SECTORS }, marks);
    this.#speedMarks = { I1: marks(), I2: marks(), FL: marks() };
    this.#lapMarks = marks();
  }

  snapshot(atMs: number): void {
    const off = { OverallFastest: false, PersonalFastest: false };
    const lines: Record<string, Line> = {};
    for (const [index, { driver }] of this.#grid.entries()) {
      lines[driver.number] = {
        GapToLeader: '',
        IntervalToPositionAhead: { Value: '', Catching: false },
        Line: index + 1,
        Position: String(index + 1),
        ShowPosition: true,
        RacingNumber: driver.number,
        Retired: false,
        InPit: true,
        PitOut: false,
        Stopped: false,
        Status: STATUS.inPit,
        Sectors: Array.from({ length: SECTORS }, () => ({
          Stopped: false,
          Value: '',
          Status: 0,
          ...off,
          Segments: Array.from({ length: LINES_PER_SECTOR }, () => ({ Status: SEGMENT.none })),
        })),
        Speeds: Object.fromEntries([...SPEED_TRAPS, 'ST'].map((trap) => [trap, { Value: '', Status: 0, ...off }])),
        BestLapTime: { Value: '' },
        LastLapTime: { Value: '', Status: 0, ...off },
      };
    }
    this.#out.write(atMs, 'TimingData', { Lines: lines, Withheld: false });
  }

  /** Sends the cars from their garages to the grid, one after the other. */
  leaveGarages(fromMs: number): void {
    for (const [car, timing] of this.#cars.entries()) {
      timing.inPit = false;
      const atMs = fromMs + car * 830 + this.#upTo(600);
      this.#out.write(atMs, 'TimingData', this.#lines(car, { InPit: false, Status: STATUS.running }));
    }
  }

  crossing(raceMs: number, car: number, line: number): void {
    const timing = this.#cars[car]!;
    timing.line = line;
    timing.lineMs[line] = raceMs;
    const atMs = this.#lightsMs + raceMs;
    const wasLeader = this.#order[0] === car;
    this.#overtake(atMs, car);
    this.#segment(atMs + this.#upTo(12), car, line);
    this.#gap(atMs + this.#upTo(15), car, line, wasLeader);
    if (line % LINES_PER_SECTOR === 0) this.#sector(atMs + this.#upTo(20), car, line);
  }

  pitIn(raceMs: number, car: number): void {
    const timing = this.#cars[car]!;
    timing.stops++;
    timing.inPit = true;
    const fields = { InPit: true, Status: STATUS.inPit, NumberOfPitStops: timing.stops };
    this.#out.write(this.#lightsMs + raceMs, 'TimingData', this.#lines(car, fields));
  }

  pitOut(raceMs: number, car: number): void {
    const timing = this.#cars[car]!;
    timing.inPit = false;
    timing.leftPit = true;
    const empty = { Value: '' };
    const fields = {
      InPit: false,
      PitOut: true,
      Status: STATUS.leftPit,
      Sectors: { 0: empty, 1: empty, 2: empty },
      Speeds: { I1: empty, I2: empty, FL: empty },
    };
    this.#out.write(this.#lightsMs + raceMs, 'TimingData', this.#lines(car, fields));
  }

  parked(raceMs: number, car: number): void {
    const atMs = this.#lightsMs + raceMs;
    this.#out.write(atMs, 'TimingData', this.#lines(car, { Stopped: true, Status: STATUS.stopped }));
    this.#out.write(atMs + 38_000, 'TimingData', this.#lines(car, { Retired: true, Status: STATUS.retired }));
  }

  garage(raceMs: number, car: number): void {
    const fields = { Retired: true, Stopped: true, Status: STATUS.retired };
    this.#out.write(this.#lightsMs + raceMs, 'TimingData', this.#lines(car, fields));
  }

  /** Returns the finishers to the pit lane after the race. */
  returnToPit(fromMs: number): void {
    for (const [place, car] of this.#order.entries()) {
      if (this.#cars[car]!.line < LAST_LINE) continue;
      const atMs = fromMs + place * 610 + this.#upTo(500);
      this.#out.write(atMs, 'TimingData', this.#lines(car, { InPit: true }));
    }
  }

  #upTo(bound: number): number {
    return Math.floor(this.#random.next() * bound);
  }

  #lines(car: number, fields: Line): unknown {
    return { Lines: { [this.#grid[car]!.driver.number]: fields } };
  }

  /** Moves the car ahead of all cars that have not reached its line yet. */
  #overtake(atMs: number, car: number): void {
    const order = this.#order;
    const from = order.indexOf(car);
    let to = from;
    while (to > 0 && this.#cars[order[to - 1]!]!.line < this.#cars[car]!.line) to--;
    if (to === from) return;
    order.splice(from, 1);
    order.splice(to, 0, car);
    const timing: Record<string, Line> = {};
    const places: Record<string, Line> = {};
    for (let place = to; place <= from; place++) {
      const { number } = this.#grid[order[place]!]!.driver;
      timing[number] = { IntervalToPositionAhead: { Value: '' }, Line: place + 1, Position: String(place + 1) };
      places[number] = { Line: place + 1 };
    }
    this.#out.write(atMs, 'TimingData', { Lines: timing });
    this.#out.write(atMs + 28, 'DriverList', places);
  }

  #segment(atMs: number, car: number, line: number): void {
    const timing = this.#cars[car]!;
    const stretch = stretchOf(line);
    const change = this.#segmentMarks[stretch]!.take(car, timing.lineMs[line]! - timing.lineMs[line - 1]!);
    const purple = change[0]!.fields.OverallFastest === true;
    const green = this.#segmentMarks[stretch]!.isPersonalBest(car);
    const off = timing.inPit || (timing.leftPit && stretch === 0);
    const status = off ? SEGMENT.pit : purple ? SEGMENT.purple : green ? SEGMENT.green : SEGMENT.yellow;
    const sectors: Record<string, { Segments: Record<string, { Status: number }> }> = {};
    const set = (which: number, value: number): void => {
      const sector = Math.floor(which / LINES_PER_SECTOR);
      sectors[sector] ??= { Segments: {} };
      sectors[sector].Segments[which % LINES_PER_SECTOR] = { Status: value };
    };
    // The first segment of a new lap clears the marks of the last lap.
    if (stretch === 0 && line > 1) for (let other = 1; other < LINES_PER_LAP; other++) set(other, SEGMENT.none);
    set(stretch, status);
    this.#out.write(atMs, 'TimingData', this.#lines(car, { Sectors: sectors }));
  }

  #gap(atMs: number, car: number, line: number, wasLeader: boolean): void {
    const place = this.#order.indexOf(car);
    if (place === 0) {
      if (wasLeader && line % LINES_PER_LAP !== 0 && line !== 1) return;
      const text = `LAP ${lapOf(Math.min(line + 1, LAST_LINE))}`;
      const fields = { GapToLeader: text, IntervalToPositionAhead: { Value: text } };
      this.#out.write(atMs, 'TimingData', this.#lines(car, fields));
      return;
    }
    const ahead = this.#cars[this.#order[place - 1]!]!;
    const fields = {
      GapToLeader: this.#gapText(this.#cars[this.#order[0]!]!, car, line),
      IntervalToPositionAhead: { Value: this.#gapText(ahead, car, line), Catching: this.#catching(ahead, car, line) },
    };
    this.#out.write(atMs, 'TimingData', this.#lines(car, fields));
  }

  #gapText(ahead: CarTiming, car: number, line: number): string {
    const laps = Math.floor((ahead.line - line) / LINES_PER_LAP);
    if (laps > 0) return `${laps}L`;
    return `+${sectorTimeText(this.#cars[car]!.lineMs[line]! - ahead.lineMs[line]!)}`;
  }

  #catching(ahead: CarTiming, car: number, line: number): boolean {
    const own = this.#cars[car]!;
    return own.lineMs[line]! - own.lineMs[line - 1]! < ahead.lineMs[line]! - ahead.lineMs[line - 1]!;
  }

  #sector(atMs: number, car: number, line: number): void {
    const timing = this.#cars[car]!;
    const sector = Math.floor(stretchOf(line) / LINES_PER_SECTOR);
    const sectorMs = timing.lineMs[line]! - timing.lineMs[line - LINES_PER_SECTOR]!;
    const text = sectorTimeText(sectorMs);
    const lines: Record<string, Line> = {};
    const put = (changes: readonly MarkChange[], wrap: (fields: Line) => Line, value: Line): void => {
      for (const change of changes) {
        const fields = wrap(change.car === car ? { ...value, ...change.fields } : change.fields);
        const number = this.#grid[change.car]!.driver.number;
        lines[number] = { ...lines[number], ...fields };
      }
    };
    lines[this.#grid[car]!.driver.number] = {};
    if (timing.leftPit) {
      timing.leftPit = false;
      lines[this.#grid[car]!.driver.number] = { PitOut: false, Status: STATUS.running };
    }
    put(this.#sectorMarks[sector]!.take(car, sectorMs), (fields) => ({ Sectors: { [sector]: fields } }), {
      Value: text,
    });
    const trap = SPEED_TRAPS[sector]!;
    const speed = SPEED_BASE[trap]! + this.#upTo(16) - (timing.inPit ? 120 : 0);
    const speedText = String(speed);
    put(this.#speedMarks[trap]!.take(car, -speed), (fields) => ({ Speeds: { [trap]: fields } }), { Value: speedText });
    if (line % LINES_PER_LAP === 0) this.#lap(car, line, lines, put);
    this.#out.write(atMs, 'TimingData', { Lines: lines });
    this.#out.write(
      atMs + 900 + this.#upTo(1_400),
      'TimingData',
      this.#lines(car, { Sectors: { [sector]: { PreviousValue: text } } }),
    );
  }

  #lap(
    car: number,
    line: number,
    lines: Record<string, Line>,
    put: (changes: readonly MarkChange[], wrap: (fields: Line) => Line, value: Line) => void,
  ): void {
    const timing = this.#cars[car]!;
    const { number } = this.#grid[car]!.driver;
    const lap = line / LINES_PER_LAP;
    lines[number] = { ...lines[number], NumberOfLaps: lap };
    if (line === LAST_LINE) lines[number] = { ...lines[number], Status: STATUS.finished };
    // The first lap begins on the grid, so its time is not comparable: the upstream sends none.
    if (lap === 1) return;
    const lapMs = timing.lineMs[line]! - timing.lineMs[line - LINES_PER_LAP]!;
    const text = lapTimeText(lapMs);
    put(this.#lapMarks.take(car, lapMs), (fields) => ({ LastLapTime: fields }), { Value: text });
    if (lapMs >= timing.bestLapMs) return;
    timing.bestLapMs = lapMs;
    lines[number] = { ...lines[number], BestLapTime: { Value: text, Lap: lap } };
  }
}
