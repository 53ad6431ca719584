// The frame of every page: head, search, contents, the page itself. Addresses are relative, so that it works below a
// proxy's path. Without the page's script everything but the search is there.

import { escapeHtml } from '#engine/base/html-escape.ts';
import type { PortalPage } from './portal-page.ts';

/** A group of the contents. */
export interface ContentsGroup {
  readonly title: string;
  readonly entries: readonly { readonly path: string; readonly title: string }[];
}

export interface Frame {
  readonly contents: readonly ContentsGroup[];
  /** Of the files, with which their addresses change when they do. */
  readonly version: string;
}

export function pageHtml(page: PortalPage, { contents, version }: Frame): string {
  const { path, title, summary, headings } = page;
  const root = rootOf(path);
  // The first page is `/docs` itself, so its neighbours are below it.
  const home = path === '' ? 'docs' : `${root}../docs`;
  const groups = contents.map(
    (group) =>
      `<h2>${escapeHtml(group.title)}</h2><ul>${group.entries.map((entry) => entryHtml(entry, path, root)).join('')}</ul>`,
  );
  const sections = headings.filter(({ depth }) => depth === 2);
  const onThisPage =
    sections.length < 2
      ? ''
      : `<nav class="sections" aria-label="On this page"><h2>On this page</h2><ul>${sections.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`).join('')}</ul></nav>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(path === '' ? 'Slipstream documentation' : `${title} · Slipstream`)}</title>
<meta name="description" content="${escapeHtml(summary)}">
<link rel="icon" type="image/png" href="${root}favicon-32x32.png">
<link rel="stylesheet" href="${root}portal.css?v=${version}">
<script src="${root}portal.js?v=${version}" defer></script>
</head>
<body data-root="${root}">
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${home}">Slipstream <span>docs</span></a>
<form id="search" role="search" hidden>
<input type="search" placeholder="Search  ( / )" aria-label="Search the documentation" autocomplete="off" spellcheck="false"
  role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list">
<ul id="found" role="listbox" aria-label="Pages found" hidden></ul>
</form>
<button class="menu" type="button" popovertarget="contents">Contents</button>
</header>
<nav id="contents" popover aria-label="Contents">${groups.join('\n')}</nav>
<main id="content">
<h1>${escapeHtml(title)}</h1>
<p class="summary">${escapeHtml(summary)}</p>
${page.content(root)}</main>
${onThisPage}
</body>
</html>
`;
}

/** Leads from a page to the folder of the portal, where its files are. */
export function rootOf(path: string): string {
  if (path === '') return 'docs/';
  return '../'.repeat(path.split('/').length - 1);
}

function entryHtml({ path, title }: { path: string; title: string }, current: string, root: string): string {
  const here = path === current ? ' aria-current="page"' : '';
  return `<li><a href="${root}${path}"${here}>${escapeHtml(title)}</a></li>`;
}
