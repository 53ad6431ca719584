// The result file: a list of runs, each with the machine and the versions that it was measured with. Alternating runs
// of two checkouts (old, new, old, new ...), saved to one file each, pair by their index.

import { constants } from 'node:fs';
import { access, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import Type, { type Static } from 'typebox';
import { schemaCheck } from '#api/http/schema-check.ts';
import { errorCode, errorText } from '#engine/storage/storage-error.ts';
import type { BenchResult } from './result.ts';
import { BENCH_RESULT, contentErrors } from './result-check.ts';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryMiB: number;
  readonly os: string;
}

export interface SuiteRun {
  /** ISO 8601. */
  readonly startedAt: string;
  readonly seconds: number;
  readonly machine: Machine;
  /** By name: node, v8, slipstream (its commit), and the libraries that affect results. */
  readonly versions: Readonly<Record<string, string>>;
  readonly results: readonly BenchResult[];
  /** Benches that threw or returned an invalid result. */
  readonly failed: readonly { readonly bench: string; readonly message: string }[];
}

export interface SuiteFile {
  readonly format: 1;
  readonly runs: readonly SuiteRun[];
}

const SUITE_FILE = Type.Object({
  format: Type.Literal(1),
  runs: Type.Array(
    Type.Object({
      startedAt: Type.String(),
      seconds: Type.Number(),
      machine: Type.Object({
        cpu: Type.String(),
        cores: Type.Number(),
        memoryMiB: Type.Number(),
        os: Type.String(),
      }),
      versions: Type.Record(Type.String(), Type.String()),
      results: Type.Array(BENCH_RESULT),
      failed: Type.Array(Type.Object({ bench: Type.String(), message: Type.String() })),
    }),
  ),
});

/** The same error often repeats in every result. */
const ERRORS_SHOWN = 3;

const shapeErrors = schemaCheck(SUITE_FILE, 'the file');

/** Rejects with a message that names the file and the invalid field. */
export async function readSuiteFile(path: string): Promise<SuiteFile> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (errorCode(error) !== 'ENOENT') throw new Error(`${path}: ${errorText(error)}`);
    throw new Error(`${path}: there is no such file; npm run bench -- NAME --json FILE writes one`);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(
      `${path} is not a file of results (npm run bench -- NAME --json FILE writes one): ${errorText(error)}`,
    );
  }
  const errors = shapeErrors(value);
  const file = value as Static<typeof SUITE_FILE>;
  if (errors.length === 0) {
    for (const [run, { results }] of file.runs.entries()) {
      for (const [index, result] of results.entries()) {
        errors.push(
          ...contentErrors(result).map((error) => `runs[${run}].results[${index}] (${result.bench}): ${error}`),
        );
      }
    }
  }
  if (errors.length > 0) {
    const more = errors.length > ERRORS_SHOWN ? `; and ${errors.length - ERRORS_SHOWN} more` : '';
    throw new Error(`${path} is not a file of results: ${errors.slice(0, ERRORS_SHOWN).join('; ')}${more}`);
  }
  return file;
}

/** Reads the file that a run will be appended to; a missing file counts as empty. Rejects if it is no result file. */
export async function suiteFileToExtend(path: string): Promise<SuiteFile> {
  try {
    await access(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw new Error(`${path}: ${errorText(error)}`);
    return { format: 1, runs: [] };
  }
  return readSuiteFile(path);
}

/** Rejects if the folder of `path` is not writable, so a bench fails before it measures anything. */
export async function checkWritable(option: string, path: string): Promise<void> {
  await access(dirname(resolve(path)), constants.W_OK).catch((error) => {
    throw new Error(`${option}: ${path} cannot be written: ${errorText(error)}`);
  });
}

/** Replaces the file atomically: readers see all of the old text or all of the new. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const aside = `${path}.${process.pid}.new`;
  await writeFile(aside, text);
  await rename(aside, path);
}
