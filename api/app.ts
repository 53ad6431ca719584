// The whole API: every route, one per line, over the parts that the process provides.

import { setTimeout as pause } from 'node:timers/promises';
import type { LiveOutcomes } from '#api/outcomes/live-outcomes.ts';
import { holdThread } from '#engine/base/clock.ts';
import { LOG_RETENTION_DAYS, STOP_FRONT_MS } from '#engine/base/limits.ts';
import { StreamHub } from '#engine/delivery/stream/stream-hub.ts';
import { authRoutes } from './accounts/auth-routes.ts';
import { credentialRoutes } from './accounts/credential-routes.ts';
import { postgresAccountChanges } from './accounts/postgres-account-changes.ts';
import { verifyPage } from './accounts/verify-page.ts';
import type { AppParts } from './app-parts.ts';
import { billingRoutes } from './billing/billing-routes.ts';
import { postgresBillingStore } from './billing/postgres-billing-store.ts';
import { calendarRoutes } from './calendar/calendar-routes.ts';
import { postgresCalendarStore } from './calendar/postgres-calendar-store.ts';
import { choiceRoutes } from './console/choice-routes.ts';
import { consoleRoutes } from './console/console-routes.ts';
import { liveRoute } from './console/live-route.ts';
import { overlapRoute } from './console/overlap-route.ts';
import { docsRoutes } from './docs/docs-routes.ts';
import { openApiDocument } from './docs/openapi-document.ts';
import { fantasyRoutes } from './fantasy/fantasy-routes.ts';
import { feedRoutes } from './feeds/feed-routes.ts';
import { GrpcHost } from './grpc/grpc-host.ts';
import { healthRoutes } from './health/health-routes.ts';
import { Readiness } from './health/readiness.ts';
import { CallDesk } from './http/call-desk.ts';
import { ClientAddress } from './http/client-address.ts';
import { Dispatcher } from './http/dispatcher.ts';
import { PLAIN_FRONT } from './http/front-settings.ts';
import { everybody, type IsOurs } from './http/homes.ts';
import type { Operation } from './http/operation.ts';
import { postgresRequestCounts } from './http/postgres-request-counts.ts';
import { QuotaKeeper } from './http/quota-keeper.ts';
import type { RequestCounts } from './http/request-meter.ts';
import { RequestQuota } from './http/request-quota.ts';
import type { Method, Route } from './http/router.ts';
import { type Listening, listen } from './http/uws-server.ts';
import { letGo } from './nodes/letting-go.ts';
import { listenForPeers, type PeerListening } from './nodes/peer-listener.ts';
import { previewRoutes } from './previews/preview-routes.ts';
import { resendRoutes } from './resends/resend-routes.ts';
import type { Resends } from './resends/resends.ts';
import { createServices } from './services.ts';
import { stateRoutes } from './sessions/state-routes.ts';
import { Returns } from './simulate/returns.ts';
import { RunControl } from './simulate/run-control.ts';
import { runRoutes } from './simulate/run-routes.ts';
import { sessionRoutes } from './simulate/session-routes.ts';
import { SnapshotMaker } from './states/snapshot-maker.ts';
import { FoldingHere } from './states/state-folder.ts';
import { TimelineKeys } from './states/timeline-keys.ts';
import { encodeEvent } from './streams/event-stream-sink.ts';
import { streamRoutes } from './streams/stream-routes.ts';
import { tokenRoutes } from './tokens/token-routes.ts';
import { slaRoutes } from './usage/sla-routes.ts';
import { usageRoutes } from './usage/usage-routes.ts';
import { deliveryRoutes } from './webhooks/delivery-routes.ts';
import type { LiveDeliveries } from './webhooks/live/live-deliveries.ts';
import { liveRunRoutes } from './webhooks/live/live-run-routes.ts';
import { postgresLiveRunList } from './webhooks/live/postgres-live-run-list.ts';
import { logRoutes } from './webhooks/log-routes.ts';
import { postgresDeliveryLogStore } from './webhooks/postgres-delivery-log-store.ts';
import { systemResolver } from './webhooks/url-admission.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

export interface App {
  /** The caller reports live sessions here. */
  readonly live: Pick<LiveDeliveries, 'opened' | 'moved' | 'left' | 'ended' | 'resume'>;
  /** The caller resumes those of live sessions here, once these are open. */
  readonly resends: Pick<Resends, 'resume'>;
  /** The caller publishes the outcomes of live sessions here. */
  readonly liveOutcomes: Pick<LiveOutcomes, 'set' | 'forget'>;
  /** Decides about the calls of the gRPC thread. */
  readonly grpc: GrpcHost;
  /** Request counts, for the metrics exporter. */
  readonly requests: RequestCounts;
  /**
   * Resumes the replays that the last process left unfinished, and the resends but those of live sessions, and
   * subscribes to account changes. Call once, before `listen`.
   */
  start(): Promise<void>;
  /** These accounts are at home here from now on: resumes what their last home left. Rejects if that is to be tried again. */
  gain(isOurs: IsOurs): Promise<void>;
  /**
   * These accounts are to have another home: lets go of their runs, resends and streams. Resolves with whether nothing of
   * them is under way and everything is recorded; if not, call `gain`.
   */
  letGo(isTheirs: IsOurs): Promise<boolean>;
  /** Serves the other nodes of the cluster. */
  listenForPeers(host: string, port: number): Promise<PeerListening>;
  /**
   * Prepares to stop. The service reports that it is not ready, so load balancers send requests elsewhere. It starts no
   * replays and ends event streams. It serves all other requests until the listener closes.
   */
  leave(): Promise<void>;
  /**
   * Serves the API; `port` 0 takes any free port. Closing ends event streams; runs without one resume at the next
   * start.
   */
  listen(host: string, port: number): Promise<Listening>;
}

export function createApp(parts: AppParts): App {
  const { sql, clock, log, secretBox } = parts;
  const services = createServices(parts);
  const { authority, runs, signIns, bucketWatch, healthWatch, overageReporter, background, previews } = services;
  const readiness = new Readiness({
    clock,
    ping: () => sql`select 1`,
    problems: parts.problems ?? (async () => []),
  });
  const routes = apiRoutes(parts, services, readiness);
  const documented = {
    serverUrl: `${parts.publicUrl ?? ''}/v1`,
    https: parts.front?.https ?? false,
    headerPrefix: headerPrefixOf(parts),
    feeds: services.catalogue.feeds,
    publicUrl: parts.publicUrl,
  };
  const docs = docsRoutes(openApiDocument(routes, documented), documented);
  const docsPages = [
    route('GET', '/v1/openapi.json', docs.document),
    route('GET', '/docs', docs.first),
    route('GET', '/docs/:page', docs.page),
    route('GET', '/docs/feeds', docs.feeds),
    route('GET', '/docs/feeds/:page', docs.feed),
    route('GET', '/docs/reference/:page', docs.reference),
  ];

  let unlisten = async () => {};

  const authenticate = (header: string) => authority.authenticate(header);
  const quota = new RequestQuota(clock, parts.cluster !== undefined);
  const quotaKeeper =
    parts.cluster === undefined ? null : new QuotaKeeper({ quota, store: postgresRequestCounts(sql), clock, log });
  const dispatcher = new Dispatcher({
    routes: [...routes, ...docsPages],
    authenticate,
    signedIn: (token) => signIns.find(token),
    quota,
    ...(parts.front !== undefined && { front: parts.front }),
    ...(parts.cluster !== undefined && { cluster: parts.cluster }),
    log,
  });
  const resume = async (isOurs: IsOurs): Promise<void> => {
    await services.resends.resume('recorded', isOurs);
    await runs.resume(isOurs);
  };
  const operationAt = (path: string): Operation => routes.find((known) => known.path === path)!.operation;
  return {
    grpc: new GrpcHost({
      streams: services.streams,
      desk: new CallDesk({
        authenticate,
        quota,
        ...(parts.cluster !== undefined && { homes: parts.cluster.homes }),
        log,
      }),
      listSessions: operationAt('/v1/simulate/sessions'),
      readState: operationAt('/v1/sessions/:sessionId/state'),
      clientAddress: new ClientAddress((parts.front ?? PLAIN_FRONT).trustProxy),
    }),
    live: services.live,
    resends: services.resends,
    liveOutcomes: services.liveOutcomes,
    requests: dispatcher.meter.counts,
    async start() {
      unlisten = await postgresAccountChanges(sql).listen(services.changed);
      await resume(parts.cluster?.owns ?? everybody);
      const failed = (error: Error) => log.error({ err: error }, 'could not remove outdated playback artifacts');
      // Once all runs of this process have what they play. Those of other nodes, which may come here, the database knows.
      parts.library.sweep().catch(failed);
    },
    async gain(isOurs) {
      // What was cached of them while another node was their home may be on its way to be forgotten.
      authority.forgetAll();
      services.lists.forgetAll();
      await quotaKeeper?.gain(isOurs);
      await resume(isOurs);
      await services.live.gain(isOurs);
      await services.resends.resume('live', isOurs);
    },
    async letGo(isTheirs) {
      if (!(await letGo({ ...services, clock }, isTheirs))) return false;
      await quotaKeeper?.save();
      return true;
    },
    listenForPeers: (host, port) => listenForPeers(dispatcher, secretBox, host, port),
    async leave() {
      readiness.leave();
      services.streams.close();
      await runs.close();
    },
    async listen(host, port) {
      const listening = await listen(dispatcher, host, port);
      bucketWatch.start();
      healthWatch.start();
      overageReporter?.start();
      quotaKeeper?.start();
      background.run('forecasting the upcoming sessions', async () => void (await previews.upcoming()));
      const close = async () => {
        services.live.close();
        services.resends.close();
        services.streams.close();
        // Its connection ends in any case.
        unlisten().catch(() => {});
        const watches = [bucketWatch.close(), healthWatch.close(), overageReporter?.close()];
        const answered = listening.close().then(() => quotaKeeper?.close());
        const ended = Promise.all([runs.close(), services.streamUsage.end(), answered, ...watches]);
        // An unresponsive database must not block shutdown.
        const patience = pause(STOP_FRONT_MS, undefined, { ref: false });
        await Promise.race([ended.then(() => background.idle()), patience]);
      };
      return { ...listening, close };
    },
  };
}

function apiRoutes(parts: AppParts, services: ReturnType<typeof createServices>, readiness: Readiness): Route[] {
  const { sql, control, library, secretBox, clock, siteUrl } = parts;
  const { catalogue, authority, webhookStore, sessionStore, accounts, access } = services;
  const headerPrefix = headerPrefixOf(parts);

  const auth = authRoutes({ ...services, https: parts.front?.https ?? false });
  const credentials = credentialRoutes({ accounts, authority, secretBox });
  const verification = verifyPage(parts.servesConsole !== false);
  const tokens = tokenRoutes(authority);
  const webhooks = webhookRoutes({
    ...services,
    store: webhookStore,
    secretBox,
    clock,
    resolve: parts.resolve ?? systemResolver,
    servesLocalhost: parts.servesLocalhost,
    headerPrefix,
  });
  const deliveries = deliveryRoutes({
    ...services,
    store: webhookStore,
    control,
    secretBox,
    clock,
  });
  const folder = parts.stateFolder ?? new FoldingHere();
  const keys = parts.timelineKeys ?? new TimelineKeys();
  const logs = logRoutes({
    ...services,
    store: webhookStore,
    log: postgresDeliveryLogStore(sql),
    library,
    snapshots: parts.snapshots ?? new SnapshotMaker({ folder, keys, log: parts.log }),
    secretBox,
    clock,
    headerPrefix: parts.headerPrefix ?? 'X-Service',
    logRetentionDays: parts.logRetentionDays ?? LOG_RETENTION_DAYS,
  });
  const feeds = feedRoutes(catalogue);
  const calendar = calendarRoutes({
    store: postgresCalendarStore(sql),
    clock,
    season: parts.season,
    phaseOf: (sessionId) => services.live.phaseOf(sessionId),
  });
  const previews = previewRoutes(services.previews);
  const fantasy = fantasyRoutes(services.scoreBook);
  const sessions = sessionRoutes(sessionStore, access, library);
  const returns = new Returns({ store: services.runStore, clock, changes: services.changes }, services.runs);
  const runControl = new RunControl({ store: services.runStore, library, clock, log: parts.log }, services.runs);
  const replays = runRoutes(
    services.runs,
    services.runStore,
    access,
    services.resends,
    returns,
    runControl,
    webhookStore,
  );
  const { resend } = resendRoutes(services.resends, webhookStore);
  const states = stateRoutes({
    ...services,
    library,
    folder,
    keys,
    published: (sessionId) => services.live.published(sessionId),
    log: parts.log,
  });
  const hub = new StreamHub({
    clock,
    encode: encodeEvent,
    watch: parts.watch,
    later: setImmediate,
    hold: holdThread,
    deliveries: parts.deliveries,
    ...(parts.streamMeter !== undefined && { meter: parts.streamMeter }),
  });
  const updates = streamRoutes({ streams: services.streams, hub, clock });
  const liveRuns = liveRunRoutes(postgresLiveRunList(sql));
  const usage = usageRoutes(services.usageStore, services.overage, clock);
  const sla = slaRoutes(services.slaStore, clock);
  const billing = billingRoutes({
    store: postgresBillingStore(sql),
    payments: parts.payments ?? null,
    clock,
    log: parts.log,
    siteUrl,
    accountChanged: (accountId) => services.changed.account(accountId),
  });
  const health = healthRoutes(readiness);

  return [
    route('POST', '/v1/auth/signup', auth.signUp),
    route('GET', '/v1/auth/verify-email', auth.checkLink),
    route('POST', '/v1/auth/verify-email', auth.confirm),
    route('POST', '/v1/auth/resend-verification', auth.resend),
    route('POST', '/v1/auth/login', auth.login),
    route('POST', '/v1/auth/logout', auth.logout),
    route('POST', '/v1/oauth/credentials', credentials.show),
    route('POST', '/v1/oauth', tokens.issue),
    route('POST', '/v1/console/regenerate-secret', credentials.regenerate),
    ...consoleRoutesOf(parts, services),
    route('GET', '/verify-email', verification.page),
    route('GET', '/verify-email.js', verification.script),

    route('POST', '/v1/webhooks', webhooks.create),
    route('GET', '/v1/webhooks', webhooks.list),
    route('GET', '/v1/webhooks/:webhookId', webhooks.get),
    route('PATCH', '/v1/webhooks/:webhookId', webhooks.change),
    route('DELETE', '/v1/webhooks/:webhookId', webhooks.delete),
    route('PATCH', '/v1/webhooks/:webhookId/feeds/:feedId', webhooks.changeFeed),
    route('GET', '/v1/webhooks/:webhookId/secret', webhooks.secret),
    route('POST', '/v1/webhooks/:webhookId/rotate-secret', webhooks.rotateSecret),
    route('GET', '/v1/webhooks/:webhookId/logs', logs.list),
    route('GET', '/v1/webhooks/:webhookId/logs/:logId', logs.get),
    route('POST', '/v1/webhooks/:webhookId/test', deliveries.test),
    route('POST', '/v1/webhooks/:webhookId/resend', resend),

    route('GET', '/v1/feeds', feeds.list),
    route('GET', '/v1/events', calendar.list),

    route('GET', '/v1/sessions/:sessionId/state', states.get),
    route('GET', '/v1/stream', updates.open),

    route('GET', '/v1/simulate/sessions', sessions.list),
    route('GET', '/v1/simulate/quota', sessions.quota),
    route('POST', '/v1/simulate/prepare', sessions.prepare),
    route('GET', '/v1/simulate/status', sessions.status),
    route('GET', '/v1/simulate/stream', replays.start),
    route('DELETE', '/v1/simulate/stream', replays.stop),
    route('POST', '/v1/simulate/runs', replays.startDetached),
    route('GET', '/v1/simulate/runs', replays.list),
    route('GET', '/v1/simulate/runs/:runId', replays.get),
    route('POST', '/v1/simulate/runs/:runId/pause', replays.pause),
    route('POST', '/v1/simulate/runs/:runId/resume', replays.resume),
    route('POST', '/v1/simulate/runs/:runId/seek', replays.seek),

    route('GET', '/v1/live/runs', liveRuns.list),

    route('GET', '/v1/preview/upcoming', previews.upcoming),
    route('GET', '/v1/preview/:sessionId', previews.get),

    route('GET', '/v1/fantasy/races/:raceId/scores', fantasy.raceScores),
    route('GET', '/v1/fantasy/session/:sessionId/scores', fantasy.liveScores),
    route('GET', '/v1/fantasy/session/:sessionId/pit-times', fantasy.pitTimes),

    route('GET', '/v1/usage', usage.totals),
    route('GET', '/v1/usage/by-feed', usage.byFeed),
    route('GET', '/v1/usage/latency', usage.latency),
    route('GET', '/v1/usage/sla', sla.read),

    route('POST', '/v1/console/billing/checkout', billing.checkout),
    route('POST', '/v1/console/billing/portal', billing.portal),
    route('POST', '/v1/billing/stripe-events', billing.event),
    route('GET', '/billing', billing.page),

    route('GET', '/healthz', health.live),
    route('GET', '/readyz', health.ready),
  ];
}

/** None with CONSOLE=off. */
function consoleRoutesOf(
  parts: AppParts,
  { accounts, authority, signIns, catalogue, access, webhookStore, live }: ReturnType<typeof createServices>,
): Route[] {
  if (parts.servesConsole === false) return [];
  const { library, clock, payments, publicUrl } = parts;
  const shown = consoleRoutes({
    accounts,
    authority,
    signIns,
    library,
    clock,
    https: parts.front?.https ?? false,
    sellsPlans: payments !== undefined,
    publicUrl,
  });
  const choices = choiceRoutes({ catalogue, access, library, clock });
  return [
    route('GET', '/', shown.page),
    route('GET', '/console/:page', shown.page),
    route('GET', '/console/:page/:subject', shown.page),
    route('GET', '/console/files/:subject', shown.file),
    route('GET', '/console/icon.svg', shown.icon),
    route('GET', '/v1/console/demo', shown.demo),
    route('POST', '/v1/console/token', shown.token),
    route('GET', '/v1/console/account', shown.account),
    route(
      'GET',
      '/v1/console/live',
      liveRoute(() => live.following()),
    ),
    route('GET', '/v1/console/feeds', choices.feeds),
    route('POST', '/v1/console/match', choices.match),
    route('GET', '/v1/console/overlaps/:subject', overlapRoute(webhookStore, clock)),
  ];
}

function headerPrefixOf({ headerPrefix }: AppParts): string {
  return headerPrefix ?? 'X-Service';
}

function route(method: Method, path: string, operation: Operation): Route {
  return { method, path, operation };
}
