// What the first page shows of the demo race: the order, gaps and tyres, folded from its updates.

import type { FeedPayloads } from '#api/client/payloads.ts';

export interface BoardRow {
  readonly number: string;
  readonly code: string;
  readonly team: string;
  /** A CSS colour. */
  readonly colour: string;
  readonly position: number;
  readonly gap: string;
  /** The compound, `SOFT`; empty if it is not known. */
  readonly tyre: string;
  readonly isOut: boolean;
}

interface Driver {
  code: string;
  team: string;
  colour: string;
  position: number;
  gap: string;
  tyre: string;
  isOut: boolean;
}

const ROWS_MAX = 10;
/** What timing shows in place of the leader's gap. */
const LEADERS_LAP = /^LAP \d+$/;

export class DemoBoard {
  readonly #drivers = new Map<string, Driver>();
  lap = 0;
  laps = 0;
  /** The latest message of race control; empty before the first. */
  message = '';

  /** `feed` and `data` as in the event stream of a visual replay. */
  take(feed: string, data: string): void {
    const payload: unknown = JSON.parse(data);
    switch (feed) {
      case 'timing.driver-info':
        for (const driver of (payload as FeedPayloads['timing.driver-info']).drivers) {
          const own = this.#driver(driver);
          if (driver.teamColor != null && /^[0-9a-f]{6}$/i.test(driver.teamColor)) own.colour = `#${driver.teamColor}`;
        }
        break;
      case 'timing.data':
        for (const driver of (payload as FeedPayloads['timing.data']).drivers) {
          const own = this.#driver(driver);
          if (driver.gapToLeader != null)
            own.gap = LEADERS_LAP.test(driver.gapToLeader.display) ? '' : driver.gapToLeader.display;
          if (driver.retired === true || driver.stopped === true) own.isOut = true;
        }
        break;
      case 'tire.stints':
        for (const driver of (payload as FeedPayloads['tire.stints']).drivers) {
          const own = this.#driver(driver);
          for (const { compound } of driver.stints) if (compound != null) own.tyre = compound;
        }
        break;
      case 'lap.count': {
        const { currentLap, totalLaps } = (payload as FeedPayloads['lap.count']).data;
        this.lap = currentLap ?? this.lap;
        this.laps = totalLaps ?? this.laps;
        break;
      }
      case 'race-control.messages':
        this.message = (payload as FeedPayloads['race-control.messages']).data.message ?? this.message;
        break;
    }
  }

  /** The first of them, by position. */
  rows(): readonly BoardRow[] {
    const rows = [...this.#drivers].map(([number, driver]) => ({ number, ...driver }));
    return rows
      .filter(({ position }) => position > 0)
      .sort((a, b) => a.position - b.position)
      .slice(0, ROWS_MAX);
  }

  #driver(entry: {
    readonly number: string;
    readonly tla: string | null;
    readonly team: string | null;
    readonly position: number | null;
  }): Driver {
    let own = this.#drivers.get(entry.number);
    if (own === undefined) {
      own = { code: entry.number, team: '', colour: 'transparent', position: 0, gap: '', tyre: '', isOut: false };
      this.#drivers.set(entry.number, own);
    }
    own.code = entry.tla ?? own.code;
    own.team = entry.team ?? own.team;
    own.position = entry.position ?? own.position;
    return own;
  }
}
