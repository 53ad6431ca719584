// The messages between the operators' thread and the live thread. Bodies travel as bytes; the live thread splits them
// into lines.

import type { Ingested } from './ingest.ts';

/** `request` is a number chosen by the requesting side. */
export type LiveRequest =
  | { readonly kind: 'progress'; readonly request: number; readonly sessionId: string }
  | { readonly kind: 'end'; readonly request: number; readonly sessionId: string }
  | {
      readonly kind: 'feed';
      readonly request: number;
      readonly sessionId: string;
      readonly seriesId: string | null;
    }
  /** A part of the body of a `feed`. The next one follows once this one is `taken`. */
  | { readonly kind: 'body.part'; readonly request: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'body.end'; readonly request: number }
  /** The client disconnected before the end of the body. */
  | { readonly kind: 'body.cut'; readonly request: number };

export type LiveReply =
  /** All live sessions. Sent at the start, and whenever they or the connection to live timing change. */
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
  /** The memory of its SessionProgress. */
  readonly progress: SharedArrayBuffer;
}
