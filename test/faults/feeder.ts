// A source of a live session that sends lines at a steady pace to the nodes of a cluster. When a request fails it asks another node
// how far the session is, and goes on there.

import { setTimeout as pause } from 'node:timers/promises';
import type { Frame } from '#engine/racing/frame.ts';

export interface FeedOptions {
  /** The addresses for operators of the nodes that can be asked now. */
  readonly nodes: () => readonly string[];
  readonly sessionId: string;
  readonly frames: readonly Frame[];
  readonly framesPerSecond: number;
  /** After so many lines the next node is fed. */
  readonly framesPerRequest: number;
}

const NDJSON = { 'content-type': 'application/x-ndjson' };
const BUSY_PAUSE_MS = 50;
const REQUESTS_MAX = 1_000;

export class Feeder {
  readonly #options: FeedOptions;
  readonly #lines: readonly Buffer[];
  /** Lines that were sent. */
  sent = 0;
  /** How many requests were taken to their end. */
  requests = 0;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#lines = options.frames.map(({ topic, utcMs, json }, index) => {
      const utc = new Date(utcMs).toISOString();
      return Buffer.from(`${JSON.stringify({ topic, utc, data: JSON.parse(json), sequence: index + 1 })}\n`);
    });
  }

  /** Sends everything. */
  async run(): Promise<void> {
    const { nodes, framesPerSecond, framesPerRequest } = this.#options;
    const startedMs = performance.now();
    const dueMs = (line: number): number => startedMs + (line * 1_000) / framesPerSecond;
    for (let turn = 0, tries = 0; ; turn++, tries++) {
      if (tries === REQUESTS_MAX) throw new Error(`the session is not fed any further after ${tries} requests`);
      const addresses = nodes();
      const url = `${addresses[turn % addresses.length]}/v1/ingest/${this.#options.sessionId}`;
      try {
        const from = await lastSequence(url);
        if (from >= this.#lines.length) return;
        const until = Math.min(this.#lines.length, from + framesPerRequest);
        if (await this.#send(url, from, until, dueMs)) this.requests++;
        else await pause(BUSY_PAUSE_MS);
      } catch {
        // The node has died: `nodes` names it no more.
        await pause(BUSY_PAUSE_MS);
      }
    }
  }

  /** False when another request feeds the session. */
  async #send(url: string, from: number, until: number, dueMs: (line: number) => number): Promise<boolean> {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    let isOver = false;
    const request = { method: 'POST', headers: NDJSON, body: readable, duplex: 'half' } as RequestInit;
    const answer = fetch(url, request).finally(() => {
      isOver = true;
    });
    answer.catch(() => {});
    const writer = writable.getWriter();
    writer.closed.catch(() => {});
    for (let line = from; line < until && !isOver; line++) {
      const waitMs = dueMs(line) - performance.now();
      if (waitMs > 0) await pause(waitMs);
      // A request that ended reads no more.
      await Promise.race([writer.write(this.#lines[line]!), answer]);
      this.sent = Math.max(this.sent, line + 1);
    }
    if (!isOver) writer.close().catch(() => {});
    const response = await answer;
    const text = await response.text();
    if (response.status !== 200 && !text.includes('session_busy')) throw new Error(`${response.status} ${text}`);
    return response.status === 200;
  }
}

async function lastSequence(url: string): Promise<number> {
  const response = await fetch(url);
  const { data } = (await response.json()) as { data?: { lastSequence: number } };
  return data?.lastSequence ?? 0;
}
