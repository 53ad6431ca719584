// Where a page of a list begins, and how long it is.

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** The page that the query asks for, with defaults. */
export function pageOf(query: { readonly limit?: number; readonly offset?: number }, limitDefault: number): Page {
  return { limit: query.limit ?? limitDefault, offset: query.offset ?? 0 };
}
