// A page of the portal, before it stands in the template.

export interface Heading {
  readonly id: string;
  /** Plain text. */
  readonly text: string;
  /** 2 or 3. */
  readonly depth: number;
  /** Further words by which the search finds it. */
  readonly words?: string;
}

export interface PortalPage {
  /** Below `/docs`, without a leading slash: empty, `verifying`, `feeds/timing.data`. */
  readonly path: string;
  readonly title: string;
  /** One sentence for search results and the head of the page. Plain text. */
  readonly summary: string;
  readonly headings: readonly Heading[];
  /** Further words by which the search finds the page. */
  readonly words?: readonly string[];
  /** `root`: leads from the page to the folder of the portal, `../` or nothing. */
  readonly content: (root: string) => string;
}
