// Checks every attempt by itself: it went to the right endpoint (A2) with the right content and signature (I6, I8), not
// too early (I4), and as one request (HC4).

import { createHmac } from 'node:crypto';
import { ATTEMPTS_MAX, DEADLINE_MS } from '#engine/base/limits.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { placeOf, SNAPSHOTS_FROM } from '#engine/timeline/snapshot-number.ts';
import { Knowledge, type Known } from './knowledge.ts';
import { isFor, isSnapshotFor, lastBefore } from './matching.ts';
import type { Observed, SeenAttempt } from './observed.ts';
import { isOnThisMachine } from './simulated-transport.ts';
import type { World } from './world.ts';

/** Tolerance: a turn takes a while, and times in records are whole milliseconds. */
const TURN_MS = 100;

export function checkAttempts(world: World): void {
  const { observed } = world;
  const knowledge = new Knowledge(observed.received);
  for (const attempt of observed.attempts) {
    const known = knowledge.of(attempt);
    const problem =
      outdated(world, known, attempt) ??
      wrongReceiver(world, known, attempt) ??
      wrongContent(world, attempt) ??
      wrongSignature(known, attempt) ??
      wrongEnd(world, attempt) ??
      wrongRequests(attempt) ??
      tooEarly(world, attempt);
    if (problem !== null) observed.violated(`${problem} (${attemptName(attempt)})`);
  }
}

export const attemptName = ({ runId, endpoint, sequence, attempt, startedAtMs }: SeenAttempt): string =>
  `${runId} ${endpoint}, update ${sequence}, attempt ${attempt} at ${startedAtMs.toFixed(1)} ms`;

/** Returns how long a change may take to reach its shard. */
export function changeMs({ scenario, observed }: World): number {
  const stalledMs = observed.stalls.reduce((sum, { forMs }) => sum + forMs, 0);
  return scenario.messageMsMax + TURN_MS + stalledMs;
}

/** C3: the settings that the shard knows were in force at most one message delay ago. */
function outdated(world: World, { settings }: Known, { endpoint, startedAtMs, runId }: SeenAttempt): string | null {
  const versions = world.observed.versions.get(endpoint)!;
  const sinceMs = startedAtMs - changeMs(world);
  const isInForce = versions.some(
    (version, index) =>
      (version.settings === settings || version.deleted) &&
      version.fromMs <= startedAtMs &&
      (versions[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY) >= sinceMs,
  );
  if (!isInForce) return 'I8: the shard uses outdated settings';
  // Also if the shard has died since, and its successor was not told.
  if (versions.some(({ deleted, fromMs }) => deleted && fromMs < sinceMs))
    return 'I8: the endpoint was deleted long ago';
  const { stopped } = world.observed.runs.get(runId)!;
  // The next process hands over unfinished runs and stops this one only then.
  const handedMs = world.observed.handed.findLast((one) => one.runId === runId && one.atMs <= startedAtMs)?.atMs ?? 0;
  if (stopped !== null && Math.max(stopped.atMs, handedMs) < sinceMs) return 'A5: the run was stopped';
  const isPaused = world.observed.holds.some(
    (hold) => hold.runId === runId && Math.max(hold.fromMs, handedMs) < sinceMs && hold.untilMs > startedAtMs,
  );
  return isPaused ? 'A9: the run was paused' : null;
}

function wrongReceiver(world: World, known: Known, attempt: SeenAttempt): string | null {
  const { planned, observed } = world;
  const run = observed.runs.get(attempt.runId);
  if (run === undefined) return 'I1: an attempt of no run';
  if (!run.endpoints.has(attempt.endpoint)) return 'I1: an attempt for an endpoint that is not in the run';
  const position = attempt.sequence - 1;
  const isSnapshot = position >= SNAPSHOTS_FROM;
  if (placeOf(position) < run.endpoints.get(attempt.endpoint)!) return 'I1: an update from before the endpoint joined';
  if (run.resend !== null && !run.resend.positions.includes(position)) return 'RE1: an update that it was not to send';
  const { runId, endpoint, startedAtMs } = attempt;
  if (!isSnapshot && observed.isJumped(runId, endpoint, position, startedAtMs))
    return 'I1: an update that was jumped over';
  if (observed.parked.some((one) => one.runId === runId && one.fromMs < startedAtMs && one.untilMs > startedAtMs))
    return 'A9: the run is parked';
  const { url, method } = attempt;
  const { settings, isDeleted, isStopped, isDraining, isParking } = known;
  if (isDraining) return 'S4: the shard drains';
  if (isParking) return 'A9: the shard lets go of the run';
  if (isStopped) return 'A5: the shard knows that the run was stopped';
  if (isDeleted) return 'I8: the endpoint was deleted';
  if (!settings!.active) return 'I8: the endpoint was paused';
  if (settings!.url !== url || settings!.method.toUpperCase() !== method)
    return 'I8: the endpoint has another URL or method';
  if (isSnapshot && !isSnapshotFor(settings!, run.allFeeds, planned, position))
    return 'A2: the snapshot does not match';
  if (isSnapshot && run.resend === null && settings!.snapshot !== true) return 'A11: it wants no snapshots';
  if (!isSnapshot && !isFor(settings!, run.allFeeds, planned, position)) return 'A2: the update does not match';
  if (run.mode === 'live' && isOnThisMachine(url) && !world.scenario.liveToLocalhost)
    return 'A7: a live update goes to this machine';
  return null;
}

interface Payload {
  readonly feed: string;
  readonly sequence: number;
  readonly snapshot?: boolean;
}

function wrongContent({ planned, observed }: World, attempt: SeenAttempt): string | null {
  const { headers, body, sequence, runId, startedAtMs } = attempt;
  if (attempt.attempt < 1 || attempt.attempt > ATTEMPTS_MAX) return 'I1: an attempt number out of range';
  const isSnapshot = sequence > SNAPSHOTS_FROM;
  const place = placeOf(sequence - 1);
  const update = isSnapshot ? lastBefore(planned, sequence - 1) : planned.updates[place];
  const payload = JSON.parse(new TextDecoder().decode(body)) as Payload;
  if ((payload.snapshot === true) !== isSnapshot) return 'A11: an update instead of a snapshot';
  if (payload.sequence !== planned.updates.indexOf(update!) + 1) return 'A11: the state at another place';
  if (payload.feed !== update?.feed || headers.get('x-service-feed') !== update.feed)
    return 'I6: the body of another update';
  const run = observed.runs.get(runId)!;
  if (headers.get('x-service-mode') !== run.mode) return 'I1: the mode is wrong';
  if (run.mode === 'live' && publishedBy(observed, startedAtMs) <= place) return 'I4: not published yet';
  return null;
}

function publishedBy({ published }: Observed, atMs: number): number {
  return published.findLast((part) => part.atMs <= atMs)?.length ?? 0;
}

/** I6 and I8: exactly these bytes, signed with the secret in force; for a day the previous secret signs as well. */
function wrongSignature({ settings }: Known, attempt: SeenAttempt): string | null {
  const id = attempt.headers.get('webhook-id');
  if (id !== attempt.headers.get('x-service-delivery-id')) return 'I6: two ids';
  return isSignedAs(settings!, attempt) ? null : 'I8: signed with another secret';
}

function isSignedAs({ secret, previousSecret }: EndpointSettings, { headers, body, wallMs }: SeenAttempt): boolean {
  const hex = createHmac('sha256', secret).update(body).digest('hex');
  if (headers.get('x-service-signature') !== `sha256=${hex}`) return false;
  const isTwice = previousSecret !== null && wallMs < previousSecret.untilMs;
  const previousHex = isTwice ? createHmac('sha256', previousSecret.secret).update(body).digest('hex') : null;
  if (headers.get('x-service-signature-previous') !== (previousHex === null ? undefined : `sha256=${previousHex}`))
    return false;
  const timestamp = headers.get('webhook-timestamp')!;
  if (Math.abs(Number(timestamp) * 1000 - wallMs) > 1_000 + TURN_MS) return false;
  const standard = (key: string): string =>
    `v1,${createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'))
      .update(`${headers.get('webhook-id')}.${timestamp}.`)
      .update(body)
      .digest('base64')}`;
  const secrets = [secret];
  if (isTwice) secrets.push(previousSecret.secret);
  return headers.get('webhook-signature') === secrets.map(standard).join(' ');
}

function wrongEnd({ observed }: World, { ended, startedAtMs }: SeenAttempt): string | null {
  const endedAtMs = ended?.atMs ?? Number.POSITIVE_INFINITY;
  const isLate = endedAtMs > startedAtMs + DEADLINE_MS + deadlineSlackMs(observed);
  return isLate ? 'I2: an attempt continues after its deadline' : null;
}

/** HC4: a receiver reads an attempt once, or not at all if it failed. */
function wrongRequests({ requests, ended, reaction }: SeenAttempt): string | null {
  if (requests > 1) return `HC4: a receiver got ${requests} requests`;
  if (ended?.end.kind !== 'answered' || ended.end.status === null) return null;
  if (requests === 0) return 'HC4: an answer without a request';
  const isItsAnswer = reaction.kind === 'answer' && reaction.status === ended.end.status;
  return isItsAnswer ? null : 'I3: an answer that the receiver did not give';
}

/** I4: an update of a replay is due at the replay's pace, counted from the last time the run was handed over. */
function tooEarly({ observed, planned }: World, attempt: SeenAttempt): string | null {
  const { runId, sequence, startedAtMs } = attempt;
  const handed = observed.handed.findLast((one) => one.runId === runId && one.atMs <= startedAtMs);
  if (handed === undefined) return 'I4: the run was not handed over';
  if (handed.startMs === null || attempt.attempt > 1) return null;
  const dueAtMs = handed.startMs + planned.updates[placeOf(sequence - 1)]!.dueMs / observed.runs.get(runId)!.speed;
  return startedAtMs >= dueAtMs - 1.001 ? null : `I4: not due before ${dueAtMs.toFixed(1)} ms`;
}

function deadlineSlackMs({ stalls }: Observed): number {
  return TURN_MS + stalls.reduce((sum, { forMs }) => sum + forMs, 0);
}
