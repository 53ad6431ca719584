// Writes a tar archive in the ustar format of POSIX, which GNU, BSD and busybox read. The same entries give the same
// bytes: owner, time and modes are fixed. Our own, because this is all of tar that a bundle needs; the npm package
// comes with five others, for reading archives, links between files and archives that are not trusted.

import { assert } from '#engine/base/assert.ts';
import { TAR_FILE_BYTES_MAX } from '#engine/base/limits.ts';

export type TarEntry = { readonly path: string } & (
  | { readonly kind: 'folder' }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'file'; readonly executable: boolean; readonly bytes: number; read(): AsyncIterable<Uint8Array> }
);

const BLOCK_BYTES = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
/** A bundle is the same whenever it is made. tar warns of times that are older still. */
const MADE_S = Date.UTC(1980, 0, 1) / 1_000;
const TYPES = { file: '0', link: '2', folder: '5' } as const;

/** Throws when a file no longer has the size of its entry. */
export async function* tarArchive(entries: Iterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    yield header(entry);
    if (entry.kind !== 'file') continue;
    let read = 0;
    for await (const chunk of entry.read()) {
      read += chunk.length;
      yield chunk;
    }
    if (read !== entry.bytes) throw new Error(`${entry.path} changed while it was read. Make the bundle again`);
    yield new Uint8Array((BLOCK_BYTES - (read % BLOCK_BYTES)) % BLOCK_BYTES);
  }
  // Two empty blocks end an archive.
  yield new Uint8Array(2 * BLOCK_BYTES);
}

function header(entry: TarEntry): Uint8Array {
  const block = Buffer.alloc(BLOCK_BYTES);
  const text = (value: string, at: number): void => void block.write(value, at, 'utf8');
  const octal = (value: number, at: number, digits: number): void => text(value.toString(8).padStart(digits, '0'), at);
  const bytes = entry.kind === 'file' ? entry.bytes : 0;
  assert(bytes <= TAR_FILE_BYTES_MAX, 'the size fits its field');
  const { prefix, name } = split(entry.kind === 'folder' ? `${entry.path}/` : entry.path);
  text(name, 0);
  octal(entry.kind === 'folder' || (entry.kind === 'file' && entry.executable) ? 0o755 : 0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(bytes, 124, 11);
  octal(MADE_S, 136, 11);
  text(TYPES[entry.kind], 156);
  if (entry.kind === 'link') text(fitting(entry.target, NAME_BYTES, entry.path), 157);
  text('ustar\u000000', 257);
  text(prefix, 345);
  // The checksum counts its own field as spaces.
  text(' '.repeat(8), 148);
  const sum = block.reduce((total, byte) => total + byte, 0);
  octal(sum, 148, 6);
  block[154] = 0;
  return block;
}

/** A long path stands in two fields, parted at a slash. */
function split(path: string): { readonly prefix: string; readonly name: string } {
  if (Buffer.byteLength(path) <= NAME_BYTES) return { prefix: '', name: path };
  const cut = path.indexOf('/', Math.max(0, path.length - NAME_BYTES - 1));
  return {
    prefix: fitting(path.slice(0, cut), PREFIX_BYTES, path),
    name: fitting(path.slice(cut + 1), NAME_BYTES, path),
  };
}

function fitting(text: string, bytesMax: number, path: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes === 0 || bytes > bytesMax) throw new Error(`${path}: the path is too long for a tar archive`);
  return text;
}
