// Finds where a source text reads the machine's clock, sets timers or uses random numbers, in any form.

/** The deterministic functions of node:crypto. */
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
  // `new Date` without arguments, and `Date()`, which returns the current time as text.
  /\bnew Date\b(?!\s*\(\s*[^\s)])/,
  /(?<!\bnew\s+)\bDate\(/,
  // Except files with that name.
  /\bperformance\.(?!ts\b)/,
  /\b(?:hrtime|uptime)\b/,
  /\bset(?:Timeout|Interval|Immediate)\b/,
  /\b(?:AbortSignal\.timeout|Atomics\.wait)/,
  /\bMath\.random\b/,
  /\bcrypto\.(?!ts\b)/,
  // Functions that are destructured from these objects.
  /=\s*(?:globalThis\.)?(?:Date|Math|performance|process|crypto)\s*;/,
  /['"](?:node:)?(?:timers(?:\/promises)?|perf_hooks)['"]/,
  /\bsystem(?:Clock|Random|RandomBytes)\b/,
];
const CRYPTO = /import\s+([^;'"]+?)\s+from\s+['"](?:node:)?crypto['"]|import\(['"](?:node:)?crypto['"]\)/g;

export interface MachineRead {
  /** Line number, from 1. */
  readonly line: number;
  /** The trimmed line. */
  readonly text: string;
}

/** Every line that reads the machine, in order, once. */
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
