// Several PostgreSQL servers of which one takes writes: a primary and its standbys. Which one it is, all threads of the
// process know from shared memory, so that what one of them finds out is soon true for all.

import { DATABASE_SERVERS_MAX } from '#engine/base/limits.ts';

export interface DatabaseServer {
  /** A host name or address. */
  readonly host: string;
  readonly port: number;
}

export interface ServerGroup {
  readonly servers: readonly DatabaseServer[];
  /** Shared by all threads. Use the functions below. */
  readonly cells: Int32Array<SharedArrayBuffer>;
}

/** Which server takes writes, at one moment. */
export interface Primary {
  /** Of the server in the group; null while it is not known. */
  readonly index: number | null;
  /** Changes with each finding. */
  readonly token: number;
}

/** A finding: a number that counts them, and in its last digits the server's index + 1, or 0. */
const FINDING = 0;
const NEWEST_TIMELINE = 1;
const DIGITS = 2 ** Math.ceil(Math.log2(DATABASE_SERVERS_MAX + 1));

export function serverGroup(servers: readonly DatabaseServer[]): ServerGroup {
  return { servers, cells: new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) };
}

/** The server that takes writes, as far as this process knows. */
export function primaryOf({ cells }: ServerGroup): Primary {
  const token = Atomics.load(cells, FINDING);
  return { index: indexOf(token), token };
}

/** Makes it unknown who takes writes, unless there is a newer finding than this one. */
export function doubtPrimary({ cells }: ServerGroup, token: number): void {
  if (indexOf(token) !== null) Atomics.compareExchange(cells, FINDING, token, next(token, 0));
}

/**
 * The newest timeline on which a server of this group took writes. PostgreSQL begins a new one with each promotion, so a
 * server that takes writes on an older one has been replaced.
 */
export function newestTimeline({ cells }: ServerGroup): number {
  return Atomics.load(cells, NEWEST_TIMELINE);
}

/** Tells all threads that this server takes writes. Without effect if a newer timeline is known. */
export function announcePrimary(group: ServerGroup, index: number, timeline: number): void {
  const { cells } = group;
  for (let newest = newestTimeline(group); newest !== timeline; newest = newestTimeline(group)) {
    if (newest > timeline) return;
    Atomics.compareExchange(cells, NEWEST_TIMELINE, newest, timeline);
  }
  for (let { token, ...known } = primaryOf(group); known.index !== index; { token, ...known } = primaryOf(group))
    Atomics.compareExchange(cells, FINDING, token, next(token, index + 1));
}

function indexOf(token: number): number | null {
  const digit = token % DIGITS;
  return digit === 0 ? null : digit - 1;
}

function next(token: number, digit: number): number {
  return ((Math.floor(token / DIGITS) + 1) % 2 ** 26) * DIGITS + digit;
}

/** `db1:5432`, an IPv6 address in brackets. */
export function serverText({ host, port }: DatabaseServer): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
