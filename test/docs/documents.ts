// The documents of the project as their readers find them: texts, links, headings and blocks of code.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A block of code. */
export interface Block {
  /** Of its first line, from 1. */
  readonly line: number;
  /** `sh`, `ts`; empty where none is named, and for an indented block. */
  readonly language: string;
  /** What `<!-- test: ... -->` before it says; null without. */
  readonly mark: string | null;
  readonly text: string;
}

/** Paths of all Markdown files, from the project's folder. */
export function documentPaths(): string[] {
  return globSync('**/*.md', { cwd: ROOT, exclude: (path) => /^(node_modules|\.\w+)$/.test(path) }).sort();
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The fenced blocks of a text. */
export function blocks(text: string): Block[] {
  const found: Block[] = [];
  const pattern = /(?:^<!-- test: ([^\n]+) -->\n\n?)?^```(\w*)[^\n]*\n(.*?)^```$/gms;
  for (const { index, 1: mark, 2: language, 3: code } of text.matchAll(pattern)) {
    found.push({ line: text.slice(0, index).split('\n').length, language: language!, mark: mark ?? null, text: code! });
  }
  return found;
}

/** The text without its blocks of code, whether fenced or indented; every line stays on its line. */
export function prose(text: string): string {
  const unfenced = text.replaceAll(/^```.*?^```$/gms, (block) => block.replaceAll(/[^\n]/g, ''));
  return unfenced.replaceAll(/(?<=\n\n)(?: {4}[^\n]*\n|\n)+/g, (block) => block.replaceAll(/[^\n]/g, ''));
}

/** What stands in blocks of code, fenced or indented. */
export function code(text: string): string {
  const plain = prose(text).split('\n');
  return text
    .split('\n')
    .filter((line, index) => line !== plain[index])
    .join('\n');
}

/** The anchors of a text's headings, as GitHub makes them. */
export function anchors(text: string): Set<string> {
  const seen = new Map<string, number>();
  const found = new Set<string>();
  for (const [, heading] of prose(text).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    found.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return found;
}
