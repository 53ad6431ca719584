// What goes on in the service while it is killed: one account with its endpoints, replays one after the other, and a live
// session that an operator's own source feeds without a pause. Whoever plays here behaves as a customer should: what is
// refused or cut off is tried again.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '#engine/base/clock.ts';
import { ApiClient, type Credentials } from '#workers/demo/api-client.ts';
import type { CrashReceiver } from './crash-receiver.ts';
import type { CrashService } from './crash-service.ts';
import { firstLine, STEADY_FEED, steadyLine } from './steady-frames.ts';

export const REPLAYED = '2026-crash-race';
export const FOLLOWED = '2026-crash-sprint';
/** A replay: this many updates, one every so many milliseconds, four seconds in all. */
const REPLAY_UPDATES = 160;
const REPLAY_EVERY_MS = 25;
/** The live session: a frame every so many milliseconds. */
const LIVE_EVERY_MS = 40;
const POLL_MS = 25;
const PATIENCE_MS = 45_000;

export class CrashScene {
  readonly webhookIds: string[] = [];
  /** The frames of the replayed session, and those that the live session has taken so far, as lines. */
  readonly replayLines: readonly string[];
  readonly liveLines: string[] = [];
  readonly #service: CrashService;
  readonly #giveUp = new AbortController();
  #account!: Credentials;
  #api!: ApiClient;
  #feeding: Promise<void> = Promise.resolve();
  #fed = true;

  constructor(service: CrashService) {
    this.#service = service;
    this.replayLines = lines(REPLAY_UPDATES, REPLAY_EVERY_MS);
  }

  /** Makes account, endpoints and sessions; the live session begins. */
  async prepare(receiver: CrashReceiver, endpoints: number): Promise<void> {
    const { dataDir } = this.#service;
    const create = ['account', 'create', '--email', 'bench@example.com', '--plan', 'custom'];
    this.#account = JSON.parse(await this.#service.admin(create)) as Credentials;
    await this.signIn();
    for (let endpoint = 0; endpoint < endpoints; endpoint++) {
      const order = { webhookUrl: receiver.urlOf(endpoint), feedId: STEADY_FEED };
      const { webhookId, webhookSecret } = await this.#api.createWebhook(order);
      receiver.expect(webhookSecret);
      this.webhookIds.push(webhookId);
    }
    const path = join(dataDir, 'crash.ndjson');
    writeFileSync(path, this.replayLines.join(''));
    await this.#service.admin(['import', 'recording', path, '--session', REPLAYED]);
    await this.#api.prepare(REPLAYED);
    await this.#until(async () => (await this.#api.preparation(REPLAYED)).status === 'ready');
    this.#fed = false;
    this.#feeding = this.#feed();
  }

  /** With the process that runs now. */
  async signIn(): Promise<void> {
    this.#api = new ApiClient(this.#service.address, this.#giveUp.signal);
    await this.#until(async () => {
      await this.#api.signIn(this.#account);
      return true;
    });
  }

  /** Starts the next replay when the last one is over. */
  async keepPlaying(): Promise<void> {
    await this.#until(async () => {
      if ((await this.#unfinished('replay')) === 0) await this.#api.startRun(REPLAYED, 1);
      return true;
    });
  }

  /** No more frames come: the live session ends, and everything is delivered to its end. */
  async end(): Promise<void> {
    this.#fed = true;
    await this.#feeding;
    await this.#until(async () => {
      const { status } = await fetch(`${this.#service.operators}/v1/ingest/${FOLLOWED}/end`, { method: 'POST' });
      return status === 200 || status === 404;
    });
    await this.#until(async () => (await this.#unfinished('replay')) + (await this.#unfinished('live')) === 0);
  }

  /** Stops waiting for whatever is waited for. */
  giveUp(): void {
    this.#fed = true;
    this.#giveUp.abort(new Error('the bench ends'));
  }

  async #unfinished(mode: 'replay' | 'live'): Promise<number> {
    const [row] = await this.#service.sql<{ count: number }[]>`
      select count(*)::int from run where mode = ${mode} and ended_at is null`;
    return row!.count;
  }

  /** Hands over what has fallen due since the last time; what was not confirmed comes again under the same numbers. */
  async #feed(): Promise<void> {
    const startedMs = systemClock.nowMs();
    const made: string[] = [numbered(firstLine(), 1)];
    let confirmed = 0;
    while (!this.#fed || confirmed < made.length) {
      if (this.#giveUp.signal.aborted) return;
      const due = 1 + Math.floor((systemClock.nowMs() - startedMs) / LIVE_EVERY_MS);
      for (let number = made.length - 1; !this.#fed && number < due; number++) {
        made.push(numbered(steadyLine(number, LIVE_EVERY_MS), made.length + 1));
      }
      const taken = await this.#hand(made.slice(confirmed));
      for (; confirmed < taken; confirmed++) this.liveLines.push(made[confirmed]!);
      await pause(POLL_MS);
    }
  }

  /** Answers the sequence up to which the service has everything; 0 when it did not say. */
  async #hand(some: readonly string[]): Promise<number> {
    try {
      const answer = await fetch(`${this.#service.operators}/v1/ingest/${FOLLOWED}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: some.join(''),
        signal: AbortSignal.any([this.#giveUp.signal, AbortSignal.timeout(2_000)]),
      });
      const { data } = (await answer.json()) as { data?: { lastSequence: number } };
      return data?.lastSequence ?? 0;
    } catch {
      return 0;
    }
  }

  /** Until it holds; what fails meanwhile is tried again, until patience ends with what failed last. */
  async #until(holds: () => Promise<boolean>): Promise<void> {
    const endMs = systemClock.nowMs() + PATIENCE_MS;
    let last: unknown = new Error('what was waited for did not come');
    while (systemClock.nowMs() < endMs) {
      this.#giveUp.signal.throwIfAborted();
      try {
        if (await holds()) return;
      } catch (error) {
        last = error;
      }
      await pause(POLL_MS);
    }
    throw new Error(`${last instanceof Error ? last.message : last}\n${this.#service.log}`);
  }
}

function lines(updates: number, everyMs: number): string[] {
  return [firstLine(), ...Array.from({ length: updates }, (_, number) => steadyLine(number, everyMs))];
}

function numbered(line: string, sequence: number): string {
  return `${line.trimEnd().slice(0, -1)},"sequence":${sequence}}\n`;
}
