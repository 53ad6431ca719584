// Announces an account's endpoints as the service does after a change of plan, with the service's code and database, but in
// another process and to nobody. It shows what that alone costs others on the same cores.

import { serialize } from 'node:v8';
import { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { EndpointAnnouncer } from '#api/webhooks/endpoint-announcer.ts';
import { postgresWebhookStore } from '#api/webhooks/postgres-webhook-store.ts';
import { WebhookListCache } from '#api/webhooks/webhook-list-cache.ts';
import { systemClock } from '#engine/base/clock.ts';
import { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import type { DeliveryControl } from '#engine/delivery/cluster/delivery-control.ts';
import type { EndpointCoverage } from '#engine/delivery/endpoint-settings.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { openSecretBox, openServiceDatabase } from '../engines/service-database.ts';
import { endWithTheBench } from '../suite/helper-process.ts';
import type { FromPlanAnnouncer, ToPlanAnnouncer } from './plan-announcer-process.ts';

const dataDir = process.argv[2]!;
const database = await openServiceDatabase(dataDir);

/** Those of a run are kept, and sent to its shards. */
const kept = new Map<string, EndpointCoverage>();
const control: Pick<DeliveryControl, 'coverageChanged' | 'delivers'> = {
  coverageChanged(changed) {
    for (const covered of changed) kept.set(covered.webhookId, covered);
    serialize(changed);
  },
  delivers: () => true,
};

const announcer = new EndpointAnnouncer({
  store: postgresWebhookStore(database.connect(2)),
  control: control as DeliveryControl,
  lists: new WebhookListCache(systemClock),
  changes: new KeyedMutex(),
  catalogue: new FeedCatalogue(FEEDS),
  secretBox: await openSecretBox(dataDir),
  clock: systemClock,
});

const reply = (message: FromPlanAnnouncer): void => void process.send!(message);

process.on('message', async ({ accountId }: ToPlanAnnouncer) => {
  await announcer.planChanged(accountId);
  reply({ kind: 'announced' });
});
endWithTheBench(() => database.close());
reply({ kind: 'ready' });
