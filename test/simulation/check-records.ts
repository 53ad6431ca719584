// Compares the database in the end with what receivers saw: every matching update is accounted for (I1), the delivery
// log is true (I3) and has nothing twice (I9), and usage counts are its sums (I10).

import { ACTOR_RESTARTS_MAX, ATTEMPTS_MAX } from '#engine/base/limits.ts';
import type { AttemptRecord, Checkpoint } from '#engine/delivery/delivery-log/record-store.ts';
import { BREAKER_FAILURES } from '#engine/delivery/endpoint/breaker.ts';
import { dayOf } from '#engine/delivery/usage/day.ts';
import { monthOf } from '#engine/delivery/usage/month.ts';
import { SNAPSHOTS_FROM } from '#engine/timeline/snapshot-number.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { isDelivered } from './check-order.ts';
import { isFor } from './matching.ts';
import type { RunRow, SeenAttempt } from './observed.ts';
import { roomIn } from './scenario.ts';
import { mannerOf } from './simulated-sockets.ts';
import type { World } from './world.ts';

/** One endpoint in one run. */
interface Part {
  readonly world: World;
  readonly row: RunRow;
  readonly endpoint: string;
  readonly checkpoint: Checkpoint;
  readonly attempts: readonly SeenAttempt[];
  readonly log: readonly AttemptRecord[];
}

export function checkRecords(world: World): void {
  const { observed, database } = world;
  const attempts = Map.groupBy(observed.attempts, ({ runId, endpoint }) => `${runId} ${endpoint}`);
  const logs = Map.groupBy(database.memory.attempts, ({ runNo, webhookNo }) => `${runNo} wh_${webhookNo - 1}`);
  for (const row of observed.runs.values()) {
    for (const endpoint of row.endpoints.keys()) {
      const name = `${row.runId} ${endpoint}`;
      const part: Part = {
        world,
        row,
        endpoint,
        checkpoint: database.memory.checkpoint(row.runId, endpoint)!,
        attempts: attempts.get(name) ?? [],
        log: logs.get(`${row.runNo} ${endpoint}`) ?? [],
      };
      const problem =
        wrongLog(part) ?? wrongSums(part) ?? wrongMatches(part) ?? impossibleSkips(part) ?? unharmed(part);
      if (problem !== null) observed.violated(`${problem} (${name})`);
    }
  }
}

const hasDelivered = ({ result }: AttemptRecord): boolean =>
  result.kind === 'answered' && result.statusCode >= 200 && result.statusCode < 300;

/**
 * Every line of the log is an attempt that ended that way at a receiver. Every attempt that ended is in it, except
 * after crashes.
 */
function wrongLog({ attempts, log, world }: Part): string | null {
  const seen = Map.groupBy(attempts, ({ sequence, attempt }) => `${sequence}/${attempt}`);
  const lines = new Map<string, AttemptRecord>();
  for (const record of log) {
    const name = `${record.sequence}/${record.attempt}`;
    if (lines.has(name)) return `I10: the log has ${name} twice`;
    lines.set(name, record);
    if (record.lagMs === null || record.lagMs < record.latencyMs - 0.01)
      return `I4: ${name} ended ${record.lagMs} ms after it was due, although it took ${record.latencyMs} ms`;
    if (!(seen.get(name) ?? []).some((one) => isRecordOf(one, record)))
      return `I3: the log has ${name} as ${resultText(record)} after ${record.latencyMs} ms, which no receiver saw`;
  }
  for (const one of attempts) {
    const { thread, ended, sequence, attempt } = one;
    const { diedMs, wasKilled } = world.observed.threads[thread]!;
    const wasDrained =
      !wasKilled && world.observed.drains.some(({ threads, wasClean }) => wasClean && threads.has(thread));
    const hasNoResult = ended === null || ended.end.kind === 'cut' || ended.end.kind === 'dropped';
    if (hasNoResult || (diedMs !== null && !wasDrained)) continue;
    const record = lines.get(`${sequence}/${attempt}`);
    if (record === undefined) return `I1: ${sequence}/${attempt} is not in the log`;
    if (!isRecordOf(one, record)) return `I1: ${sequence}/${attempt} was made again, although it had ended before`;
  }
  return null;
}

function isRecordOf({ ended, wallMs, startedAtMs }: SeenAttempt, record: AttemptRecord): boolean {
  if (ended === null || ended.end.kind === 'cut' || ended.end.kind === 'dropped') return false;
  const { end, atMs } = ended;
  // Records use the time of the turn for every attempt that it starts.
  if (Math.abs(record.createdAtMs - wallMs) > 100 || Math.abs(record.latencyMs - (atMs - startedAtMs)) > 100)
    return false;
  const { result } = record;
  if (end.kind === 'abandoned') return result.kind === 'failed' && result.code === 'timeout';
  return resultText(record) === String(end.error ?? end.status);
}

/** I1: the checkpoint agrees with the log. */
function wrongSums({ checkpoint, log }: Part): string | null {
  const delivered = new Set(log.filter(hasDelivered).map(({ sequence }) => sequence));
  const failed = new Set(
    log.filter((record) => record.attempt === ATTEMPTS_MAX && !hasDelivered(record)).map(({ sequence }) => sequence),
  );
  const skips = Object.values(checkpoint.skipped).reduce((sum, count) => sum + count, 0);
  if (checkpoint.pending.length > 0) return 'I1: updates are pending';
  if (checkpoint.matched !== checkpoint.delivered + checkpoint.failed + skips) return 'I1: the sum is not exact';
  if (checkpoint.delivered !== delivered.size || checkpoint.failed !== failed.size)
    return `I1: ${checkpoint.delivered} delivered and ${checkpoint.failed} failed, the log says ${delivered.size} and ${failed.size}`;
  for (const sequence of failed) if (delivered.has(sequence)) return `I1: ${sequence} was delivered and failed`;
  return null;
}

/** I1: every update that matched under all settings counts as matched, and none that matched under no settings. */
function wrongMatches({ world, row, endpoint, checkpoint, log }: Part): string | null {
  const { observed, planned } = world;
  const versions = observed.versions.get(endpoint)!;
  const isDeleted = versions.at(-1)!.deleted;
  if (checkpoint.nextPosition > planned.updates.length) return 'I1: its checkpoint is beyond the end';
  let least = 0;
  let most = 0;
  for (let position = row.endpoints.get(endpoint)!; position < checkpoint.nextPosition; position++) {
    if (row.resend !== null && !row.resend.positions.includes(position)) continue;
    if (observed.isJumped(row.runId, endpoint, position)) continue;
    const matching = versions.filter(({ settings }) => isFor(settings, row.allFeeds, planned, position));
    if (matching.length > 0) most++;
    if (matching.length === versions.length && !isDeleted) least++;
  }
  const matched = checkpoint.matched - snapshotsOf(world, row, endpoint, log);
  return matched >= least && matched <= most ? null : `I1: ${matched} updates matched instead of ${least} to ${most}`;
}

/** How many snapshots have ended. `log`: what is recorded of the endpoint in the run. */
export function snapshotsOf(
  { database }: World,
  { runId }: RunRow,
  endpoint: string,
  log: readonly AttemptRecord[],
): number {
  const ended = log.filter((record) => hasDelivered(record) || record.attempt === ATTEMPTS_MAX);
  const sent = new Set(ended.flatMap(({ sequence }) => (sequence > SNAPSHOTS_FROM ? [sequence] : [])));
  return sent.size + database.memory.spans(runId, endpoint).filter(({ first }) => first >= SNAPSHOTS_FROM).length;
}

/** I1: updates were skipped only for reasons that existed. */
function impossibleSkips({ world, row, endpoint, checkpoint, attempts, log }: Part): string | null {
  const { scenario, observed } = world;
  const versions = observed.versions.get(endpoint)!;
  const plan = scenario.endpoints.find(({ name }) => name === endpoint)!;
  const account = scenario.accounts.find(({ name }) => name === row.account)!;
  const failures = attempts.filter((seen) => !isDelivered(seen)).length;
  const possible: Readonly<Record<string, boolean>> = {
    paused: versions.some(({ settings, deleted }) => deleted || !settings.active),
    deleted: versions.some(({ deleted }) => deleted),
    // A snapshot that was not at hand was missed without a look at the filter: only its resend shows whether it matches.
    filtered: new Set(versions.map(({ settings }) => settings.filters)).size > 1 || resendsSnapshots(row),
    breaker_open: row.mode === 'replay' && row.resend === null && failures >= BREAKER_FAILURES,
    // M5: the demo session has its own bound, which no scenario reaches.
    monthly_limit: account.left !== null && !row.allFeeds && usedUp(world, row.account, account.left),
    replay_only: row.mode === 'live' && plan.loopback && !scenario.liveToLocalhost,
    stopped: row.stopped?.reason === 'stopped',
    expired: row.stopped?.reason === 'expired',
    snapshot_unavailable: observed.snapshotsFailed > 0 || observed.stalls.length > 0,
    actor_failed: (observed.restarted.get(`${row.runId} ${endpoint}`)?.length ?? 0) > ACTOR_RESTARTS_MAX,
  };
  for (const [reason, count] of Object.entries(checkpoint.skipped))
    if (count > 0 && possible[reason] !== true) return `I1: ${count} updates were skipped as ${reason}`;
  const isLogged = log.length > 0 || attempts.length === 0;
  return isLogged || checkpoint.delivered + checkpoint.failed === 0 ? null : 'I10: an empty log';
}

export function resendsSnapshots({ resend }: RunRow): boolean {
  return resend?.positions.some((position) => position >= SNAPSHOTS_FROM) === true;
}

/** A6: whether the account has used up its allowance. Attempts that a restarted actor gave back do not count. */
function usedUp({ observed, scenario }: World, account: string, left: number): boolean {
  const own = observed.attempts.filter(({ runId }) => isOfMonth(observed.runs.get(runId)!, account));
  const byMonth = Map.groupBy(own, ({ wallMs }) => monthOf(wallMs).firstDay);
  return left === 0 || [...byMonth].some(([month, used]) => used.length >= roomIn(scenario, left, month));
}

/** I9: a healthy endpoint whose settings never changed gets every update, whatever happens to others. */
function unharmed({ world, row, endpoint, checkpoint }: Part): string | null {
  const { scenario, observed } = world;
  const plan = scenario.endpoints.find(({ name }) => name === endpoint)!;
  const account = scenario.accounts.find(({ name }) => name === row.account)!;
  const versions = observed.versions.get(endpoint)!;
  const isHealthy = plan.temper === 'fast' && versions.length === 1 && !isRude(world, versions[0]!.settings.url);
  const isServed = account.left === null && row.stopped === null && !(row.mode === 'live' && plan.loopback);
  const { snapshot_unavailable: missed = 0, filtered = 0 } = checkpoint.skipped;
  const unmatched = resendsSnapshots(row) ? filtered : 0;
  if (!isHealthy || !isServed || checkpoint.matched === checkpoint.delivered + missed + unmatched) return null;
  return `I9: ${checkpoint.delivered} of ${checkpoint.matched} updates delivered, ${JSON.stringify(checkpoint.skipped)}`;
}

/** Whether the receiver ends connections in ways that requests meet again and again. */
function isRude({ scenario }: World, url: string): boolean {
  const manner = mannerOf(scenario.seed, new URL(url).origin);
  return scenario.overSockets && (manner === 'breaks' || manner === 'closes');
}

interface Sums {
  attempts: number;
  demo: number;
  succeeded: number;
  failed: number;
}

const NOTHING: Sums = { attempts: 0, demo: 0, succeeded: 0, failed: 0 };

/** Whether the attempts of a run take from the account's month (M5). */
const isOfMonth = (run: RunRow, account: string): boolean => run.account === account && !run.allFeeds;

/** I10: usage is the sum of the log, by account, day and feed. Its skips are those of the checkpoints. */
export function checkUsage(world: World): void {
  const { observed, scenario } = world;
  const { memory } = world.database;
  const accounts = new Map(scenario.endpoints.map(({ name, account }) => [name, account]));
  const sums = new Map<string, Sums>();
  /** Deliveries by account, month and feed: of latencies there are no days. */
  const succeeded = new Map<string, number>();
  const demos = new Set([...observed.runs.values()].filter(({ allFeeds }) => allFeeds).map(({ runNo }) => runNo));
  for (const record of memory.attempts) {
    const account = accounts.get(`wh_${record.webhookNo - 1}`)!;
    const { month, day } = dayOf(record.createdAtMs);
    const { feedId } = FEEDS[record.feed]!;
    const key = `${account} ${month} ${day} ${feedId}`;
    const monthKey = `${account} ${month} ${feedId}`;
    if (hasDelivered(record)) succeeded.set(monthKey, (succeeded.get(monthKey) ?? 0) + 1);
    const sum = sums.get(key) ?? { ...NOTHING };
    sum.attempts++;
    if (demos.has(record.runNo!)) sum.demo++;
    if (hasDelivered(record)) sum.succeeded++;
    else sum.failed++;
    sums.set(key, sum);
  }
  for (const key of new Set([...sums.keys(), ...memory.usage.keys()])) {
    const used = memory.usage.get(key) ?? NOTHING;
    const logged = sums.get(key) ?? NOTHING;
    if ((used.demo ?? 0) !== logged.demo)
      observed.violated(`I10: usage of ${key} says ${used.demo} attempts of the demo session, the log ${logged.demo}`);
    if (used.attempts === logged.attempts && used.succeeded === logged.succeeded && used.failed === logged.failed)
      continue;
    observed.violated(`I10: usage of ${key} says ${used.attempts} attempts, the log ${logged.attempts}`);
  }
  for (const key of new Set([...succeeded.keys(), ...memory.latency.keys()])) {
    const timed = [...(memory.latency.get(key)?.counts ?? [])].reduce((sum, count) => sum + count, 0);
    const logged = succeeded.get(key) ?? 0;
    if (timed !== logged)
      observed.violated(`I10: ${timed} deliveries of ${key} have a latency, ${logged} are in the log`);
  }
  for (const { name, left } of scenario.accounts) {
    checkSkips(world, name);
    if (left === null) continue;
    const own = memory.attempts.filter(
      ({ webhookNo, runNo }) => accounts.get(`wh_${webhookNo - 1}`) === name && !demos.has(runNo!),
    );
    for (const [month, made] of Map.groupBy(own, ({ createdAtMs }) => monthOf(createdAtMs).firstDay)) {
      const room = roomIn(scenario, left, month);
      if (made.length > room)
        observed.violated(`A6: ${name} had ${room} attempts left in ${month} and made ${made.length}`);
    }
  }
}

/** Usage has as many skips as the checkpoints. */
function checkSkips({ database: { memory }, observed }: World, account: string): void {
  let skips = 0;
  for (const { runId, account: owner, endpoints } of observed.runs.values()) {
    if (owner !== account) continue;
    for (const endpoint of endpoints.keys())
      for (const count of Object.values(memory.checkpoint(runId, endpoint)!.skipped)) skips += count;
  }
  let counted = 0;
  for (const { accountId, skipped } of memory.usage.values()) if (accountId === account) counted += skipped;
  if (counted !== skips) observed.violated(`I10: usage of ${account} says ${counted} skipped, its endpoints ${skips}`);
}

function resultText({ result }: AttemptRecord): string {
  return result.kind === 'failed' ? result.detail : String(result.statusCode);
}
