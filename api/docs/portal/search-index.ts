// What the search of the portal looks through: pages, their headings, operations and error codes. The page's script reads
// it when somebody searches.

import type { PortalPage } from './portal-page.ts';

/** A row: where it leads, below `/docs`; what it is called; what kind of thing it is; more words that find it. */
export type SearchRow = readonly [place: string, title: string, kind: string, words: string];

export function searchIndex(pages: readonly PortalPage[], kindOf: (page: PortalPage) => string): SearchRow[] {
  return pages.flatMap((page): SearchRow[] => {
    const { path, title, summary, headings, words = [] } = page;
    const kind = kindOf(page);
    const own: SearchRow = [path, title, kind, [summary, ...words].join(' ')];
    // Feeds have the same headings.
    if (kind === 'feed') return [own];
    return [own, ...headings.map(({ id, text, words = '' }): SearchRow => [`${path}#${id}`, text, title, words])];
  });
}
