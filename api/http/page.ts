// Where a page of a list begins, and how long it is.

import { PAGE_ITEMS } from '#schemas/http/page.ts';

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** The page that the query asks for, with the default that its schema names. */
export function pageOf(query: { readonly limit?: number; readonly offset?: number }, limitDefault = PAGE_ITEMS): Page {
  return { limit: query.limit ?? limitDefault, offset: query.offset ?? 0 };
}
