// Account changes from PostgreSQL: triggers send notifications on a channel (0002-accounts-and-plans.sql), and so does an
// operator's request to stop a run.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { AccountChanges } from './account-changes.ts';

const CHANNEL = 'account_change';
const KINDS = ['account', 'tokens', 'webhooks', 'runs'] as const;

export function postgresAccountChanges(sql: Sql): AccountChanges {
  return {
    async listen(listener) {
      const handle = (message: string): void => {
        const [kind, accountId = ''] = message.split(' ');
        if (isKind(kind)) listener[kind](accountId);
      };
      // The client reconnects and listens again when its connection is lost. Notifications sent meanwhile are lost.
      const { unlisten } = await sql.listen(CHANNEL, handle, () => listener.missed());
      return unlisten;
    },
  };
}

/** Later versions may send other kinds. */
function isKind(text: string | undefined): text is (typeof KINDS)[number] {
  return KINDS.some((kind) => kind === text);
}
