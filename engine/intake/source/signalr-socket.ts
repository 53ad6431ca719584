// The WebSocket below a SignalR connection.
//
// The library has one as well, which can neither be ended at once (it waits 30 s for the goodbye of a server that is gone)
// nor says why it could not connect.

import type { ITransport } from '@microsoft/signalr';
import { WebSocket } from 'ws';
import type { TimerClock } from '#engine/base/clock.ts';
import { LIVE_TEXT_BYTES_MAX } from '#engine/base/limits.ts';
import type { SignalrNegotiation } from './signalr-negotiation.ts';

/** Normal closure, going away, and a close frame without a code. */
const REGULAR_CODES: readonly number[] = [1000, 1001, 1005];

export class SignalrSocket implements ITransport {
  onreceive: ((data: string | ArrayBuffer) => void) | null = null;
  onclose: ((error?: Error) => void) | null = null;
  readonly #negotiation: SignalrNegotiation;
  readonly #clock: TimerClock;
  #socket: WebSocket | null = null;
  #terminated = false;
  #hasSent = false;
  /** Why it ends, once that is known. */
  #failure: Error | null = null;
  /** Resolves once nothing is left of the socket. */
  #gone: Promise<void> = Promise.resolve();

  constructor(negotiation: SignalrNegotiation, clock: TimerClock) {
    this.#negotiation = negotiation;
    this.#clock = clock;
  }

  get gone(): Promise<void> {
    return this.#gone;
  }

  connect(url: string): Promise<void> {
    if (this.#terminated) return Promise.reject(new Error('the connection was given up'));
    const { headers } = this.#negotiation;
    const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers, maxPayload: LIVE_TEXT_BYTES_MAX });
    this.#socket = socket;
    this.#gone = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.onmessage = ({ data }) => this.#receive(data as string);
    return new Promise((resolve, reject) => {
      let opened = false;
      socket.onopen = () => {
        opened = true;
        resolve();
      };
      socket.onerror = ({ message }) => {
        this.#failure = new Error(message);
      };
      socket.onclose = ({ code, reason }) => {
        const error = this.#failure ?? closeError(code, reason);
        if (opened) this.#endSoon(error);
        else reject(error ?? new Error('the server closed the connection at once'));
      };
    });
  }

  async send(text: string): Promise<void> {
    const isOpen = this.#socket?.readyState === WebSocket.OPEN;
    if (!isOpen) throw this.#failure ?? new Error('the connection is closed');
    this.#hasSent = true;
    this.#socket!.send(text);
  }

  async stop(): Promise<void> {
    this.#socket?.close();
    this.#end(null);
  }

  /** Ends it at once, in whatever state it is, without a goodbye. */
  terminate(): void {
    this.#terminated = true;
    this.#socket?.terminate();
  }

  #receive(text: string): void {
    if (this.onreceive === null) return;
    try {
      // The library does not yet wait for an answer then, and an error in it would be caught by nobody.
      if (!this.#hasSent) throw new Error('the server spoke before it was spoken to');
      this.onreceive(text);
    } catch (error) {
      this.#failure = error as Error;
      this.#socket?.close();
      this.onreceive = null;
      this.#endSoon(this.#failure);
    }
  }

  /** The library must have taken note of the beginning before it hears of the end, and that happens in promises. */
  #endSoon(error: Error | null): void {
    this.#clock.schedule(0, () => this.#end(error));
  }

  /** Tells the library once; it takes a second telling for a mistake. */
  #end(error: Error | null): void {
    const { onclose } = this;
    this.onreceive = null;
    this.onclose = null;
    onclose?.(error ?? undefined);
  }
}

function closeError(code: number, reason: string): Error | null {
  if (REGULAR_CODES.includes(code)) return null;
  return new Error(`the connection broke (WebSocket code ${code}${reason === '' ? '' : `, "${reason}"`})`);
}
