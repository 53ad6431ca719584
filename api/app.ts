// The whole API: every route, one line each, over the parts that the process hands in.

import type { Clock } from '#engine/clock.ts';
import type { DeliveryControl } from '#engine/cluster/delivery-control.ts';
import { LOG_RETENTION_DAYS } from '#engine/limits.ts';
import type { Log } from '#engine/log.ts';
import type { SecretBox } from '#engine/sign/secret-box.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { PlaybackLibrary } from '#engine/timeline/playback-library.ts';
import { FEEDS, type Feed } from '#schemas/webhook/feeds.ts';
import type { AccountChangeListener } from './accounts/account-changes.ts';
import { Argon2PasswordHasher } from './accounts/argon2-password-hasher.ts';
import { authRoutes } from './accounts/auth-routes.ts';
import { BackgroundWork } from './accounts/background-work.ts';
import { credentialRoutes } from './accounts/credential-routes.ts';
import type { PasswordHasher } from './accounts/password-hasher.ts';
import { postgresAccountChanges } from './accounts/postgres-account-changes.ts';
import { postgresAccountStore } from './accounts/postgres-account-store.ts';
import { postgresSignInStore } from './accounts/postgres-sign-in-store.ts';
import { postgresVerificationStore } from './accounts/postgres-verification-store.ts';
import { SignIns } from './accounts/sign-ins.ts';
import { SignUps } from './accounts/sign-ups.ts';
import { verifyPage } from './accounts/verify-page.ts';
import { billingRoutes } from './billing/billing-routes.ts';
import type { PaymentProvider } from './billing/payment-provider.ts';
import { postgresBillingStore } from './billing/postgres-billing-store.ts';
import { calendarRoutes } from './calendar/calendar-routes.ts';
import { postgresCalendarStore } from './calendar/postgres-calendar-store.ts';
import type { LiveSession } from './calendar/session-status.ts';
import { docsRoutes } from './docs/docs-routes.ts';
import { openApiDocument } from './docs/openapi-document.ts';
import { fantasyRoutes } from './fantasy/fantasy-routes.ts';
import { FeedCatalogue } from './feeds/feed-catalogue.ts';
import { feedRoutes } from './feeds/feed-routes.ts';
import { healthRoutes } from './health/health-routes.ts';
import { Dispatcher } from './http/dispatcher.ts';
import type { FrontSettings } from './http/front-settings.ts';
import type { Operation } from './http/operation.ts';
import { RequestQuota } from './http/request-quota.ts';
import type { Method, Route } from './http/router.ts';
import { type Listening, listen } from './http/uws-server.ts';
import type { Mailer } from './mail/mailer.ts';
import { previewRoutes } from './previews/preview-routes.ts';
import { postgresRunStore } from './simulate/postgres-run-store.ts';
import { postgresSessionStore } from './simulate/postgres-session-store.ts';
import { runRoutes } from './simulate/run-routes.ts';
import { Runs } from './simulate/runs.ts';
import { SessionAccess } from './simulate/session-access.ts';
import { sessionRoutes } from './simulate/session-routes.ts';
import { postgresTokenStore } from './tokens/postgres-token-store.ts';
import { TokenAuthority } from './tokens/token-authority.ts';
import { tokenRoutes } from './tokens/token-routes.ts';
import { Allowances } from './usage/allowances.ts';
import { BucketWatch } from './usage/bucket-watch.ts';
import { postgresBucketWarningStore } from './usage/postgres-bucket-warning-store.ts';
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
  readonly mailer: Mailer;
  /** Address of the web pages that mails link to, without a slash at the end; asked for each mail. */
  readonly siteUrl: () => string;
  /** The current season: a year. */
  readonly season: number;
  /** How long entries of the delivery log are shown, in days; as long as usual unless given. */
  readonly logRetentionDays?: number;
  /** The session that the live source follows; none unless given. */
  readonly liveSession?: () => LiveSession | null;
  /** How it presents itself to browsers and proxies; plainly unless given. */
  readonly front?: FrontSettings;
  /** Where customers reach the service, without `/v1`; the documentation is relative to itself unless given. */
  readonly publicUrl?: string;
  /** Begins the header names of a delivery, for the documentation; `X-Service` unless given. */
  readonly headerPrefix?: string;
  /** Who takes payments; nobody unless given. */
  readonly payments?: PaymentProvider;
  /** How passwords are kept; as Argon2id unless given. */
  readonly passwordHasher?: PasswordHasher;
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
  const usageStore = postgresUsageStore(sql);
  const allowances = new Allowances(usageStore, clock);
  const runs = new Runs({
    store: runStore,
    sessions: sessionStore,
    webhooks: webhookStore,
    catalogue,
    control,
    allowances,
    library,
    secretBox,
    clock,
    changes,
    log,
  });
  const bucketWatch = new BucketWatch({
    allowances,
    store: postgresBucketWarningStore(sql),
    mailer: parts.mailer,
    clock,
    schedule(delayMs, callback) {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
    log,
  });

  const accounts = postgresAccountStore(sql);
  const hasher = parts.passwordHasher ?? new Argon2PasswordHasher();
  const background = new BackgroundWork(log);
  const signIns = new SignIns({ accounts, store: postgresSignInStore(sql), hasher, clock });
  const signUps = new SignUps({
    accounts,
    store: postgresVerificationStore(sql),
    hasher,
    mailer: parts.mailer,
    background,
    secretBox,
    clock,
    log,
    siteUrl: parts.siteUrl,
  });

  const auth = authRoutes({ signUps, signIns, clock, https: parts.front?.https ?? false });
  const credentials = credentialRoutes({ accounts, authority, secretBox });
  const verification = verifyPage();
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
    allowances,
    catalogue,
    secretBox,
    clock,
    logRetentionDays: parts.logRetentionDays ?? LOG_RETENTION_DAYS,
  });
  const feeds = feedRoutes(catalogue);
  const calendar = calendarRoutes({
    store: postgresCalendarStore(sql),
    clock,
    season,
    liveSession: parts.liveSession ?? (() => null),
  });
  const previews = previewRoutes();
  const fantasy = fantasyRoutes();
  const sessions = sessionRoutes(sessionStore, access, library);
  const replays = runRoutes(runs, runStore, access);
  const usage = usageRoutes(usageStore, clock);
  const billing = billingRoutes({
    store: postgresBillingStore(sql),
    payments: parts.payments ?? null,
    clock,
    siteUrl: parts.siteUrl,
    accountChanged: (accountId) => changed.account(accountId),
  });
  const health = healthRoutes(() => sql`select 1`);

  const routes = [
    route('POST', '/v1/auth/signup', auth.signUp),
    route('GET', '/v1/auth/verify-email', auth.checkLink),
    route('POST', '/v1/auth/verify-email', auth.confirm),
    route('POST', '/v1/auth/resend-verification', auth.resend),
    route('POST', '/v1/auth/login', auth.login),
    route('POST', '/v1/auth/logout', auth.logout),
    route('POST', '/v1/oauth/credentials', credentials.show),
    route('POST', '/v1/oauth', tokens.issue),
    route('POST', '/v1/console/regenerate-secret', credentials.regenerate),
    route('GET', '/verify-email', verification.page),
    route('GET', '/verify-email.js', verification.script),

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
    route('GET', '/v1/events', calendar.list),

    route('GET', '/v1/simulate/sessions', sessions.list),
    route('GET', '/v1/simulate/quota', sessions.quota),
    route('POST', '/v1/simulate/prepare', sessions.prepare),
    route('GET', '/v1/simulate/status', sessions.status),
    route('GET', '/v1/simulate/stream', replays.start),
    route('DELETE', '/v1/simulate/stream', replays.stop),
    route('GET', '/v1/simulate/runs', replays.list),
    route('GET', '/v1/simulate/runs/:runId', replays.get),

    route('GET', '/v1/preview/upcoming', previews.upcoming),
    route('GET', '/v1/preview/:sessionId', previews.get),

    route('GET', '/v1/fantasy/races/:raceId/scores', fantasy.raceScores),
    route('GET', '/v1/fantasy/session/:sessionId/scores', fantasy.liveScores),
    route('GET', '/v1/fantasy/session/:sessionId/pit-times', fantasy.pitTimes),

    route('GET', '/v1/usage', usage.totals),
    route('GET', '/v1/usage/by-feed', usage.byFeed),
    route('GET', '/v1/usage/latency', usage.latency),

    route('POST', '/v1/console/billing/checkout', billing.checkout),
    route('POST', '/v1/console/billing/portal', billing.portal),
    route('POST', '/v1/billing/stripe-events', billing.event),
    route('GET', '/billing', billing.page),

    route('GET', '/healthz', health.live),
    route('GET', '/readyz', health.ready),
  ];
  const docs = docsRoutes(
    openApiDocument(routes, {
      serverUrl: `${parts.publicUrl ?? ''}/v1`,
      headerPrefix: parts.headerPrefix ?? 'X-Service',
    }),
  );
  const docsPages = [
    route('GET', '/v1/openapi.json', docs.document),
    route('GET', '/docs', docs.page),
    route('GET', '/docs/:file', docs.file),
  ];

  const changed: AccountChangeListener = {
    account(accountId) {
      authority.forgetAccount(accountId);
      Promise.all([allowances.reload(accountId), announcer.accountChanged(accountId)]).catch((error: Error) =>
        log.error({ accountId, err: error }, 'a change of plan has not reached the deliveries'),
      );
    },
    tokens: (accountId) => authority.forgetAccount(accountId),
    webhooks: (accountId) => lists.forget(accountId),
    missed() {
      authority.forgetAll();
      lists.forgetAll();
      allowances
        .reloadAll()
        .catch((error: Error) => log.error({ err: error }, 'monthly limits could not be read again'));
    },
  };
  let unlisten = async () => {};

  const dispatcher = new Dispatcher({
    routes: [...routes, ...docsPages],
    authenticate: (header) => authority.authenticate(header),
    signedIn: (token) => signIns.find(token),
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
      bucketWatch.start();
      const close = async () => {
        await Promise.all([runs.close(), listening.close(), unlisten(), bucketWatch.close()]);
        await background.idle();
      };
      return { ...listening, close };
    },
  };
}

function route(method: Method, path: string, operation: Operation): Route {
  return { method, path, operation };
}
