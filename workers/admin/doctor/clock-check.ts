// Checks the clock: receivers refuse signatures with a wrong time, and the clock decides the day and month of every
// record.

import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DOCTOR_TIME_SERVICE_MS } from '#engine/base/limits.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { type Found, ok, problem, unknown, warning } from './finding.ts';

const YEAR_MIN = 2026;
const YEAR_MAX = 2100;
const WATCHED_MS = 200;
const STEP_MS_MAX = 50;
/**
 * Above the first a difference is a problem, because receivers check the time of signatures; above the second, a
 * warning.
 */
const OFF_MS_MAX = 60_000;
const OFF_MS_WISE = 1_000;
const SYNC = 'Run a time service (systemd-timesyncd, chrony).';

export async function checkClock(nowMs: () => number = Date.now): Promise<readonly Found[]> {
  const year = new Date(nowMs()).getUTCFullYear();
  if (year < YEAR_MIN || year > YEAR_MAX) return [problem(`the clock shows the year ${year}`, `Set it. ${SYNC}`)];
  return Promise.all([checkSteps(nowMs), checkSynchronised()]);
}

async function checkSteps(nowMs: () => number): Promise<Found> {
  const [wall, monotonic] = [nowMs(), performance.now()];
  await pause(WATCHED_MS);
  const stepMs = nowMs() - wall - (performance.now() - monotonic);
  if (Math.abs(stepMs) <= STEP_MS_MAX) return ok(`the clock runs evenly and shows ${new Date(nowMs()).toISOString()}`);
  return warning(
    `the clock jumped by ${Math.round(stepMs)} ms within ${WATCHED_MS} ms`,
    `Two programs may be setting it. ${SYNC}`,
  );
}

async function checkSynchronised(): Promise<Found> {
  const asked = promisify(execFile)('timedatectl', ['show', '-p', 'NTPSynchronized', '--value'], {
    timeout: DOCTOR_TIME_SERVICE_MS,
  });
  const answer = await asked.then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
  if (answer === 'yes') return ok('the system reports that the clock is synchronised');
  if (answer === 'no') return warning('the system reports that the clock is not synchronised', SYNC);
  return unknown('cannot check whether the clock is synchronised (timedatectl does not say)', SYNC);
}

/** Compares this machine's clock with that of the database, because records hold times of both. */
export async function checkClockOfDatabase(sql: Sql, nowMs: () => number = Date.now): Promise<Found> {
  const before = nowMs();
  const [row] = await sql<{ ms: number }[]>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`;
  const offMs = row!.ms - (before + nowMs()) / 2;
  return offFinding('the clock of the database', offMs, 'the clock agrees with that of the database');
}

/** `aheadMs`: how far the clock of a node is ahead of the database's. */
export function clockFinding(node: string, aheadMs: number): Found {
  return offFinding(`the clock of ${node}`, aheadMs, `the clock of ${node} agrees with that of the database`);
}

function offFinding(what: string, aheadMs: number, agrees: string): Found {
  const text = `${what} is ${Math.abs(aheadMs / 1_000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead'}`;
  if (Math.abs(aheadMs) > OFF_MS_MAX) return problem(text, `Correct the one that is wrong. ${SYNC}`);
  if (Math.abs(aheadMs) > OFF_MS_WISE) return warning(text, SYNC);
  return ok(agrees);
}
