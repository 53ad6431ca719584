// The platform that a bundle is made for: always that of this machine, because npm installs native parts for no other.

/** The values have the words of `package.json`: `os`, `cpu` and `libc`. */
export interface Platform {
  readonly os: string;
  readonly cpu: string;
  /** Null where the system has only one C library. */
  readonly libc: 'glibc' | 'musl' | null;
  /** The version of Node's interface for native modules. */
  readonly abi: string;
}

export function ownPlatform(): Platform {
  const { platform, arch, versions } = process;
  return { os: platform, cpu: arch, libc: platform === 'linux' ? linuxLibrary() : null, abi: versions.modules };
}

function linuxLibrary(): 'glibc' | 'musl' {
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}
