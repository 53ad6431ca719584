// The documentation for customers, made of docs/, the schemas, the feed catalogue and the OpenAPI document. Its sources
// are read at the start of the service, which waits for nothing else: pages are made when one is first asked for.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { DocumentSettings } from '#api/docs/document-settings.ts';
import type { JsonObject } from '#api/docs/named-schemas.ts';
import { escapeHtml } from '#engine/base/html-escape.ts';
import type { Feed } from '#schemas/webhook/feeds.ts';
import { withErrorCodes } from './error-codes.ts';
import { type RaceFigures, raceFigures } from './feed-figures.ts';
import { feedPages } from './feed-pages.ts';
import { guidePages, guideTexts } from './guide-pages.ts';
import { type ContentsGroup, pageHtml } from './page-template.ts';
import { withPlanTable } from './plan-table.ts';
import type { PortalPage } from './portal-page.ts';
import { referencePages } from './reference-pages.ts';
import { searchIndex } from './search-index.ts';

export interface PortalSettings extends DocumentSettings {
  readonly publicUrl: string | undefined;
  readonly feeds: readonly Feed[];
}

export interface PortalFile {
  readonly contentType: string;
  readonly content: Uint8Array;
}

const FILES: Readonly<Record<string, string>> = {
  'portal.css': 'text/css; charset=utf-8',
  'portal.js': 'text/javascript; charset=utf-8',
};

/** All pages, not yet rendered. */
interface Site {
  readonly contents: readonly ContentsGroup[];
  /** By path below `/docs`. */
  readonly pages: ReadonlyMap<string, PortalPage>;
}

export class Portal {
  /** The files of its pages, by name. */
  readonly files: ReadonlyMap<string, PortalFile>;
  readonly #version: string;
  readonly #makeSite: () => Site;
  #madeSite: Site | null = null;
  /** As many as there are pages. */
  readonly #rendered = new Map<string, Uint8Array>();
  #searchRows: Uint8Array | null = null;

  constructor(document: JsonObject, settings: PortalSettings) {
    this.files = new Map(
      Object.entries(FILES).map(([name, contentType]) => {
        const content = readFileSync(new URL(`files/${name}`, import.meta.url));
        return [name, { contentType, content }];
      }),
    );
    const digest = createHash('sha256');
    for (const { content } of this.files.values()) digest.update(content);
    this.#version = digest.digest('hex').slice(0, 12);

    const texts = guideTexts();
    const race = raceFigures();
    this.#makeSite = () => siteOf(texts, race, document, settings);
  }

  /** A page as HTML; undefined if there is none. */
  page(path: string): Uint8Array | undefined {
    const { pages, contents } = this.#site;
    const page = pages.get(path);
    if (page === undefined) return undefined;
    let html = this.#rendered.get(path);
    if (html === undefined) {
      html = Buffer.from(pageHtml(page, { contents, version: this.#version }));
      this.#rendered.set(path, html);
    }
    return html;
  }

  /** What the search looks through, as JSON. */
  get search(): Uint8Array {
    const pages = [...this.#site.pages.values()].filter(({ path }) => path !== '');
    this.#searchRows ??= Buffer.from(JSON.stringify(searchIndex(pages, kindOf)));
    return this.#searchRows;
  }

  get #site(): Site {
    this.#madeSite ??= this.#makeSite();
    return this.#madeSite;
  }
}

function siteOf(
  texts: ReadonlyMap<string, string>,
  race: RaceFigures,
  document: JsonObject,
  settings: PortalSettings,
): Site {
  const guides = guidePages(texts, settings).map(withErrorCodes).map(withPlanTable);
  const feeds = feedPages(settings.feeds, race);
  const reference = referencePages(document);
  const contents = [
    { title: 'Guides', entries: guides },
    { title: 'Reference', entries: reference },
    {
      title: 'Feeds',
      entries: feeds.map((page) => ({ ...page, title: page.path === 'feeds' ? 'All feeds' : page.title })),
    },
  ];
  const pages = [homePage(contents), ...guides, ...reference, ...feeds];
  return { contents, pages: new Map(pages.map((page) => [page.path, page])) };
}

function kindOf({ path }: PortalPage): string {
  const [folder, name] = path.split('/');
  if (name === undefined) return 'guide';
  return folder === 'feeds' ? 'feed' : 'reference';
}

function homePage(contents: readonly ContentsGroup[]): PortalPage {
  const [guides, reference] = contents;
  const cards = (group: ContentsGroup, root: string): string =>
    `<ul class="cards">${group.entries.map(({ path, title, ...page }) => `<li><a href="${root}${path}"><strong>${escapeHtml(title)}</strong> ${escapeHtml((page as PortalPage).summary)}</a></li>`).join('')}</ul>\n`;
  return {
    path: '',
    title: 'Documentation',
    summary: 'Race data by webhook: timing, race control, race events and more, as signed JSON to your own endpoints.',
    headings: [],
    content: (root) => `<p class="start"><a class="button" href="${root}quickstart">Start here: the quickstart</a>
<a class="button second" href="${root}feeds">See the feeds</a> <a class="button second" href="${root}try">Try the API</a></p>
<h2>Guides</h2>${cards(guides!, root)}<h2>Reference</h2>${cards(reference!, root)}`,
  };
}
