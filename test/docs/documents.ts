// The project's documents as readers see them: texts, links, headings and code blocks.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A code block. */
export interface Block {
  /** Line number of its first line, from 1. */
  readonly line: number;
  /** Such as `sh` or `ts`. Empty when the block names none, and for an indented block. */
  readonly language: string;
  /** What the `<!-- test: ... -->` before it says. Null when there is none. */
  readonly mark: string | null;
  readonly text: string;
}

/** Returns the paths of all Markdown files, relative to the project's folder. */
export function documentPaths(): string[] {
  return globSync('**/*.md', { cwd: ROOT, exclude: (path) => /^(node_modules|\.\w+)$/.test(path) }).sort();
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Returns the fenced code blocks of a text. */
export function blocks(text: string): Block[] {
  const found: Block[] = [];
  const pattern = /(?:^<!-- test: ([^\n]+) -->\n\n?)?^```(\w*)[^\n]*\n(.*?)^```$/gms;
  for (const { index, 1: mark, 2: language, 3: code } of text.matchAll(pattern)) {
    found.push({ line: text.slice(0, index).split('\n').length, language: language!, mark: mark ?? null, text: code! });
  }
  return found;
}

/** Returns the text without its code blocks, fenced or indented. Line numbers stay the same. */
export function prose(text: string): string {
  const unfenced = text.replaceAll(/^```.*?^```$/gms, (block) => block.replaceAll(/[^\n]/g, ''));
  return unfenced.replaceAll(/(?<=\n\n)(?: {4}[^\n]*\n|\n)+/g, (block) => block.replaceAll(/[^\n]/g, ''));
}

/** Returns the lines of all code blocks, fenced or indented. */
export function code(text: string): string {
  const plain = prose(text).split('\n');
  return text
    .split('\n')
    .filter((line, index) => line !== plain[index])
    .join('\n');
}

/** Returns the anchors of a text's headings, as GitHub generates them. */
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
