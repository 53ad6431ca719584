// `npm start`: the service. Wires all real parts in the order of their dependencies and closes them in reverse order.

import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { type App, createApp } from '#api/app.ts';
import type { UsageMeter } from '#api/billing/overage/usage-meter.ts';
import type { PaymentProvider } from '#api/billing/payment-provider.ts';
import { isDatabaseOutage } from '#api/http/database-outage.ts';
import { everybody, type IsOurs } from '#api/http/homes.ts';
import { RecordedOutcomes } from '#api/outcomes/recorded-outcomes.ts';
import { racedEvent } from '#api/previews/previewed-session.ts';
import { SnapshotMaker } from '#api/states/snapshot-maker.ts';
import { TimelineKeys } from '#api/states/timeline-keys.ts';
import { assert } from '#engine/base/assert.ts';
import { systemClock } from '#engine/base/clock.ts';
import {
  DATABASE_SILENCE_MS_MAX,
  DELETED_LOOK_MS,
  DRAIN_DEADLINE_MS,
  FRONT_DATABASE_CONNECTIONS_MAX,
  LIVE_ABANDONED_MS,
  SERVER_STOP_MS_MAX,
  SERVICE_STOP_MS_MAX,
  STOP_CLUSTER_MS,
  STOP_CONNECTIONS_MS,
  STOP_FRONT_MS,
  STOP_GRACE_MS,
  STOP_LIVE_MS,
  STOP_OPERATORS_MS,
  STOP_RUNS_MS,
  STOP_START_MS,
  STOP_TASKS_MS,
} from '#engine/base/limits.ts';
import { untilDone } from '#engine/base/persistent-work.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { RecordingError } from '#engine/base/recording-error.ts';
import { ShardRouter } from '#engine/delivery/cluster/shard-router.ts';
import { JournalKeeper } from '#engine/delivery/delivery-log/journal-keeper.ts';
import { foldJournal, journalBacklog } from '#engine/delivery/delivery-log/postgres-journal-folder.ts';
import { PostgresRecordStore, supersedeWriters } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import { keepBatches, recordKept } from '#engine/delivery/delivery-log/unrecorded-batches.ts';
import { UnrecordedFolder } from '#engine/delivery/delivery-log/unrecorded-folder.ts';
import { ShardsActivity } from '#engine/delivery/meter/delivery-activity.ts';
import { type Meters, newMeters } from '#engine/delivery/meter/meters.ts';
import { StreamMeter } from '#engine/delivery/meter/stream-meter.ts';
import { ThreadMeter } from '#engine/delivery/meter/thread-meter.ts';
import { copiesFolder, LiveJournals } from '#engine/intake/live/live-journals.ts';
import { countDowntime } from '#engine/intake/live/postgres-frame-rows.ts';
import { CompiledPlaybackLibrary } from '#engine/intake/playback/compiled-playback-library.ts';
import { neededOrigins } from '#engine/intake/playback/postgres-needed-origins.ts';
import { PostgresPreparations } from '#engine/intake/playback/postgres-preparations.ts';
import { PreparationsFollower } from '#engine/intake/playback/preparations-follower.ts';
import { installDemoSession } from '#engine/intake/recording/demo-installation.ts';
import { PostgresSessionCatalogue } from '#engine/intake/recording/postgres-session-catalogue.ts';
import { removeDeleted } from '#engine/intake/recording/recording-deletion.ts';
import { refuseUnderOlderNodes } from '#engine/nodes/older-nodes.ts';
import { endCluster, standing } from '#engine/nodes/postgres-membership.ts';
import { DERIVER_VERSION } from '#engine/racing/derive/deriver-version.ts';
import type { KnownBefore } from '#engine/racing/session/known-before.ts';
import { PostgresHistoryStore } from '#engine/seasons/history/postgres-history-store.ts';
import { lockDataDir } from '#engine/storage/data-dir-lock.ts';
import { openDatabase } from '#engine/storage/database.ts';
import { readMigrations } from '#engine/storage/migrations.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { requireKeys } from '#engine/storage/secrets/postgres-sealed-secrets.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { loadSecretKey } from '#engine/storage/secrets/secret-keys.ts';
import { StorageError } from '#engine/storage/storage-error.ts';
import { feedsOf } from '#schemas/webhook/feeds.ts';
import type { ClusterNode, ClusterNodeParts } from './cluster-node.ts';
import { type ClusterSettings, type Config, ConfigError, readConfig } from './config.ts';
import { makeDataDir } from './data-dir.ts';
import { GrpcThread } from './grpc-thread.ts';
import { readTls } from './grpc-tls.ts';
import { SERVICE_HELP } from './help.ts';
import { hasUnfinishedSession, LiveThread, type LiveThreadParts, needsLiveThread } from './live-thread.ts';
import { createLog } from './log.ts';
import { surviveLostOutput } from './lost-output.ts';
import { MinuteSummary } from './minute-summary.ts';
import { OperatorsThread } from './operators-thread.ts';
import { OWN_PORT, ownPortsOf } from './own-ports.ts';
import { recordingStore, settleRecordings } from './recording-store.ts';
import { requirePorts } from './required-ports.ts';
import { openMailer } from './service-mailer.ts';
import { serviceProblems } from './service-problems.ts';
import { shardThreads, shardWriter } from './shard-thread.ts';
import { StopBegun, StopSteps } from './stop-steps.ts';
import { PiscinaArtifactCompiler } from './tasks/piscina-artifact-compiler.ts';
import { PiscinaForecasts } from './tasks/piscina-forecasts.ts';
import { PiscinaJournalFolder } from './tasks/piscina-journal-folder.ts';
import { PiscinaOutcomeReader } from './tasks/piscina-outcome-reader.ts';
import { PiscinaPasswordHasher } from './tasks/piscina-password-hasher.ts';
import { PiscinaStateFolder } from './tasks/piscina-state-folder.ts';
import { watchThread } from './thread-watch.ts';
import { typed } from './typed.ts';
import { VERSION } from './version.ts';
import { hearWarnings, WarningLog } from './warnings.ts';
import { watchLiveTimeline } from './watch-live-timeline.ts';

const MINUTE_MS = 60_000;

type Log = ReturnType<typeof createLog>;

async function start(config: Config, log: Log, stop: StopSteps): Promise<string> {
  const warnings = new WarningLog();
  if (config.admin !== null && config.console) hearWarnings((warning) => warnings.add(warning));
  const meters = newMeters(config.shards, { grpc: config.grpc !== null });
  watchThread(new ThreadMeter(new Float64Array(meters.main)));
  await makeDataDir(config.dataDir);
  if (config.cluster !== null && hasUnfinishedSession(config.dataDir)) {
    throw new ConfigError([
      `CLUSTER: ${config.dataDir} holds a live session that is not over. Start it once without CLUSTER, and end the session.`,
    ]);
  }
  const lock = await lockDataDir(config.dataDir, systemClock, systemRandomBytes);
  stop.add('the lock of DATA_DIR', STOP_GRACE_MS, () => lock.release());
  await requirePorts(config);
  const grpcTls = config.grpc === null || config.grpc.tls === null ? null : await readTls(config.grpc.tls);
  const secretBox = new SecretBox(
    await loadSecretKey(config.dataDir, config.secretKey, systemRandomBytes, log),
    systemRandomBytes,
  );
  const service = randomUUID();
  let node: ClusterNode | null = null;
  const keepsHouse = (): boolean => config.cluster === null || (node?.parts.isKeeper() ?? false);
  const database = await openDatabase({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    retention: { logDays: config.logRetentionDays, runDays: config.runRetentionDays },
    role: 'service',
    ...(config.cluster !== null && { node: { nodeId: service, guard: refuseUnderOlderNodes }, keepsHouse }),
    onLockLost: () => {
      log.fatal(
        {},
        'another service took over the database while it was unreachable; stopping at once to avoid double deliveries',
      );
      process.exit(1);
    },
    log,
    clock: systemClock,
    randomBytes: systemRandomBytes,
  });
  stop.add('the built-in database', SERVER_STOP_MS_MAX, () => database.close());
  stop.add('the connections to the database', STOP_CONNECTIONS_MS, () => database.disconnect());
  stop.add('the lock of the database', STOP_CONNECTIONS_MS, () => database.unlock());
  const sql = database.connect(FRONT_DATABASE_CONNECTIONS_MAX, 'service', DATABASE_SILENCE_MS_MAX);
  await requireKeys(sql, secretBox);
  const store = new PostgresRecordStore(sql);
  await recordKept({ files: new UnrecordedFolder(config.dataDir), store, fold: () => foldJournal(sql), log });
  if (config.cluster === null) {
    await sql.begin(async (transaction) => {
      await endCluster(transaction);
      await supersedeWriters(transaction, null);
    });
  } else {
    node = await joinCluster(config, config.cluster, service, { sql, connection: database.connection, secretBox, log });
    stop.add('the membership in the cluster', STOP_CLUSTER_MS, () => node?.leave());
  }
  // Before any attempt is made: so this database knows the writer of whatever it does not take at the end (UR4).
  for (let shard = 0; shard < config.shards; shard++) await store.admit(shardWriter(service, shard, 1));
  const streamWriter = { name: `${service} streams`, epoch: 1 };
  await store.admit(streamWriter);
  const { dataDir } = config;
  const recordingParts = { inCluster: config.cluster !== null, dataDir, sql, log };
  const recordings = recordingStore(recordingParts);
  await settleRecordings(recordingParts);
  await installDemoSession(dataDir, recordings, new PostgresSessionCatalogue(sql), log);

  const preparations = node === null ? null : new PostgresPreparations(sql, DERIVER_VERSION);
  const compilationsMax = Math.max(1, availableParallelism() - 1);
  const compiler = new PiscinaArtifactCompiler(compilationsMax);
  const library = new CompiledPlaybackLibrary({
    dataDir,
    recordings,
    ...(preparations !== null && { preparations }),
    compiler,
    compilationsMax,
    deriverVersion: DERIVER_VERSION,
    neededOrigins: (session) => neededOrigins(sql, session),
    ...(node !== null && {
      otherVersions: async () => new Set((await standing(sql)).nodes.map(({ deriverVersion }) => deriverVersion)),
    }),
    log,
  });
  stop.add('the compiler', STOP_TASKS_MS, () => library.close());
  if (node !== null)
    stop.add('the removal of deleted recordings', STOP_GRACE_MS, removeDeletedNowAndThen(sql, dataDir, log));
  if (preparations !== null) {
    const follower = new PreparationsFollower({ preparations, library, clock: systemClock, log });
    stop.add('what other nodes prepare', STOP_GRACE_MS, () => follower.close());
  }

  const journalFolder = new PiscinaJournalFolder(database.connection);
  const journalKeeper = new JournalKeeper({
    backlog: () => journalBacklog(sql),
    fold: () => journalFolder.fold(),
    isKeeper: keepsHouse,
    clock: systemClock,
    log,
  });

  const ownPorts = ownPortsOf(config, database.connection);
  stop.add('the log of deliveries', STOP_GRACE_MS, logMinutes(meters, log));
  const stateFolder = new PiscinaStateFolder();
  stop.add('the folders of the log and of states', STOP_TASKS_MS, async () => {
    await Promise.all([journalKeeper.close(), journalFolder.close(), stateFolder.close()]);
  });
  const timelineKeys = new TimelineKeys();
  const snapshots = new SnapshotMaker({ folder: stateFolder, keys: timelineKeys, log });
  const router = new ShardRouter({
    shards: config.shards,
    startShard: shardThreads(service, {
      dataDir: config.dataDir,
      connection: database.connection,
      headerPrefix: config.headerPrefix,
      ownPorts,
      logLevel: config.logLevel,
      replayToLocalhost: config.replayToLocalhost,
      liveToLocalhost: config.liveToLocalhost,
      meters,
      ...(node !== null && { lease: node.lease.memory }),
    }),
    makeSnapshots: (timeline, position, accountId) => snapshots.make(timeline, position, accountId),
    schedule: systemClock.schedule,
    reportProblem: (what, error) => log.error({ err: error }, what),
  });
  const drain = async (): Promise<void> => {
    await router.drain();
    if (router.cutOff > 0) process.exitCode = 1;
  };
  stop.add('the shards', DRAIN_DEADLINE_MS + STOP_GRACE_MS, drain);

  const { mailer, close: closeMailer } = await openMailer(config, log);
  stop.add('the mailer', STOP_GRACE_MS, closeMailer);
  let address = '';
  let live: LiveThread | null = null;
  let operators: OperatorsThread | null = null;
  let grpc: GrpcThread | null = null;
  const { payments, usageMeter } = await paymentsBy(config, log);
  const recordedOutcomes = new RecordedOutcomes({
    recordings,
    reader: new PiscinaOutcomeReader(),
    log,
  });
  const forecasts = new PiscinaForecasts(database.connection);
  const passwordHasher = new PiscinaPasswordHasher();
  stop.add('the threads for tasks', STOP_TASKS_MS, async () => {
    await Promise.all([recordedOutcomes.close(), forecasts.close(), passwordHasher.close()]);
  });
  const app = createApp({
    sql,
    control: router,
    library,
    journals: new LiveJournals({
      dataDir: config.cluster === null ? dataDir : copiesFolder(dataDir),
      clock: systemClock,
      log,
    }),
    secretBox,
    clock: systemClock,
    log,
    mailer,
    siteUrl: () => config.siteUrl ?? config.publicUrl ?? address,
    front: {
      trustProxy: config.trustProxy,
      https: config.publicUrl?.startsWith('https:') ?? false,
      corsOrigins: config.corsOrigins,
      ...(config.publicUrl !== null && { publicOrigin: new URL(config.publicUrl).origin }),
    },
    ...(config.publicUrl !== null && { publicUrl: config.publicUrl }),
    headerPrefix: config.headerPrefix,
    servesConsole: config.console,
    servesLocalhost: config.replayToLocalhost,
    streamWriter,
    keepBatches: (batches) => keepBatches({ files: new UnrecordedFolder(config.dataDir), log }, batches),
    watch: watchLiveTimeline,
    deliveries: new ShardsActivity(meters.shards),
    streamMeter: StreamMeter.restarted(meters.streams.sse),
    ...(payments !== null && { payments }),
    ...(usageMeter !== null && { usageMeter }),
    ...(node !== null && { cluster: node.parts }),
    season: () => config.season ?? new Date(systemClock.wallMs()).getUTCFullYear(),
    logRetentionDays: config.logRetentionDays,
    passwordHasher,
    forecasts,
    recordedOutcomes,
    stateFolder,
    timelineKeys,
    snapshots,
    feeds: feedsOf(config.seriesIds),
    problems: () => serviceProblems({ dataDir: config.dataDir, router, live, operators, grpc }),
  });
  await app.start();
  await node?.serve(app);
  const { connection } = database;
  const knownBefore = async (sessionId: string): Promise<KnownBefore | null> => {
    const eventId = racedEvent(sessionId);
    if (eventId === null || (await new PostgresHistoryStore(sql).digest()) === null) return null;
    return forecasts.strengths(eventId);
  };
  if (node !== null) {
    const missed = await countDowntime(sql, node.nodeNo, LIVE_ABANDONED_MS);
    for (const sessionId of missed) log.info({ sessionId }, 'no node has followed this live session for a while');
  }
  live = await startLive(
    config,
    { connection, meters, log, knownBefore, restarted: () => operators?.join() },
    node,
    app,
    stop,
  );
  if (config.admin !== null) {
    assert(live !== null, 'the listener for operators needs a live thread');
    const { admin, metrics, liveTimingUrl, dataDir, logLevel } = config;
    const billsOverage = usageMeter !== null;
    const page = config.console;
    const data = { admin, metrics, page, hasTiming: liveTimingUrl !== null, billsOverage, dataDir, logLevel };
    operators = new OperatorsThread({
      ...data,
      connection,
      meters,
      requests: app.requests,
      ...(node !== null && { node: node.metered }),
      live,
      warnings,
      log,
    });
    await operators.listening;
    ownPorts[OWN_PORT.operators] = operators.port;
  }
  if (config.grpc !== null) {
    const { host, trustProxy, logLevel } = config;
    const { port } = config.grpc;
    grpc = new GrpcThread({ host, port, tls: grpcTls, trustProxy, logLevel, meters, log, calls: app.grpc });
    await grpc.listening;
    ownPorts[OWN_PORT.grpc] = grpc.port;
  }
  const leaveListeners = async (): Promise<void> => {
    await Promise.all([grpc?.close(), operators?.close()]);
  };
  stop.add('the threads that listen', STOP_OPERATORS_MS + STOP_GRACE_MS, leaveListeners);
  const listening = await app.listen(config.host, config.port);
  ownPorts[OWN_PORT.service] = listening.port;
  stop.add('the API', STOP_FRONT_MS + STOP_GRACE_MS, async () => {
    await Promise.all([listening.close(), node?.close()]);
  });
  // Closed in reverse order: first readiness turns red for load balancers, then deliveries drain while requests are
  // still answered.
  stop.add('the shards', DRAIN_DEADLINE_MS + STOP_GRACE_MS, drain);
  stop.add('the live thread', STOP_LIVE_MS + STOP_GRACE_MS, async () => live?.close());
  stop.add('the threads that listen', STOP_OPERATORS_MS + STOP_GRACE_MS, leaveListeners);
  stop.add('the state of replays', STOP_RUNS_MS, () => app.leave());
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  address = `http://${host}:${listening.port}`;
  const forOperators = operators === null ? '' : `, operators on port ${operators.port}`;
  const forGrpc = grpc === null ? '' : `, gRPC on port ${grpc.port}`;
  return `${address} (data in ${config.dataDir}, ${config.shards} shard(s)${forGrpc}${forOperators})`;
}

async function joinCluster(
  { logLevel }: Config,
  settings: ClusterSettings,
  nodeId: string,
  parts: Pick<ClusterNodeParts, 'sql' | 'connection' | 'secretBox'> & { readonly log: Log },
): Promise<ClusterNode> {
  const { host, port } = settings;
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  // The client for requests to other nodes is large.
  const { ClusterNode } = await import('./cluster-node.ts');
  return ClusterNode.join({
    ...parts,
    facts: {
      nodeId,
      address,
      version: VERSION,
      deriverVersion: DERIVER_VERSION,
      schemaVersion: (await readMigrations()).length,
      keyPrint: parts.secretBox.print(nodeId),
    },
    settings,
    logLevel,
    replaced: () => {
      parts.log.fatal({}, 'another node has taken over from this one; stopping at once. Start it again to rejoin');
      process.exit(1);
    },
  });
}

/** What was deleted at another node. The returned function ends it. */
function removeDeletedNowAndThen(sql: Sql, dataDir: string, log: Log): () => void {
  return systemClock.every(DELETED_LOOK_MS, async () => {
    const removed = await removeDeleted(sql, dataDir).catch((error: Error) => {
      log.warn({ err: error }, 'could not look for recordings that were deleted; it is tried again');
      return [];
    });
    for (const sessionId of removed) log.info({ sessionId }, 'removed the files of a session that was deleted');
  });
}

/** Logs a summary of deliveries each minute. The returned function logs the last, partial minute. */
function logMinutes(meters: Meters, log: Log): () => void {
  const minutes = new MinuteSummary(meters);
  let sinceMs = systemClock.nowMs();
  const logSummary = (): void => {
    const nowMs = systemClock.nowMs();
    const summary = minutes.take();
    if (summary !== null) log.info({ seconds: Math.round((nowMs - sinceMs) / 1_000), ...summary }, 'deliveries');
    sinceMs = nowMs;
  };
  const timer = setInterval(logSummary, MINUTE_MS).unref();
  return () => {
    clearInterval(timer);
    logSummary();
  };
}

/** Starts the live thread if there is work for it, and resumes unfinished live runs. */
async function startLive(
  config: Config,
  parts: Pick<LiveThreadParts, 'connection' | 'meters' | 'log' | 'knownBefore' | 'restarted'>,
  node: ClusterNode | null,
  app: App,
  stop: StopSteps,
): Promise<LiveThread | null> {
  const { dataDir, seriesIds, liveTimingUrl, liveTimingToken, logLevel } = config;
  const nodeNo = node?.nodeNo ?? null;
  const settings = { dataDir, seriesIds, liveTimingUrl, liveTimingToken, nodeNo, logLevel };
  const { live: deliveries, liveOutcomes } = app;
  const owns: IsOurs = node?.parts.owns ?? everybody;
  const live = needsLiveThread(config)
    ? await LiveThread.start({ settings, ...parts, left: () => node?.leftSession(), live: deliveries, liveOutcomes })
    : null;
  node?.onKeeper((isKeeper) => live?.keep(isKeeper));
  stop.add('the live thread', STOP_LIVE_MS + STOP_GRACE_MS, async () => live?.close());
  // Sessions that still run are open by now, so any other unfinished run belongs to a session that has ended. Resends come
  // last: what a session has published is open then, if it still exists.
  const resumeLeft = async (): Promise<void> => {
    await app.live.resume(owns);
    await app.resends.resume('live', owns);
  };
  untilDone(resumeLeft, {
    pause: (delayMs) => systemClock.sleep(delayMs),
    isClosing: () => stop.begun,
    failed: (error) =>
      parts.log.warn({ err: error }, 'could not resume unfinished live runs and resends yet; it is tried again'),
  }).catch(() => {});
  return live;
}

/** Loads the Stripe library, which is large, only when payments are configured. */
async function paymentsBy(
  { stripe }: Config,
  log: Log,
): Promise<{ payments: PaymentProvider | null; usageMeter: UsageMeter | null }> {
  if (stripe === null) return { payments: null, usageMeter: null };
  const { StripePayments } = await import('#api/billing/stripe-payments.ts');
  const payments = new StripePayments(stripe, { clock: systemClock, log });
  const { secretKey, overagePriceId } = stripe;
  if (overagePriceId === undefined) return { payments, usageMeter: null };
  const { StripeUsageMeter } = await import('#api/billing/overage/stripe-usage-meter.ts');
  return { payments, usageMeter: new StripeUsageMeter({ secretKey, overagePriceId }) };
}

/** Why the service does not start. An expected failure, such as a full disk, is shown without a stack. */
function failureText(error: Error): string {
  const refused = 'syscall' in error && 'code' in error;
  if (isDatabaseOutage(error) && (!refused || error.syscall === 'connect'))
    return `The database became unreachable while the service started (${error.message}). Start the service again once the database is up.`;
  const expected =
    refused ||
    error instanceof ConfigError ||
    error instanceof StorageError ||
    error instanceof RecordingError ||
    error.message.includes('PORT') ||
    /^(?:GRPC|CLUSTER)_/.test(error.message);
  return expected ? error.message : (error.stack ?? error.message);
}

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) {
    process.stdout.write(typed(SERVICE_HELP));
    return;
  }
  if (args.length === 1 && args[0] === '--version') {
    process.stdout.write(`slipstream ${VERSION}\n`);
    return;
  }
  if (args.length > 0) {
    process.stderr.write(
      typed('npm start takes --help or --version alone; settings are environment variables (npm start -- --help).\n'),
    );
    process.exitCode = 2;
    return;
  }
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const stop = new StopSteps(systemClock, log);
  const { promise: started, resolve: startIsOver } = Promise.withResolvers<void>();
  const end = (signal: NodeJS.Signals): void => {
    if (stop.begun) return;
    stop.begin();
    log.info({ signal }, 'stopping: finishing and recording the deliveries in flight');
    // A start under way ends at its next step. One that hangs, as when the database does not answer, is left behind.
    Promise.race([started, systemClock.sleep(STOP_START_MS)])
      .then(() => stop.take())
      .then(() => process.exit());
    systemClock.schedule(SERVICE_STOP_MS_MAX + SERVER_STOP_MS_MAX, () => process.exit(1));
  };
  process.on('SIGTERM', end).on('SIGINT', end).on('SIGHUP', end);
  try {
    const where = await start(config, log, stop);
    if (!stop.begun) process.stdout.write(`slipstream ready on ${where}\n`);
  } catch (error) {
    if (stop.begun) {
      if (!(error instanceof StopBegun)) log.info({ err: error as Error }, 'the start was interrupted');
      return;
    }
    await stop.take();
    throw error;
  } finally {
    startIsOver();
  }
}

surviveLostOutput();
await main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${typed(failureText(error))}\n`);
  process.exit(1);
});
