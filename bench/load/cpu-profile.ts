// A thread's time by kind of work, from a CPU profile written by Node (`--cpu-prof`).
//
// Time in a platform function counts for its caller, except socket writes: those are the kernel's work, which on
// loopback includes the receiver's side.

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds since the previous sample. */
  readonly timeDeltas: readonly number[];
}

export const KINDS = [
  'writes to sockets',
  'sockets of the platform',
  'HTTP client',
  'signing',
  'records',
  'actors and the rest of the engine',
  'garbage collection',
  'platform',
  'loading code',
  'idle',
] as const;

export type Kind = (typeof KINDS)[number];

const SPECIAL: Readonly<Record<string, Kind>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'platform',
  '(idle)': 'idle',
  writeBuffer: 'writes to sockets',
  writev: 'writes to sockets',
};

const BY_PLACE: readonly (readonly [place: RegExp, kind: Kind])[] = [
  [/engine\/delivery\/transport\//, 'HTTP client'],
  [/engine\/delivery\/sign\//, 'signing'],
  [/engine\/delivery\/(delivery-log|usage)\/|node_modules\/postgres\//, 'records'],
  [/engine\/|workers\/shard/, 'actors and the rest of the engine'],
  [/^node:(net|tls|_tls_\w+|internal\/(stream_base_commons|streams\/.*))$/, 'sockets of the platform'],
  [/^node:internal\/(modules|bootstrap|process\/esm_loader|main)|node_modules\//, 'loading code'],
];

/** Microseconds by kind of work; zero for kinds that the profile does not contain. */
export function timeByKind(profile: CpuProfile): ReadonlyMap<Kind, number> {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const kinds = new Map<number, Kind>();
  const kindOf = (id: number): Kind => {
    let kind = kinds.get(id);
    if (kind === undefined) {
      const { functionName, url } = nodes.get(id)!.callFrame;
      const parent = parents.get(id);
      kind =
        (url === '' ? SPECIAL[functionName] : BY_PLACE.find(([place]) => place.test(url))?.[1]) ??
        (parent === undefined ? 'platform' : kindOf(parent));
      kinds.set(id, kind);
    }
    return kind;
  };
  const sums = new Map<Kind, number>(KINDS.map((kind) => [kind, 0]));
  profile.samples.forEach((id, index) => {
    const kind = kindOf(id);
    sums.set(kind, sums.get(kind)! + profile.timeDeltas[index]!);
  });
  return sums;
}
