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
      'beta is not shown to.',
    operations: ['GET /feeds'],
    input: {},
    run: (_input, { client, signal }) => client.listFeeds({ limit: FEEDS_MAX }, { signal }),
  }),
];
