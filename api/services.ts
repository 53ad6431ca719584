// The services that the operations share: catalogue, tokens, allowances, endpoints, runs, sign-ins, and the listener
// for account changes. Each is created once.

import { randomUUID } from 'node:crypto';
import { LiveOutcomes } from '#api/outcomes/live-outcomes.ts';
import { systemClock } from '#engine/base/clock.ts';
import { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import { ACCOUNT_RETRY_MS, CHANGE_REST_MS_MAX } from '#engine/base/limits.ts';
import { PostgresRecordStore } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import { SERIES_ID } from '#engine/racing/session-slug.ts';
import { PostgresHistoryStore } from '#engine/seasons/history/postgres-history-store.ts';
import { FANTASY_RULES } from '#schemas/fantasy/fantasy-rules.ts';
import { feedsOf } from '#schemas/webhook/feeds.ts';
import type { AccountChangeListener } from './accounts/account-changes.ts';
import { Argon2PasswordHasher } from './accounts/argon2-password-hasher.ts';
import { BackgroundWork } from './accounts/background-work.ts';
import { postgresAccountStore } from './accounts/postgres-account-store.ts';
import { postgresSignInStore } from './accounts/postgres-sign-in-store.ts';
import { postgresVerificationStore } from './accounts/postgres-verification-store.ts';
import { SignIns } from './accounts/sign-ins.ts';
import { SignUps } from './accounts/sign-ups.ts';
import type { AppParts } from './app-parts.ts';
import { OverageReporter } from './billing/overage/overage-reporter.ts';
import { postgresOverageStore } from './billing/overage/postgres-overage-store.ts';
import { postgresCalendarStore } from './calendar/postgres-calendar-store.ts';
import { ScoreBook } from './fantasy/score-book.ts';
import { WeekendCache } from './fantasy/weekend-cache.ts';
import { FeedCatalogue } from './feeds/feed-catalogue.ts';
import { MemoryEventCounts } from './http/memory-event-counts.ts';
import type { Authenticate } from './http/operation.ts';
import { PostgresEventCounts } from './http/postgres-event-counts.ts';
import { CalendarCache } from './previews/calendar-cache.ts';
import { FittedForecasts } from './previews/fitted-forecasts.ts';
import { ForecastCache } from './previews/forecast-cache.ts';
import { QualifyingGrids } from './previews/grids.ts';
import { readImportedHistory } from './previews/imported-history.ts';
import { Previews } from './previews/previews.ts';
import { postgresResendStore } from './resends/postgres-resend-store.ts';
import { ResendTimelines } from './resends/resend-timelines.ts';
import { Resends } from './resends/resends.ts';
import { postgresRunStore } from './simulate/postgres-run-store.ts';
import { postgresSessionStore } from './simulate/postgres-session-store.ts';
import { Runs } from './simulate/runs.ts';
import { SessionAccess } from './simulate/session-access.ts';
import { TimelineKeys } from './states/timeline-keys.ts';
import { StreamUsage } from './streams/stream-usage.ts';
import { Streams } from './streams/streams.ts';
import { postgresTokenStore } from './tokens/postgres-token-store.ts';
import { TokenAuthority } from './tokens/token-authority.ts';
import { Allowances } from './usage/allowances.ts';
import { BucketWatch } from './usage/bucket-watch.ts';
import { postgresBucketWarningStore } from './usage/postgres-bucket-warning-store.ts';
import { postgresSlaStore } from './usage/postgres-sla-store.ts';
import { postgresUsageStore } from './usage/postgres-usage-store.ts';
import { EndpointAnnouncer } from './webhooks/endpoint-announcer.ts';
import { HealthWatch } from './webhooks/health/health-watch.ts';
import { postgresEndpointHealthStore } from './webhooks/health/postgres-endpoint-health-store.ts';
import { postgresHealthMailStore } from './webhooks/health/postgres-health-mail-store.ts';
import { LiveDeliveries } from './webhooks/live/live-deliveries.ts';
import { postgresLiveRunStore } from './webhooks/live/postgres-live-run-store.ts';
import { postgresWebhookStore } from './webhooks/postgres-webhook-store.ts';
import { WebhookListCache } from './webhooks/webhook-list-cache.ts';

export function createServices(parts: AppParts) {
  const { sql, control, library, journals, secretBox, clock, log, mailer } = parts;
  const catalogue = new FeedCatalogue(parts.feeds ?? feedsOf([SERIES_ID]));
  const changes = new KeyedMutex({ clock: systemClock, msMax: CHANGE_REST_MS_MAX });
  const authority = new TokenAuthority(postgresTokenStore(sql), secretBox, clock);
  const authenticate: Authenticate = (header) => authority.authenticate(header);

  const usageStore = postgresUsageStore(sql);
  const allowances = new Allowances(usageStore, clock);
  const bucketWatch = new BucketWatch({
    allowances,
    store: postgresBucketWarningStore(sql),
    mailer,
    clock,
    log,
  });

  const overage = postgresOverageStore(sql);
  const overageReporter =
    parts.usageMeter === undefined
      ? null
      : new OverageReporter({
          store: overage,
          meter: parts.usageMeter,
          ...(parts.cluster !== undefined && { isKeeper: parts.cluster.isKeeper }),
          clock,
          log,
        });

  const webhookStore = postgresWebhookStore(sql);
  const lists = new WebhookListCache(clock);
  const health = postgresEndpointHealthStore(sql);
  const healthWatch = new HealthWatch({ store: postgresHealthMailStore(sql), mailer, clock, log });
  const announcer = new EndpointAnnouncer({
    store: webhookStore,
    catalogue,
    control,
    secretBox,
    clock,
    lists,
    changes,
  });

  const sessionStore = postgresSessionStore(sql);
  const access = new SessionAccess(sessionStore, parts.season);
  const runStore = postgresRunStore(sql);
  const runs = new Runs({
    store: runStore,
    sessions: sessionStore,
    webhooks: webhookStore,
    catalogue,
    control,
    allowances,
    library,
    secretBox,
    authenticate,
    clock,
    changes,
    log,
  });

  const live = new LiveDeliveries({
    store: postgresLiveRunStore(sql),
    webhooks: webhookStore,
    catalogue,
    control,
    allowances,
    library,
    journals,
    secretBox,
    clock,
    changes,
    ...(parts.cluster !== undefined && { owns: parts.cluster.owns }),
    log,
  });

  const resends = new Resends({
    store: postgresResendStore(sql),
    runStore,
    timelines: new ResendTimelines({ live, library }),
    sessions: sessionStore,
    webhooks: webhookStore,
    catalogue,
    control,
    allowances,
    secretBox,
    clock,
    changes,
    log,
  });

  const streamUsage = new StreamUsage({
    store: new PostgresRecordStore(sql),
    writer: parts.streamWriter ?? { name: `streams-${randomUUID()}`, epoch: 1 },
    keep: parts.keepBatches ?? (() => 0),
    allowances,
    clock,
    log,
  });
  const streams = new Streams({
    catalogue,
    live,
    library,
    access,
    sessions: sessionStore,
    runs,
    runStore,
    allowances,
    usage: streamUsage,
    keys: parts.timelineKeys ?? new TimelineKeys(),
    authenticate,
    clock,
    log,
  });
  live.onOpened((memory) => streams.sessionOpened(memory));

  const history = new PostgresHistoryStore(sql);
  const liveOutcomes = new LiveOutcomes();
  const recordedOutcomes = parts.recordedOutcomes ?? { of: async () => null };
  const scoreBook = new ScoreBook({
    rules: FANTASY_RULES,
    weekends: new WeekendCache(history),
    live: liveOutcomes,
    recorded: recordedOutcomes,
    phaseOf: (sessionId) => live.phaseOf(sessionId),
  });
  const previews = new Previews({
    calendar: new CalendarCache(postgresCalendarStore(sql), clock),
    history,
    forecasts: new ForecastCache(parts.forecasts ?? new FittedForecasts(() => readImportedHistory(history))),
    grids: new QualifyingGrids(liveOutcomes, recordedOutcomes),
    clock,
    season: parts.season,
    phaseOf: (sessionId) => live.phaseOf(sessionId),
  });

  const accounts = postgresAccountStore(sql);
  const hasher = parts.passwordHasher ?? new Argon2PasswordHasher();
  const background = new BackgroundWork(log);
  const eventCounts = parts.cluster === undefined ? new MemoryEventCounts(clock) : new PostgresEventCounts(sql, clock);
  const signIns = new SignIns({ accounts, store: postgresSignInStore(sql), hasher, eventCounts, clock });
  const signUps = new SignUps({
    accounts,
    store: postgresVerificationStore(sql),
    hasher,
    mailer,
    background,
    secretBox,
    clock,
    log,
    siteUrl: parts.siteUrl,
  });

  const stopMarkedRuns = (accountId: string | null): void => {
    // The command that marked the run notifies again until it has ended, and a lost connection counts as a notification.
    Promise.all([runs.stopMarked(accountId), resends.stopMarked(accountId)]).catch((error: Error) => {
      log.warn({ accountId, err: error }, 'could not look for runs that are to stop');
    });
  };

  const callersChanged = (accountId: string): void => {
    authority.forgetAccount(accountId);
    streams.accountChanged(accountId);
    runs.accountChanged(accountId);
    parts.cluster?.forwarder.accountChanged(accountId, authenticate);
  };

  const accountChanged = (accountId: string, announce: (accountId: string) => Promise<void>): void => {
    callersChanged(accountId);
    Promise.all([allowances.reload(accountId), announce(accountId)]).catch((error: Error) => {
      log.error({ accountId, err: error }, 'could not apply a change of plan to the deliveries yet; it is retried');
      // If the account no longer delivers, there is nothing to retry: its next run starts with the current plan.
      const again = () => allowances.isHeld(accountId) && accountChanged(accountId, announce);
      setTimeout(again, ACCOUNT_RETRY_MS).unref();
    });
  };

  const changesMissed = (accountId: string): void => accountChanged(accountId, (of) => announcer.changesMissed(of));

  const changed: AccountChangeListener = {
    account(accountId) {
      accountChanged(accountId, (of) => announcer.planChanged(of));
    },
    tokens: callersChanged,
    webhooks: (accountId) => lists.forget(accountId),
    runs(accountId) {
      stopMarkedRuns(accountId);
    },
    missed() {
      stopMarkedRuns(null);
      authority.forgetAll();
      streams.changesMissed();
      runs.accountChanged(null);
      parts.cluster?.forwarder.accountChanged(null, authenticate);
      lists.forgetAll();
      for (const { accountId } of allowances.buckets()) changesMissed(accountId);
    },
  };

  return {
    catalogue,
    changes,
    authority,
    usageStore,
    slaStore: postgresSlaStore(sql),
    allowances,
    bucketWatch,
    overage,
    overageReporter,
    webhookStore,
    lists,
    health,
    healthWatch,
    announcer,
    sessionStore,
    access,
    runStore,
    runs,
    resends,
    live,
    streams,
    streamUsage,
    previews,
    liveOutcomes,
    scoreBook,
    accounts,
    background,
    eventCounts,
    signIns,
    signUps,
    changed,
    changesMissed,
  };
}
