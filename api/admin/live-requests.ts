// What the operators' thread asks of the live thread, and what that answers, over a port between the two. Of a body only bytes
// travel: its lines are read where they are taken.

import type { Ingested } from './ingest.ts';

/** `request` is a number that the asking side chose. */
export type LiveRequest =
  | { readonly kind: 'progress'; readonly request: number; readonly sessionId: string }
  | { readonly kind: 'end'; readonly request: number; readonly sessionId: string }
  | {
      readonly kind: 'feed';
      readonly request: number;
      readonly sessionId: string;
      readonly seriesId: string | null;
    }
  /** A part of the body of a `feed`. The next one is sent once this one is `taken`. */
  | { readonly kind: 'body.part'; readonly request: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'body.end'; readonly request: number }
  /** The sender has left before the end of the body. */
  | { readonly kind: 'body.cut'; readonly request: number };

export type LiveReply =
  /** All sessions that go on: at the beginning, and when there are others or the connection to live timing is another. */
  | { readonly kind: 'sessions'; readonly sessions: readonly LiveSessionCells[]; readonly connected: boolean }
  | { readonly kind: 'taken'; readonly request: number }
  | { readonly kind: 'done'; readonly request: number; readonly ingested: Ingested }
  | {
      readonly kind: 'refused';
      readonly request: number;
      readonly statusCode: number;
      readonly code: string;
      readonly message: string;
    };

export interface LiveSessionCells {
  readonly sessionId: string;
  /** Of its SessionProgress. */
  readonly progress: SharedArrayBuffer;
}
