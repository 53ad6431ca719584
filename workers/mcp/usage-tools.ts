// What the account has used this month, and how punctual live deliveries were.

import { SlaQuery } from '#schemas/http/usage.ts';
import { readingTool } from './tool.ts';

export const USAGE_TOOLS = [
  readingTool({
    name: 'get_usage',
    title: "Read this month's usage",
    description:
      'Counts the deliveries of this calendar month (UTC) with the limits of the plan, and says how many different ' +
      'sessions the account has replayed and may replay (-1: unlimited).',
    operations: ['GET /usage', 'GET /simulate/quota'],
    input: {},
    async run(_input, { client, signal }) {
      const [usage, replayedSessions] = await Promise.all([
        client.getUsage({ signal }),
        client.getSimulateQuota({ signal }),
      ]);
      return { ...usage, replayedSessions };
    },
  }),
  readingTool({
    name: 'get_usage_by_feed',
    title: "Read this month's usage and latency by feed",
    description:
      'Counts the deliveries of this month for each feed, with the time in milliseconds from when an update was due to ' +
      'its 2xx, retries included: p50, p95, p99.',
    operations: ['GET /usage/by-feed', 'GET /usage/latency'],
    input: {},
    async run(_input, { client, signal }) {
      const [{ byFeed, windowStart }, latency] = await Promise.all([
        client.getUsageByFeed({ signal }),
        client.getUsageLatency({ signal }),
      ]);
      const latencies = new Map(latency.byFeed.map(({ feedId, ...times }) => [feedId, times]));
      return { byFeed: byFeed.map((feed) => ({ ...feed, latency: latencies.get(feed.feedId) ?? null })), windowStart };
    },
  }),
  readingTool({
    name: 'get_sla',
    title: 'Read how punctual live deliveries were',
    description:
      'Shows how many updates of live sessions were due in a month, and how many were begun within a second. What the ' +
      'service is not to blame for is excluded, and counted by reason. Custom only.',
    operations: ['GET /usage/sla'],
    input: SlaQuery.properties,
    run: (input, { client, signal }) => client.getSla(input, { signal }),
  }),
];
