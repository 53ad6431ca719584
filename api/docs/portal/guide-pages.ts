// The pages of the guides: sections of the documents, with links between them that lead to where a section is shown.

import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { GUIDES, type Guide } from './guides.ts';
import { type Section, sectionHtml, sectionsOf, wordsOf } from './marked-document.ts';
import type { PortalPage } from './portal-page.ts';

/** What the documents call by default names and a service by its own. */
export interface GuideSettings {
  readonly headerPrefix: string;
  /** Where customers reach the service; undefined: the page's script fills it in. */
  readonly publicUrl: string | undefined;
}

interface Shown {
  readonly file: string;
  readonly section: Section;
  /** By anchor in the document: anchor on the page. */
  readonly ids: ReadonlyMap<string, string>;
}

const FILES: readonly string[] = [...new Set(GUIDES.flatMap(({ parts }) => parts.map(({ file }) => file)))];
const EXTERNAL = /^https?:/;

/** The documents that the guides are made of, by name. Read them at the start: a later upgrade may take them away. */
export function guideTexts(): ReadonlyMap<string, string> {
  return new Map(
    FILES.map((file) => [file, readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8')] as const),
  );
}

export function guidePages(texts: ReadonlyMap<string, string>, settings: GuideSettings): readonly PortalPage[] {
  const documents = new Map([...texts].map(([file, text]) => [file, sectionsOf(ownNames(text, settings))]));
  const shown = new Map(GUIDES.map((guide) => [guide, shownBy(guide, documents)]));
  /** `receiving.md#verify` -> `verifying#verify`. */
  const places = new Map<string, string>();
  for (const [{ path }, parts] of shown) {
    for (const { file, section, ids } of parts) {
      if (section.title === '' || !places.has(file)) places.set(file, path);
      for (const [own, anchor] of ids) places.set(`${file}#${own}`, `${path}#${anchor}`);
    }
  }
  return [...shown]
    .filter(([, parts]) => parts.length > 0)
    .map(([{ path, title, summary }, parts]) => ({
      path,
      title,
      summary,
      headings: parts.flatMap(({ section, ids }) =>
        section.headings.map((heading) => ({
          ...heading,
          id: ids.get(heading.id)!,
          ...(heading.depth === 2 && { words: wordsOf(section) }),
        })),
      ),
      content: (root) =>
        parts
          .map(({ file, section, ids }) => sectionHtml(section, ids, (href) => linked(href, file, root, places)))
          .join(''),
    }));
}

/** Where a link of a document leads: a place of the portal, another host, or null for a document that is not here. */
function linked(href: string, file: string, root: string, places: ReadonlyMap<string, string>): string | null {
  if (EXTERNAL.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = path === '' ? file : posix.normalize(path);
  const place = places.get(anchor === undefined ? target : `${target}#${anchor}`);
  return place === undefined ? null : root + place;
}

function shownBy({ parts }: Guide, documents: ReadonlyMap<string, readonly Section[]>): Shown[] {
  const taken = new Set<string>();
  return parts.flatMap(({ file, sections }) => {
    const all = documents.get(file)!;
    const wanted =
      sections === undefined
        ? all.filter(({ title }) => !isNamed(file, title))
        : sections
            .map((title) => all.find((section) => section.title === title))
            .filter((found) => found !== undefined);
    return wanted
      .filter(({ tokens }) => tokens.some(({ type }) => type !== 'space'))
      .map((section) => ({ file, section, ids: new Map(section.headings.map(({ id }) => [id, freeId(id, taken)])) }));
  });
}

/** Whether a guide shows the section under its name. */
function isNamed(file: string, title: string): boolean {
  return GUIDES.some(({ parts }) =>
    parts.some((part) => part.file === file && part.sections?.includes(title) === true),
  );
}

function freeId(id: string, taken: Set<string>): string {
  let free = id;
  for (let count = 2; taken.has(free); count++) free = `${id}-${count}`;
  taken.add(free);
  return free;
}

function ownNames(text: string, { headerPrefix, publicUrl }: GuideSettings): string {
  const named = text.replaceAll('X-Service', headerPrefix).replaceAll('x-service', headerPrefix.toLowerCase());
  return publicUrl === undefined ? named : named.replaceAll(/(?:http:\/\/)?localhost:8080/g, publicUrl);
}
