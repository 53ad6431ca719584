// What operators look at first, and when it needs them: the limits are those of the metrics in docs/operating.md.

import type { OperatorsOverview, ShardFigures } from '#schemas/http/operators.ts';
import { operatorsText } from '../text/text.ts';
import { bytes, duration, whole } from './figures.ts';

export interface Tile {
  readonly label: string;
  readonly value: string;
  readonly detail: string;
  /** `plain`: a figure that is neither good nor bad. */
  readonly state: 'good' | 'warn' | 'bad' | 'plain';
}

const text = operatorsText.tiles;

const THREAD_SILENT_MS = 10_000;
const DATABASE_SLOW_MS = 100;
const WAITING_LONG_MS = 10_000;
const MAILBOX_UPDATES = 256;
const FRAME_LATE_MS = 120_000;
const DISK_SHARE_LOW = 0.1;
const FILES_SHARE_HIGH = 0.8;

export function tilesOf(now: OperatorsOverview): readonly Tile[] {
  return [threads(now), database(now), records(now), mailboxes(now), actors(now), ...others(now)];
}

function threads({ threads: all }: OperatorsOverview): Tile {
  const begun = all.filter(({ silentMs }) => silentMs !== null);
  const names = (those: typeof all): string => those.map(({ name }) => name).join(', ');
  const silent = begun.filter(({ silentMs }) => silentMs! > THREAD_SILENT_MS);
  const restarted = begun.filter(({ starts }) => starts > 1);
  const tile = { label: text.threads, value: whole(begun.length - silent.length) };
  if (silent.length > 0) return { ...tile, state: 'bad', detail: text.threadsSilent(names(silent)) };
  if (restarted.length > 0) return { ...tile, state: 'warn', detail: text.threadsRestarted(names(restarted)) };
  return { ...tile, state: 'good', detail: text.threadsFine };
}

function database({ database: answer }: OperatorsOverview): Tile {
  const label = text.database;
  if (answer === null) return { label, value: operatorsText.notKnown, state: 'bad', detail: text.databaseAway };
  const state = answer.answerMs > DATABASE_SLOW_MS ? 'warn' : 'good';
  return { label, value: duration(answer.answerMs), state, detail: text.databaseDetail(answer.connections) };
}

function records({ shards }: OperatorsOverview): Tile {
  const ageMs = most(shards, 'recordMs');
  const waiting = sum(shards, 'recordAttempts');
  const detail = waiting === 0 ? text.recordsEmpty : text.recordsDetail(duration(ageMs));
  return { label: text.records, value: whole(waiting), state: ageMs > WAITING_LONG_MS ? 'bad' : 'good', detail };
}

function mailboxes({ shards }: OperatorsOverview): Tile {
  const ageMs = most(shards, 'queuedMs');
  const fullest = most(shards, 'mailboxMost');
  const waiting = sum(shards, 'mailbox');
  const detail = waiting === 0 ? text.mailboxesEmpty : text.mailboxesDetail(fullest, duration(ageMs));
  const isLate = ageMs > WAITING_LONG_MS || fullest >= MAILBOX_UPDATES;
  return { label: text.mailboxes, value: whole(waiting), state: isLate ? 'warn' : 'good', detail };
}

function actors({ shards }: OperatorsOverview): Tile {
  const detail = text.actorsDetail(sum(shards, 'inFlight'), sum(shards, 'retrying'));
  return { label: text.actors, value: whole(sum(shards, 'actors')), state: 'plain', detail };
}

function others(now: OperatorsOverview): Tile[] {
  const { shards, streams, live, disk, memoryBytes, files } = now;
  const open = sum(shards, 'breakersOpen');
  const tiles: Tile[] = [
    { label: text.breakers, value: whole(open), state: open > 0 ? 'warn' : 'good', detail: text.breakersDetail },
    { label: text.live, value: whole(live.sessions.length), ...liveState(live) },
    {
      label: text.streams,
      value: whole(sum(streams, 'open')),
      state: 'plain',
      detail: text.streamsDetail(sum(streams, 'blocked')),
    },
  ];
  if (disk !== null) {
    const state = disk.freeBytes / disk.bytes < DISK_SHARE_LOW ? 'bad' : 'good';
    tiles.push({ label: text.disk, value: bytes(disk.freeBytes), state, detail: text.diskDetail(bytes(disk.bytes)) });
  }
  const isFull = files !== null && files.open / files.most > FILES_SHARE_HIGH;
  const detail = files === null ? '' : text.memoryDetail(files.open, files.most);
  tiles.push({ label: text.memory, value: bytes(memoryBytes), state: isFull ? 'bad' : 'plain', detail });
  return tiles;
}

function liveState({ connected, sessions }: OperatorsOverview['live']): Pick<Tile, 'state' | 'detail'> {
  if (connected === false) return { state: 'warn', detail: text.liveDisconnected };
  if (sessions.length === 0) return { state: 'plain', detail: text.liveNone };
  const ageMs = Math.max(...sessions.map(({ silentMs }) => silentMs));
  return { state: ageMs > FRAME_LATE_MS ? 'warn' : 'good', detail: text.liveDetail(duration(ageMs)) };
}

function sum<Name extends string>(all: readonly Readonly<Record<Name, number>>[], name: Name): number {
  return all.reduce((added, figures) => added + figures[name], 0);
}

function most(shards: readonly ShardFigures[], name: keyof ShardFigures): number {
  return Math.max(0, ...shards.map((figures) => figures[name]));
}
