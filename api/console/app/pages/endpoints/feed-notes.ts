// What the console knows of feeds beside their names.

import { ask } from '../../data/service.ts';

export interface FeedNote {
  readonly feedId: string;
  /** What an update tells. */
  readonly tells: string;
  /** When it is sent. */
  readonly sent: string;
  /** In the demo race; null if it has none. */
  readonly perMinute: number | null;
  readonly filters: 'none' | 'drivers' | 'drivers and event types';
}

export interface FeedNotes {
  readonly feeds: readonly FeedNote[];
  readonly eventTypes: readonly string[];
}

export async function feedNotes(): Promise<FeedNotes> {
  return (await ask<{ readonly data: FeedNotes }>('GET', '/console/feeds')).data;
}
