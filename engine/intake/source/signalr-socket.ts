// The WebSocket below a SignalR connection.
//
// The library's own transport cannot end at once (it waits 30 s for the close frame of a server that is gone) and does
// not say why it could not connect.

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
  /** Why the socket fails, once that is known. */
  #failure: Error | null = null;
  /** Resolves once the socket has closed. */
  #gone: Promise<void> = Promise.resolve();

  constructor(negotiation: SignalrNegotiation, clock: TimerClock) {
    this.#negotiation = negotiation;
    this.#clock = clock;
  }

  get gone(): Promise<void> {
    return this.#gone;
  }

  connect(url: string): Promise<void> {
    if (this.#terminated) return Promise.reject(new Error('the connection was aborted'));
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

  /** Ends the socket at once, in any state, without a close frame. */
  terminate(): void {
    this.#terminated = true;
    this.#socket?.terminate();
  }

  #receive(text: string): void {
    if (this.onreceive === null) return;
    try {
      // The library does not expect a message yet, and its error would be an unhandled rejection.
      if (!this.#hasSent) throw new Error('the server sent a message before the handshake');
      this.onreceive(text);
    } catch (error) {
      this.#failure = error as Error;
      this.#socket?.close();
      this.onreceive = null;
      this.#endSoon(this.#failure);
    }
  }

  /** Reports the end in a later turn: the library handles the start in promises, and must see it first. */
  #endSoon(error: Error | null): void {
    this.#clock.schedule(0, () => this.#end(error));
  }

  /** Reports the end to the library, once: it treats a second report as an error. */
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
