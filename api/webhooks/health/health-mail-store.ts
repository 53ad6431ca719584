// The store of mails about endpoints that start failing or are well again.

import type { LastFailure } from './endpoint-health-store.ts';

export type HealthNews = 'failing' | 'well';

/** What one mail to an account is about. */
export interface HealthNotice {
  readonly news: HealthNews;
  readonly accountId: string;
  readonly email: string;
  readonly endpoints: readonly NoticedEndpoint[];
}

export interface NoticedEndpoint {
  readonly webhookNo: number;
  readonly webhookId: string;
  readonly url: string;
  /** Since when it is failing, or well again. */
  readonly since: Date;
  readonly lastFailure: LastFailure | null;
}

export interface HealthMailStore {
  /** Claims the right to send these mails, one for each account. Nobody else gets them. */
  claim(news: HealthNews, now: Date): Promise<HealthNotice[]>;
  /** Returns a claim, so it can be claimed again. */
  giveBack(notice: HealthNotice): Promise<void>;
}
