// Starts an announcer (plan-announcer.ts) in its own process, and controls it.

import { HelperProcess } from '../suite/helper-process.ts';

/** Announce the endpoints of this account once. */
export interface ToPlanAnnouncer {
  readonly kind: 'announce';
  readonly accountId: string;
}

export type FromPlanAnnouncer = { readonly kind: 'ready' | 'announced' };

export class PlanAnnouncer {
  readonly #process: HelperProcess<ToPlanAnnouncer, FromPlanAnnouncer>;

  private constructor(process: HelperProcess<ToPlanAnnouncer, FromPlanAnnouncer>) {
    this.#process = process;
  }

  /** Of the service that runs on this data folder. */
  static async start(dataDir: string): Promise<PlanAnnouncer> {
    return new PlanAnnouncer(await HelperProcess.ready(new URL('./plan-announcer.ts', import.meta.url), [dataDir]));
  }

  /** Resolves when it has gone through all the account's endpoints. */
  async announce(accountId: string): Promise<void> {
    await this.#process.ask({ kind: 'announce', accountId }, 'announced');
  }

  end(): Promise<void> {
    return this.#process.end();
  }
}
