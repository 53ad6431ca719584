// What happened: the last race events.

import type { EventsRacePayload, RaceEventType } from '#api/client/payloads.ts';
import type { Fold, ShownUpdate } from '../show/fold.ts';
import { Entrants } from './entrants.ts';
import { Ring } from './ring.ts';
import { isOf } from './update-of.ts';

const EVENTS_MAX = 300;

export const EVENT_GROUPS = ['order', 'pits', 'laps', 'control'] as const;
export type EventGroup = (typeof EVENT_GROUPS)[number];

/** What a viewer chooses events by. */
export const GROUP_OF: Readonly<Record<RaceEventType, EventGroup>> = {
  session_start: 'control',
  session_end: 'control',
  overtake: 'order',
  lead_change: 'order',
  pit_entry: 'pits',
  pit_exit: 'pits',
  fastest_lap: 'laps',
  retirement: 'order',
  safety_car_deployed: 'control',
  safety_car_ending: 'control',
  virtual_safety_car_deployed: 'control',
  virtual_safety_car_ending: 'control',
  red_flag: 'control',
  yellow_flag: 'control',
  track_clear: 'control',
  chequered_flag: 'control',
  session_resumed: 'control',
  session_aborted: 'control',
  segment_start: 'control',
  segment_end: 'control',
  knocked_out: 'order',
  position_gained: 'order',
  position_lost: 'order',
  pit_stop: 'pits',
  fastest_pit_stop: 'pits',
  double_stack: 'pits',
  tire_change: 'pits',
  personal_best: 'laps',
  stopped: 'order',
  investigation: 'control',
  penalty: 'control',
  penalty_served: 'control',
  lap_deleted: 'laps',
  blue_flag: 'control',
  black_and_white_flag: 'control',
  drs_enabled: 'control',
  drs_disabled: 'control',
  rain_start: 'control',
  rain_stop: 'control',
  battle_start: 'order',
  battle_end: 'order',
  milestone: 'laps',
  team_radio: 'control',
  championship_change: 'order',
};

export interface ShownEvent {
  readonly sequence: number;
  readonly payload: EventsRacePayload;
}

interface Actors {
  readonly event: RaceEventType;
  readonly drivers: readonly { readonly number: string; readonly tla: string | null }[];
}

/** The code of who acts: that of the first driver, of an incident those of all; empty if none is named. */
export function whoOf({ event, drivers }: Actors): string {
  const codes = drivers.map(({ tla, number }) => tla ?? number);
  return event === 'investigation' ? codes.join(', ') : (codes[0] ?? '');
}

export class RaceEventLog implements Fold {
  readonly entrants = new Entrants();
  /** Counts changes. */
  version = 0;
  readonly #events = new Ring<ShownEvent>(EVENTS_MAX);

  reset(): void {
    this.entrants.reset();
    this.#events.clear();
    this.version++;
  }

  rewind(toMs: number): void {
    this.#events.keep(({ payload }) => Date.parse(payload.utc) <= toMs);
    this.version++;
  }

  take(update: ShownUpdate): void {
    this.entrants.take(update);
    if (!isOf(update, 'events.race')) return;
    this.#events.push({ sequence: update.sequence, payload: update.payload });
    this.version++;
  }

  /** The newest first; null: of every group. Types that this page does not know belong to none. */
  newest(count: number, group: EventGroup | null): readonly ShownEvent[] {
    const all = this.#events.newest(this.#events.size);
    const chosen = group === null ? all : all.filter(({ payload }) => GROUP_OF[payload.event] === group);
    return chosen.slice(0, count);
  }

  /** The code of a driver, or the number if the driver is not known. */
  codeOf(number: string): string {
    return this.entrants.get(number)?.code ?? number;
  }
}
