// Starts an announcer of its own (plan-announcer.ts) in its own process, and controls it.

import { HelperProcess } from '../suite/helper-process.ts';

/** Announce the endpoints of this account once. */
export interface ToPlanAnnouncer {
  readonly kind: 'announce';
  readonly accountId: string;
}

export type FromPlanAnnouncer = { readonly kind: 'ready' | 'announced' };

const START_MS_MAX = 60_000;

export class PlanAnnouncer {
  readonly #process: HelperProcess<ToPlanAnnouncer, FromPlanAnnouncer>;

  private constructor(process: HelperProcess<ToPlanAnnouncer, FromPlanAnnouncer>) {
    this.#process = process;
  }

  /** Of the service that runs on this data folder. */
  static async start(dataDir: string): Promise<PlanAnnouncer> {
    const file = new URL('./plan-announcer.ts', import.meta.url);
    const process = new HelperProcess<ToPlanAnnouncer, FromPlanAnnouncer>(file, [dataDir]);
    try {
      await process.next('ready', START_MS_MAX);
    } catch (error) {
      await process.end();
      throw error;
    }
    return new PlanAnnouncer(process);
  }

  /** Resolves when it has gone through all the account's endpoints. */
  async announce(accountId: string): Promise<void> {
    await this.#process.ask({ kind: 'announce', accountId }, 'announced');
  }

  end(): Promise<void> {
    return this.#process.end();
  }
}
