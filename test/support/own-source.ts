// An operator's own source for contract tests: feeds the brief race as a live session, part by part.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSource } from '#engine/intake/source/open-source.ts';
import { writeBriefRace } from './brief-session.ts';
import type { ContractService } from './contract-service.ts';

export interface Message {
  readonly topic: string;
  /** Milliseconds since the start of the session. */
  readonly atMs: number;
  readonly data: unknown;
}

/** The messages of the brief race, in order. */
export function briefRace(): Message[] {
  const parent = mkdtempSync(join(tmpdir(), 'slipstream-test-'));
  try {
    const frames = [...openSource(writeBriefRace(parent)).frames()];
    const startMs = frames[0]!.utcMs;
    return frames.map(({ topic, utcMs, json }) => ({ topic, atMs: utcMs - startMs, data: JSON.parse(json) }));
  } finally {
    rmSync(parent, { recursive: true });
  }
}

export class OwnSource {
  readonly sessionId: string;
  readonly #url: string;
  readonly #messages: readonly Message[];
  readonly #startUtcMs = Date.now();
  #sent = 0;

  constructor(service: ContractService, sessionId: string, messages: readonly Message[] = briefRace()) {
    this.sessionId = sessionId;
    this.#url = `${service.process.operators}/v1/ingest/${sessionId}`;
    this.#messages = messages;
  }

  /** Sends the messages before this moment of the session; without an argument, all of them. */
  async upTo(untilMs = Number.POSITIVE_INFINITY): Promise<void> {
    const left = this.#messages.slice(this.#sent);
    const end = left.findIndex(({ atMs }) => atMs >= untilMs);
    await this.#send(end === -1 ? left : left.slice(0, end));
  }

  /** Sends the next message. */
  async next(): Promise<void> {
    await this.#send(this.#messages.slice(this.#sent, this.#sent + 1));
  }

  /** Ends the session. Resolves when it can be replayed. */
  async end(): Promise<void> {
    const response = await fetch(`${this.#url}/end`, { method: 'POST' });
    assert.equal(response.status, 200, await response.text());
  }

  async #send(messages: readonly Message[]): Promise<void> {
    const lines = messages.map(({ topic, atMs, data }, index) => {
      const utc = new Date(this.#startUtcMs + atMs).toISOString();
      return `${JSON.stringify({ topic, utc, data, sequence: this.#sent + index + 1 })}\n`;
    });
    const headers = { 'content-type': 'application/x-ndjson' };
    const response = await fetch(this.#url, { method: 'POST', headers, body: lines.join('') });
    assert.equal(response.status, 200, await response.clone().text());
    this.#sent += messages.length;
    assert.equal(((await response.json()) as { data: { lastSequence: number } }).data.lastSequence, this.#sent);
  }
}
