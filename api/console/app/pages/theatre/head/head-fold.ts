// What stands at the head of the theatre: the session, its lap, clock, flag and weather, and what race control says.

import type {
  LapCountPayload,
  RaceControlMessagesPayload,
  SessionClockPayload,
  SessionInfoPayload,
  SessionStatusPayload,
  TimingDataPayload,
  TrackStatusPayload,
  WeatherDataPayload,
} from '#api/client/payloads.ts';
import type { Fold, ShownUpdate } from '../show/updates.ts';

/** The newest messages of race control. */
const MESSAGES_MAX = 200;

export interface ShownMessage {
  readonly index: number;
  readonly atMs: number;
  readonly message: string;
  readonly flag: string | null;
  readonly lap: number | null;
}

export interface SessionHead {
  readonly info: SessionInfoPayload['data'] | null;
  readonly status: string | null;
  readonly track: string | null;
  readonly lap: LapCountPayload['data'] | null;
  readonly part: number | null;
  readonly weather: WeatherDataPayload['data'] | null;
  readonly clock: SessionClockPayload['data'] | null;
}

const NOTHING: SessionHead = {
  info: null,
  status: null,
  track: null,
  lap: null,
  part: null,
  weather: null,
  clock: null,
};

export class HeadFold implements Fold {
  #head: SessionHead = NOTHING;
  #messages: readonly ShownMessage[] = [];

  /** Another object when anything of it has changed. */
  get head(): SessionHead {
    return this.#head;
  }

  /** The newest first. Another array when there is another message. */
  get messages(): readonly ShownMessage[] {
    return this.#messages;
  }

  reset(): void {
    this.#head = NOTHING;
    this.#messages = [];
  }

  /** No feed says again what race control said before. */
  rewind(toMs: number): void {
    this.#head = NOTHING;
    this.#messages = this.#messages.filter(({ atMs }) => atMs <= toMs);
  }

  take({ feed, payload, atMs }: ShownUpdate): void {
    switch (feed) {
      case 'session.info':
        this.#set({ info: (payload as unknown as SessionInfoPayload).data });
        break;
      case 'session.status':
        this.#set({ status: (payload as unknown as SessionStatusPayload).data.status });
        break;
      case 'track.status':
        this.#set({ track: (payload as unknown as TrackStatusPayload).data.status });
        break;
      case 'lap.count':
        this.#set({ lap: (payload as unknown as LapCountPayload).data });
        break;
      case 'weather.data':
        this.#set({ weather: (payload as unknown as WeatherDataPayload).data });
        break;
      case 'session.clock':
        this.#set({ clock: (payload as unknown as SessionClockPayload).data });
        break;
      case 'timing.data': {
        const part = (payload as unknown as TimingDataPayload).session?.part;
        if (part !== undefined) this.#set({ part });
        break;
      }
      case 'race-control.messages':
        this.#say((payload as unknown as RaceControlMessagesPayload).data, atMs);
        break;
    }
  }

  #set(change: Partial<SessionHead>): void {
    this.#head = { ...this.#head, ...change };
  }

  /** A correction repeats the number of what it corrects. */
  #say({ index, message, flag, lap }: RaceControlMessagesPayload['data'], atMs: number): void {
    const said = { index, atMs, message, flag: flag ?? null, lap: lap ?? null };
    const others = this.#messages.filter((other) => other.index !== index);
    const isCorrection = others.length < this.#messages.length;
    this.#messages = isCorrection
      ? this.#messages.map((other) => (other.index === index ? said : other))
      : [said, ...others.slice(0, MESSAGES_MAX - 1)];
  }
}

/** Sprint qualifying has had several names. */
export function isOfSprint(info: SessionHead['info']): boolean {
  return /sprint/i.test(info?.name ?? '');
}

/** Milliseconds that the clock of the session shows; null: it has none. */
export function remainingMs(clock: SessionHead['clock'], atMs: number | null): number | null {
  const ms = clock?.remaining?.ms ?? null;
  if (clock === null || ms === null) return null;
  if (clock.running !== true || clock.utc === null || atMs === null) return ms;
  return Math.max(0, ms - Math.max(0, atMs - Date.parse(clock.utc)));
}
