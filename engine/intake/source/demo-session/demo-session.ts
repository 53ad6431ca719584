// The built-in session: a simulated race, written as frames in the upstream's own format. A fresh checkout can replay
// it, and everything behind the source handles it like any other session.
//
// One seed determines all of it: the frames have the same bytes on every machine (I7).

import { seededRandom } from '#engine/base/random.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { LAST_LINE, LINES_PER_LAP, LINES_PER_SECTOR, stretchOf } from './circuit.ts';
import { FrameWriter } from './frame-writer.ts';
import { drawGrid, type Entrant } from './race-plan.ts';
import { type SimulatedEvent, simulateRace } from './race-simulation.ts';
import { SessionFrames } from './session-frames.ts';
import { StintFrames } from './stint-frames.ts';
import { TimingFrames } from './timing-frames.ts';

export const DEMO_SESSION_ID = 'demo-race';
/** Raise it with every change of the frames, so that an installed copy is replaced. */
export const DEMO_SESSION_VERSION = 1;

const SEED = 1;
/** Time from the session's start until the lights go out: garages, formation lap, grid. */
const LIGHTS_MS = 48_000;
const SPIN_YELLOW_MS = 14_000;

/** All frames of the session in time order. */
export function demoSessionFrames(): Frame[] {
  const random = seededRandom(SEED);
  const grid = drawGrid(random);
  const race = simulateRace(grid, random);
  const out = new FrameWriter();
  const session = new SessionFrames(out);
  const timing = new TimingFrames(out, grid, random, LIGHTS_MS);
  const stints = new StintFrames(out, grid, LIGHTS_MS);

  session.snapshot(0, grid);
  timing.snapshot(120);
  stints.snapshot(140);
  timing.leaveGarages(3_000);
  session.raceControl(24_000, { Category: 'Other', Message: 'FORMATION LAP' });
  stints.startTyres(40_000);
  session.raceControl(LIGHTS_MS - 2_000, { Category: 'Other', Message: 'STANDING START' });
  session.status(LIGHTS_MS, 'Started');
  session.raceControl(LIGHTS_MS + 150, {
    Category: 'Flag',
    Flag: 'GREEN',
    Scope: 'Track',
    Message: 'GREEN LIGHT - PIT EXIT OPEN',
  });
  writeRace(race, grid, session, timing, stints);

  const finishMs = LIGHTS_MS + race.at(-1)!.atMs;
  session.status(finishMs + 3_000, 'Finished');
  timing.returnToPit(finishMs + 12_000);
  session.status(finishMs + 28_000, 'Finalised');
  session.status(finishMs + 40_000, 'Ends');
  session.finish();
  session.background(finishMs + 40_000, random);
  return out.frames();
}

/** Writes the race in time order, so that messages carry the lap in which they were sent. */
function writeRace(
  race: readonly SimulatedEvent[],
  grid: readonly Entrant[],
  session: SessionFrames,
  timing: TimingFrames,
  stints: StintFrames,
): void {
  let leaderLine = 0;
  let parkedSector = 0;
  for (const event of race) {
    const { atMs } = event;
    const wallMs = LIGHTS_MS + atMs;
    switch (event.kind) {
      case 'crossing': {
        const { car, line } = event;
        if (line > leaderLine) {
          leaderLine = line;
          leaderAt(line, wallMs, session);
        }
        timing.crossing(atMs, car, line);
        if (line % LINES_PER_LAP === 0) stints.lap(atMs, car, line / LINES_PER_LAP);
        break;
      }
      case 'pit_in':
        timing.pitIn(atMs, event.car);
        break;
      case 'pit_out':
        timing.pitOut(atMs, event.car);
        stints.tyreChange(atMs, event.car, event.tyre);
        break;
      case 'garage':
        timing.garage(atMs, event.car);
        break;
      case 'spin': {
        const { number, tla } = grid[event.car]!.driver;
        const sector = sectorOf(event.line);
        session.yellow(wallMs + 800, sector, false);
        session.clear(wallMs + 800 + SPIN_YELLOW_MS, sector);
        const message = `CAR ${number} (${tla}) OFF TRACK AND CONTINUED`;
        session.raceControl(wallMs + 6_000, { Category: 'CarEvent', RacingNumber: number, Message: message });
        break;
      }
      case 'parked':
        parkedSector = sectorOf(event.line);
        timing.parked(atMs, event.car);
        session.yellow(wallMs + 1_500, parkedSector, true);
        break;
      case 'safety_car':
        safetyCar(event.phase, wallMs, parkedSector, session);
        break;
      case 'chequered':
        session.raceControl(wallMs, {
          Category: 'Flag',
          Flag: 'CHEQUERED',
          Scope: 'Track',
          Message: 'CHEQUERED FLAG',
        });
        break;
    }
  }
}

function leaderAt(line: number, wallMs: number, session: SessionFrames): void {
  if (line % LINES_PER_LAP === 0 && line < LAST_LINE) session.lap(wallMs + 15, line / LINES_PER_LAP + 1);
  if (line === 2 * LINES_PER_LAP + 2) {
    session.raceControl(wallMs, { Category: 'Drs', Status: 'ENABLED', Message: 'DRS ENABLED' });
  }
}

function safetyCar(
  phase: 'deployed' | 'in_this_lap' | 'gone',
  wallMs: number,
  sector: number,
  session: SessionFrames,
): void {
  const common = { Category: 'SafetyCar', Mode: 'SAFETY CAR' };
  if (phase === 'deployed') {
    session.track(wallMs, 'SCDeployed');
    session.raceControl(wallMs + 30, { ...common, Status: 'DEPLOYED', Message: 'SAFETY CAR DEPLOYED' });
    session.raceControl(wallMs + 900, { Category: 'Drs', Status: 'DISABLED', Message: 'DRS DISABLED' });
  } else if (phase === 'in_this_lap') {
    session.raceControl(wallMs, { ...common, Status: 'IN THIS LAP', Message: 'SAFETY CAR IN THIS LAP' });
  } else {
    session.clear(wallMs, sector);
    session.raceControl(wallMs + 80, { Category: 'Flag', Flag: 'CLEAR', Scope: 'Track', Message: 'TRACK CLEAR' });
    session.raceControl(wallMs + 62_000, { Category: 'Drs', Status: 'ENABLED', Message: 'DRS ENABLED' });
  }
}

/** The marshalling sector, from 1, of the stretch that ends at `line`: two to a sector of the lap. */
function sectorOf(line: number): number {
  return Math.floor(stretchOf(line) / (LINES_PER_SECTOR / 2)) + 1;
}
