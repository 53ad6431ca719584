// The whole API: every route, one line each, over the parts that the process hands in.

import type { Clock } from '#engine/clock.ts';
import type { DeliveryControl } from '#engine/cluster/delivery-control.ts';
import type { Log } from '#engine/log.ts';
import type { SecretBox } from '#engine/sign/secret-box.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { PlaybackLibrary } from '#engine/timeline/playback-library.ts';
import { FEEDS, type Feed } from '#schemas/webhook/feeds.ts';
import type { AccountChangeListener } from './accounts/account-changes.ts';
import { postgresAccountChanges } from './accounts/postgres-account-changes.ts';
import { FeedCatalogue } from './feeds/feed-catalogue.ts';
import { feedRoutes } from './feeds/feed-routes.ts';
import { healthRoutes } from './health/health-routes.ts';
import { ApiError } from './http/api-error.ts';
import { Dispatcher } from './http/dispatcher.ts';
import type { FrontSettings } from './http/front-settings.ts';
import type { Operation } from './http/operation.ts';
import { RequestQuota } from './http/request-quota.ts';
import type { Method, Route } from './http/router.ts';
import { type Listening, listen } from './http/uws-server.ts';
import { postgresRunStore } from './simulate/postgres-run-store.ts';
import { postgresSessionStore } from './simulate/postgres-session-store.ts';
import { runRoutes } from './simulate/run-routes.ts';
import { Runs } from './simulate/runs.ts';
import { SessionAccess } from './simulate/session-access.ts';
import { sessionRoutes } from './simulate/session-routes.ts';
import { postgresTokenStore } from './tokens/postgres-token-store.ts';
import { TokenAuthority } from './tokens/token-authority.ts';
import { tokenRoutes } from './tokens/token-routes.ts';
import { postgresUsageStore } from './usage/postgres-usage-store.ts';
import { usageRoutes } from './usage/usage-routes.ts';
import { deliveryRoutes } from './webhooks/delivery-routes.ts';
import { EndpointAnnouncer } from './webhooks/endpoint-announcer.ts';
import { postgresDeliveryLogStore } from './webhooks/postgres-delivery-log-store.ts';
import { postgresWebhookStore } from './webhooks/postgres-webhook-store.ts';
import { Turnstile } from './webhooks/turnstile.ts';
import { type NameResolver, systemResolver } from './webhooks/url-admission.ts';
import { WebhookListCache } from './webhooks/webhook-list-cache.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

export interface AppParts {
  readonly sql: Sql;
  readonly control: DeliveryControl;
  readonly library: PlaybackLibrary;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
  readonly log: Log;
  /** The current season: a year. */
  readonly season: number;
  /** How it presents itself to browsers and proxies; plainly unless given. */
  readonly front?: FrontSettings;
  /** How host names are looked up; by the system unless given. */
  readonly resolve?: NameResolver;
  /** The feeds that are offered; all that the service can deliver unless given. */
  readonly feeds?: readonly Feed[];
}

export interface App {
  /**
   * Goes on with the replay runs that the last process left unfinished, and follows changes of accounts that are made
   * elsewhere; call once, before `listen`.
   */
  start(): Promise<void>;
  /** Serves the API; `port` 0 takes any free one. Closing ends event streams and leaves detached runs running. */
  listen(host: string, port: number): Promise<Listening>;
}

export function createApp(parts: AppParts): App {
  const { sql, control, library, secretBox, clock, log, season, resolve = systemResolver } = parts;
  const catalogue = new FeedCatalogue(parts.feeds ?? FEEDS);
  const changes = new Turnstile();
  const webhookStore = postgresWebhookStore(sql);
  const sessionStore = postgresSessionStore(sql);
  const runStore = postgresRunStore(sql);
  const authority = new TokenAuthority(postgresTokenStore(sql), secretBox, clock);
  const access = new SessionAccess(sessionStore, season);
  const runs = new Runs({
    store: runStore,
    sessions: sessionStore,
    webhooks: webhookStore,
    catalogue,
    control,
    library,
    secretBox,
    clock,
    changes,
    log,
  });

  const tokens = tokenRoutes(authority);
  const lists = new WebhookListCache(clock);
  const announcer = new EndpointAnnouncer({
    store: webhookStore,
    catalogue,
    control,
    secretBox,
    clock,
    lists,
    changes,
  });
  const webhooks = webhookRoutes({
    store: webhookStore,
    catalogue,
    announcer,
    lists,
    secretBox,
    clock,
    resolve,
    changes,
  });
  const deliveries = deliveryRoutes({
    store: webhookStore,
    log: postgresDeliveryLogStore(sql),
    control,
    catalogue,
    secretBox,
    clock,
  });
  const feeds = feedRoutes(catalogue);
  const sessions = sessionRoutes(sessionStore, access, library);
  const replays = runRoutes(runs, runStore, access);
  const usage = usageRoutes(postgresUsageStore(sql), clock);
  const health = healthRoutes(() => sql`select 1`);

  const routes = [
    route('POST', '/v1/oauth', tokens.issue),

    route('POST', '/v1/webhooks', webhooks.create),
    route('GET', '/v1/webhooks', webhooks.list),
    route('PATCH', '/v1/webhooks/:webhookId', webhooks.change),
    route('DELETE', '/v1/webhooks/:webhookId', webhooks.delete),
    route('PATCH', '/v1/webhooks/:webhookId/feeds/:feedId', webhooks.changeFeed),
    route('GET', '/v1/webhooks/:webhookId/secret', webhooks.secret),
    route('POST', '/v1/webhooks/:webhookId/rotate-secret', webhooks.rotateSecret),
    route('GET', '/v1/webhooks/:webhookId/logs', deliveries.logs),
    route('POST', '/v1/webhooks/:webhookId/test', deliveries.test),

    route('GET', '/v1/feeds', feeds.list),

    route('GET', '/v1/simulate/sessions', sessions.list),
    route('GET', '/v1/simulate/quota', sessions.quota),
    route('POST', '/v1/simulate/prepare', sessions.prepare),
    route('GET', '/v1/simulate/status', sessions.status),
    route('GET', '/v1/simulate/stream', replays.start),
    route('DELETE', '/v1/simulate/stream', replays.stop),
    route('GET', '/v1/simulate/runs', replays.list),
    route('GET', '/v1/simulate/runs/:runId', replays.get),

    route('GET', '/v1/usage', usage.totals),
    route('GET', '/v1/usage/by-feed', usage.byFeed),

    route('GET', '/healthz', health.live),
    route('GET', '/readyz', health.ready),
  ];

  const changed: AccountChangeListener = {
    account(accountId) {
      authority.forgetAccount(accountId);
      announcer
        .accountChanged(accountId)
        .catch((error: Error) =>
          log.error({ accountId, err: error }, 'a change of plan has not reached the deliveries'),
        );
    },
    tokens: (accountId) => authority.forgetAccount(accountId),
    webhooks: (accountId) => lists.forget(accountId),
    missed() {
      authority.forgetAll();
      lists.forgetAll();
    },
  };
  let unlisten = async () => {};

  const dispatcher = new Dispatcher({
    routes,
    authenticate: (header) => authority.authenticate(header),
    signedIn: async () => {
      throw new ApiError('not_signed_in');
    },
    quota: new RequestQuota(clock),
    ...(parts.front !== undefined && { front: parts.front }),
    log,
  });
  return {
    async start() {
      unlisten = await postgresAccountChanges(sql).listen(changed);
      await runs.resume();
    },
    async listen(host, port) {
      const listening = await listen(dispatcher, host, port);
      const close = async () => {
        await Promise.all([runs.close(), listening.close(), unlisten()]);
      };
      return { ...listening, close };
    },
  };
}

function route(method: Method, path: string, operation: Operation): Route {
  return { method, path, operation };
}
