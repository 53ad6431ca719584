// The demo race as it comes to a visitor. It is drawn at most ten times a second: more cannot be read.

import { useEffect, useState } from 'preact/hooks';
import { EventReader } from '#api/client/event-reader.ts';
import { SERVICE_URL } from '../../address.ts';
import { type BoardRow, DemoBoard } from './demo-board.ts';

export type Demo =
  | { readonly kind: 'waiting' }
  | {
      readonly kind: 'shown';
      readonly rows: readonly BoardRow[];
      readonly lap: number;
      readonly laps: number;
      readonly message: string;
      readonly isOver: boolean;
    }
  | { readonly kind: 'unavailable' };

const DRAWN_MS = 100;

/** `show` counts the showings: another number begins another one. */
export function useDemo(show: number): Demo {
  const [demo, setDemo] = useState<Demo>({ kind: 'waiting' });
  useEffect(() => {
    const leaving = new AbortController();
    const board = new DemoBoard();
    let changed = false;
    let isOver = false;
    const draw = (): void => {
      if (!changed) return;
      changed = false;
      const { lap, laps, message } = board;
      setDemo({ kind: 'shown', rows: board.rows(), lap, laps, message, isOver });
    };
    const timer = setInterval(draw, DRAWN_MS);
    const events = readEvents(leaving.signal, (feed, data) => {
      board.take(feed, data);
      changed = true;
    });
    const end = (): void => {
      // Also of a stream that ends before the race does: it can be begun again.
      isOver = true;
      changed = true;
      draw();
    };
    events.then(end).catch(() => {
      if (!leaving.signal.aborted) setDemo({ kind: 'unavailable' });
    });
    return () => {
      clearInterval(timer);
      leaving.abort();
    };
  }, [show]);
  return demo;
}

/** Resolves at the end of the stream. Rejects when the stream is refused or breaks. */
async function readEvents(signal: AbortSignal, take: (feed: string, data: string) => void): Promise<void> {
  const response = await fetch(`${SERVICE_URL}/v1/console/demo`, { signal });
  if (!response.ok || response.body === null) throw new Error('no demo');
  const reader = response.body.getReader();
  const events = new EventReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    for (const { event, data } of events.read(value)) take(event, data);
  }
}
