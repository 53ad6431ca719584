// A document of docs/ in sections, and a section as HTML.

import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '#engine/base/html-escape.ts';
import { codeBlock } from './html.ts';
import type { Heading } from './portal-page.ts';

export interface Section {
  /** Its heading; empty for the text before the first one. */
  readonly title: string;
  readonly tokens: readonly Token[];
  /** Its own heading and those below, in order. */
  readonly headings: readonly Heading[];
}

/** Where a link of a document leads on the portal; null: nowhere that customers see. */
export type Links = (href: string) => string | null;

const OPERATORS = /<!-- operators -->.*?<!-- \/operators -->\n*/gs;
const marked = new Marked();

/** Splits a document at its headings of the second level. Its title is left out: pages have their own. */
export function sectionsOf(text: string): Section[] {
  const tokens = marked.lexer(text.replaceAll(OPERATORS, ''));
  const seen = new Map<string, number>();
  const sections: { title: string; tokens: Token[]; headings: Heading[] }[] = [{ title: '', tokens: [], headings: [] }];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const { depth } = token as Tokens.Heading;
      const text = plain(token.text);
      const id = anchorOf(text, seen);
      if (depth === 1) continue;
      if (depth === 2) sections.push({ title: text, tokens: [], headings: [] });
      sections.at(-1)!.headings.push({ id, text, depth });
    }
    sections.at(-1)!.tokens.push(token);
  }
  return sections;
}

/** The different words of the section's prose, without those of up to three letters. */
export function wordsOf({ tokens }: Section): string {
  const prose = tokens.filter(({ type }) => type !== 'code' && type !== 'html').map(({ raw }) => raw);
  const words =
    prose
      .join(' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}_.-]{4,}/gu) ?? [];
  return [...new Set(words.map((word) => word.replace(/[.-]+$/, '')))].join(' ');
}

/** The section as HTML. `ids`: the anchors of its headings on the page. */
export function sectionHtml({ tokens, headings }: Section, ids: ReadonlyMap<string, string>, links: Links): string {
  const own = new Marked({ gfm: true });
  let heading = 0;
  own.use({
    renderer: {
      heading({ tokens: inline, depth }) {
        const { id } = headings[heading++]!;
        const anchor = ids.get(id) ?? id;
        return `<h${depth} id="${anchor}"><a href="#${anchor}">${this.parser.parseInline(inline)}</a></h${depth}>\n`;
      },
      link({ href, tokens: inline }) {
        const text = this.parser.parseInline(inline);
        const place = links(href);
        return place === null ? text : `<a href="${escapeHtml(place)}">${text}</a>`;
      },
      code: ({ text, lang }) => codeBlock(text, languageName(lang ?? '')),
      html: () => '',
      table(token) {
        // Wide tables scroll by themselves, so that the page does not.
        return `<div class="table" tabindex="0">${tableHtml(token, (inline) => this.parser.parseInline(inline))}</div>\n`;
      },
    },
  });
  return grouped(tokens)
    .map((part) => (Array.isArray(part) ? samples(own.parser(part)) : own.parser([part as Token])))
    .join('');
}

/** Consecutive blocks in several languages stand together: the page's script makes tabs of them. */
function grouped(tokens: readonly Token[]): (Token | Token[])[] {
  const parts: (Token | Token[])[] = [];
  for (const token of tokens) {
    if (token.type === 'space' || token.type === 'html') continue;
    const before = parts.at(-1);
    const last = Array.isArray(before) ? before.at(-1) : before;
    const language = last === undefined ? undefined : programOf(last);
    const joins = language !== undefined && programOf(token) !== undefined && programOf(token) !== language;
    if (!joins) parts.push(token);
    else if (Array.isArray(before)) before.push(token);
    else parts[parts.length - 1] = [last!, token];
  }
  return parts;
}

const samples = (html: string): string => `<div class="samples">${html}</div>\n`;

const LANGUAGES: Readonly<Record<string, string>> = {
  ts: 'TypeScript',
  js: 'JavaScript',
  python: 'Python',
  go: 'Go',
  php: 'PHP',
  ruby: 'Ruby',
  sh: 'Shell',
  bash: 'Shell',
  json: 'JSON',
  http: 'HTTP',
  text: 'Output',
};
/** What is no program is never an alternative to one. */
const PROGRAMS: ReadonlySet<string> = new Set(['ts', 'js', 'python', 'go', 'php', 'ruby', 'sh', 'bash']);

/** The language of a program; undefined for anything else. */
function programOf(token: Token): string | undefined {
  const language = token.type === 'code' ? (token as Tokens.Code).lang : undefined;
  return language !== undefined && PROGRAMS.has(language) ? language : undefined;
}

function languageName(language: string): string {
  return LANGUAGES[language] ?? language;
}

function tableHtml({ header, rows }: Tokens.Table, inline: (tokens: Token[]) => string): string {
  const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
    `<tr>${cells.map(({ tokens }) => `<${tag}>${inline(tokens)}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${row(header, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table>`;
}

/** As GitHub makes it, so that links of the documents work in both places. */
function anchorOf(text: string, seen: Map<string, number>): string {
  const slug = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  const count = seen.get(slug) ?? 0;
  seen.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

function plain(text: string): string {
  return text.replaceAll(/[`*]/g, '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}
