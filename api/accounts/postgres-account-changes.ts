// Changes of accounts as PostgreSQL tells of them: triggers send them on a channel (0002-accounts-and-plans.sql).

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { AccountChanges } from './account-changes.ts';

const CHANNEL = 'account_change';

export function postgresAccountChanges(sql: Sql): AccountChanges {
  return {
    async listen(listener) {
      const heard = (message: string): void => {
        const [kind, accountId = ''] = message.split(' ');
        if (kind === 'account' || kind === 'tokens' || kind === 'webhooks') listener[kind](accountId);
      };
      // The client keeps a connection for this and listens again when it was lost; what was said meanwhile is lost.
      const { unlisten } = await sql.listen(CHANNEL, heard, () => listener.missed());
      return unlisten;
    },
  };
}
