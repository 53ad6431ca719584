// The feeds that endpoints can subscribe to.

import { readingTool } from './tool.ts';

/** All of them fit in one page of the API. */
const FEEDS_MAX = 100;

export const FEED_TOOLS = [
  readingTool({
    name: 'list_feeds',
    title: 'List the feeds',
    description:
      'Lists every feed with its id, name and series. availability says which plans may subscribe: free (all), live ' +
      '(Developer and higher), analytics (Custom). maturity says how far to trust a model: stable beat a simple rule, ' +
      'beta is not shown to. GET /v1/feeds has the figures, too.',
    operations: ['GET /feeds'],
    input: {},
    // The cards of the models would fill half of a conversation.
    async run(_input, { client, signal }) {
      const { feeds, ...page } = await client.listFeeds({ limit: FEEDS_MAX }, { signal });
      return { feeds: feeds.map(({ model: _, ...feed }) => feed), ...page };
    },
  }),
];
