// A scenario as text, for people.

import type { Scenario, ScenarioEvent } from './scenario.ts';

export function scenarioText(scenario: Scenario): string {
  const { shards, messageMsMax, checkpointsAtOnceMax, sendingMs, overSockets, startWallMs } = scenario;
  const { faultsEndMs, timeline, liveAtMs, snapshotsFail } = scenario;
  const lines = [
    `${shards} shard(s) that write ${checkpointsAtOnceMax} checkpoint(s) at once; messages take up to ${messageMsMax} ms, sending takes ${sendingMs} ms${overSockets ? ', over sockets' : ''}; it is ${new Date(startWallMs).toISOString()}`,
    `${timeline.updates} updates, one every ${timeline.everyMs} ms${timeline.bursts ? ', in bursts' : ''} (timeline ${timeline.seed})`,
    ...scenario.accounts
      .filter(({ left }) => left !== null)
      .map(({ name, left }) => `${name} has ${left} attempts left`),
    ...scenario.endpoints.map(({ name, account, temper, bornMs, atEnd, loopback, snapshot, filters, feeds }) => {
      const birth = atEnd ? `, created ${bornMs} ms before the end` : bornMs > 0 ? `, created at ${bornMs} ms` : '';
      const subscribed = feeds.map(({ feedId, filters: own }) => `${feedId}${braced(own)}`).join(' ');
      return `${name} of ${account}, ${temper}${loopback ? ', on this machine' : ''}${snapshot ? ', with snapshots' : ''}${birth}${braced(filters)}: ${subscribed}`;
    }),
    ...(liveAtMs === null ? [] : [`${liveAtMs} ms: the live session begins`]),
    ...scenario.replays.map(
      ({ name, account, atMs, speed, allFeeds, ordered, chosen }) =>
        `${atMs} ms: ${name} of ${account} begins at speed ${speed}${allFeeds ? ', all feeds' : ''}${ordered ? ', ordered' : ''}${chosen === null ? '' : `, to ${chosen.join(' ')}`}`,
    ),
    ...scenario.events.map(({ atMs, ...event }) => `${atMs} ms: ${eventText(event)}`),
    ...(snapshotsFail === 0 ? [] : [`of questions for snapshots, ${snapshotsFail} fail`]),
    `${faultsEndMs} ms: all faults end`,
  ];
  return lines.map((line) => `  ${line}`).join('\n');
}

const braced = (filters: object): string => (Object.keys(filters).length === 0 ? '' : ` ${JSON.stringify(filters)}`);

function eventText({ kind, ...rest }: Omit<ScenarioEvent, 'atMs'>): string {
  const values = Object.entries(rest).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return [kind, ...values].join(', ');
}
