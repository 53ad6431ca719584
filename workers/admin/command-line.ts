// Reads the arguments of one command. node:util parses them; its errors become UsageErrors.

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { UsageError } from './command.ts';

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; strict: true; allowPositionals: true }>
>['values'];

/** The address without user and password, which must not appear in a log. */
export function shownAddress(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');
}

/** The first option that is given more than once. */
export function repeatedOption(tokens: readonly { kind: string; rawName?: string }[]): string | undefined {
  const names = tokens.flatMap(({ kind, rawName }) => (kind === 'option' ? [rawName] : []));
  return names.find((name, index) => names.indexOf(name) !== index);
}

/** Reads the options and exactly the named positional arguments. Throws a UsageError otherwise. */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  positionals: readonly string[] = [],
): { readonly values: Values<Options>; readonly positionals: readonly string[] } {
  let repeated: string | undefined;
  let read: { values: Values<Options>; positionals: string[] };
  try {
    const { tokens, ...parsed } = parseArgs({
      args: [...args],
      options,
      strict: true,
      allowPositionals: true,
      tokens: true,
    });
    read = parsed;
    repeated = repeatedOption(tokens);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message.split('. ')[0]! : String(error));
  }
  if (repeated !== undefined) throw new UsageError(`${repeated} is given more than once`);
  const missing = positionals[read.positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const surplus = read.positionals[positionals.length];
  if (surplus !== undefined) throw new UsageError(`unexpected argument "${surplus}"`);
  return read;
}
