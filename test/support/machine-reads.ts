// Where a source text reads the machine's clock, sets its timers or takes its chance, in whatever form.

/** What of node:crypto gives the same each time. */
const CALCULATIONS: ReadonlySet<string> = new Set([
  'createCipheriv',
  'createDecipheriv',
  'createHash',
  'hash',
  'hkdfSync',
  'scryptSync',
]);

const READS: readonly RegExp[] = [
  /\bDate\.now\b/,
  // `new Date` of nothing, and `Date()`, which says what time it is as a text.
  /\bnew Date\b(?!\s*\(\s*[^\s)])/,
  /(?<!\bnew\s+)\bDate\(/,
  // A file may have that name.
  /\bperformance\.(?!ts\b)/,
  /\b(?:hrtime|uptime)\b/,
  /\bset(?:Timeout|Interval|Immediate)\b/,
  /\b(?:AbortSignal\.timeout|Atomics\.wait)/,
  /\bMath\.random\b/,
  /\bcrypto\.(?!ts\b)/,
  // Their functions, taken out of them.
  /=\s*(?:globalThis\.)?(?:Date|Math|performance|process|crypto)\s*;/,
  /['"](?:node:)?(?:timers(?:\/promises)?|perf_hooks)['"]/,
  /\bsystem(?:Clock|Random|RandomBytes)\b/,
];
const CRYPTO = /import\s+([^;'"]+?)\s+from\s+['"](?:node:)?crypto['"]|import\(['"](?:node:)?crypto['"]\)/g;

export interface MachineRead {
  /** Counted from 1. */
  readonly line: number;
  /** The whole line, without the space around it. */
  readonly text: string;
}

/** Each line that reads the machine, once. */
export function machineReads(source: string): MachineRead[] {
  const lines = new Set<number>();
  const lineAt = (index: number): number => source.slice(0, index).split('\n').length;
  for (const read of READS) {
    for (const { index } of source.matchAll(new RegExp(read, 'g'))) lines.add(lineAt(index));
  }
  for (const { index, 1: imported = '' } of source.matchAll(CRYPTO)) {
    const [, names] = /^\{([^}]*)\}$/.exec(imported) ?? [];
    const known = names?.split(',').every((name) => /^\s*$/.test(name) || CALCULATIONS.has(name.trim().split(' ')[0]!));
    if (known !== true) lines.add(lineAt(index));
  }
  const texts = source.split('\n');
  return [...lines].sort((a, b) => a - b).map((line) => ({ line, text: texts[line - 1]!.trim() }));
}
