// GET /v1/feeds: the whole catalogue, in every plan. `availability` says which plan a feed needs, `maturity` how far to
// trust a model, and `model` how good it was.

import { bearerOperation, type Operation, reply } from '#api/http/operation.ts';
import { pageOf } from '#api/http/page.ts';
import { FeedList } from '#schemas/http/feeds.ts';
import { pageQuery } from '#schemas/http/page.ts';
import { maturityOf } from '#schemas/webhook/maturity.ts';
import type { FeedCatalogue } from './feed-catalogue.ts';
import { modelCardOf } from './model-cards.ts';

/** More than there are, so that the whole catalogue is one page. */
const FEEDS_OF_PAGE = 100;

export function feedRoutes(catalogue: FeedCatalogue): { readonly list: Operation } {
  return {
    list: bearerOperation(
      { summary: 'List the feeds', query: pageQuery(500, FEEDS_OF_PAGE), answer: FeedList },
      async ({ query }) => {
        const { limit, offset } = pageOf(query, FEEDS_OF_PAGE);
        const feeds = catalogue.feeds.slice(offset, offset + limit).map(({ feedId, name, seriesId, availability }) => {
          const [maturity, model] = [maturityOf(feedId), modelCardOf(feedId)];
          return {
            feedId,
            name,
            seriesId,
            availability,
            ...(maturity !== undefined && { maturity }),
            ...(model !== undefined && { model }),
          };
        });
        return reply({ data: { feeds, total: catalogue.feeds.length, limit, offset } });
      },
    ),
  };
}
