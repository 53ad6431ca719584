// The load on the service while it is killed: one account with its endpoints, replays one after the other, and a live
// session fed without a pause by an operator's own source. The clients behave as customers should: they retry what is
// refused or cut off.

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
/** A replay takes four seconds. */
const REPLAY_UPDATES = 160;
const REPLAY_EVERY_MS = 25;
/** The interval between frames of the live session. */
const LIVE_EVERY_MS = 40;
const POLL_MS = 25;
const PATIENCE_MS = 45_000;

export class CrashScene {
  readonly webhookIds: string[] = [];
  /** The frames of the replayed session, and those accepted so far in the live session, as lines. */
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

  /** Creates account, endpoints and sessions, and starts feeding the live session. */
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
    await this.#prepareReplay();
    this.#fed = false;
    this.#feeding = this.#feed();
  }

  /** Signs in to the current process of the service. */
  async signIn(): Promise<void> {
    this.#api = new ApiClient(this.#service.address, this.#giveUp.signal);
    await this.#until(async () => {
      await this.#api.signIn(this.#account);
      return true;
    });
  }

  /** Starts a replay unless one is running. Another version of the service may have to prepare it again. */
  async keepPlaying(): Promise<void> {
    await this.#until(async () => {
      if ((await this.#unfinished('replay')) > 0) return true;
      await this.#prepareReplay();
      await this.#api.startRun(REPLAYED, 1);
      return true;
    });
  }

  /** Stops feeding, ends the live session, and waits until every run is finished. */
  async end(): Promise<void> {
    this.#fed = true;
    await this.#feeding;
    await this.#until(async () => {
      const { status } = await fetch(`${this.#service.operators}/v1/ingest/${FOLLOWED}/end`, { method: 'POST' });
      return status === 200 || status === 404;
    });
    await this.#until(async () => (await this.#unfinished('replay')) + (await this.#unfinished('live')) === 0);
  }

  /** Aborts every wait. */
  giveUp(): void {
    this.#fed = true;
    this.#giveUp.abort(new Error('the bench ends'));
  }

  async #prepareReplay(): Promise<void> {
    await this.#api.prepare(REPLAYED);
    await this.#until(async () => (await this.#api.preparation(REPLAYED)).status === 'ready');
  }

  async #unfinished(mode: 'replay' | 'live'): Promise<number> {
    const [row] = await this.#service.sql<{ count: number }[]>`
      select count(*)::int from run where mode = ${mode} and ended_at is null`;
    return row!.count;
  }

  /** Sends the frames that have become due. Resends unconfirmed frames under the same sequences. */
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
      const accepted = await this.#send(made.slice(confirmed));
      for (; confirmed < accepted; confirmed++) this.liveLines.push(made[confirmed]!);
      await pause(POLL_MS);
    }
  }

  /** Returns the sequence up to which the service has everything, or 0 if it did not say. */
  async #send(some: readonly string[]): Promise<number> {
    try {
      const response = await fetch(`${this.#service.operators}/v1/ingest/${FOLLOWED}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: some.join(''),
        signal: AbortSignal.any([this.#giveUp.signal, AbortSignal.timeout(2_000)]),
      });
      const { data } = (await response.json()) as { data?: { lastSequence: number } };
      return data?.lastSequence ?? 0;
    } catch {
      return 0;
    }
  }

  /**
   * Waits until `holds` resolves with true, and retries if it rejects. Rejects with the last error after PATIENCE_MS.
   */
  async #until(holds: () => Promise<boolean>): Promise<void> {
    const endMs = systemClock.nowMs() + PATIENCE_MS;
    let last: unknown = new Error(`a condition did not come true within ${PATIENCE_MS / 1_000} s`);
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
