// The playback library on the local disk: a folder of compiled artifacts, made of what the recording store has.
//
// Only an artifact's bytes count. It is ready when it is complete, has this format and this deriver version, and was
// made from the present recording. Check results are cached by the file's size, inode and change time, so a repeated
// check costs a `stat` call beside what the store takes. One job at a time compiles a session, on another thread; it
// fetches the recording first if that is not on this machine.
//
// Each origin has a file of its own. After an upgrade or a new import, a session gets another artifact. The older one stays
// while a run needs it: a paused run continues with the artifact that it began with. Artifacts of versions that other nodes
// of a cluster have stay, too: their runs may move here.

import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { FairTurns, type Turn } from '#engine/base/fair-turns.ts';
import { type FileIdentity, fileIdentity, sizeOf } from '#engine/base/file-identity.ts';
import { ARTIFACT_CHECKS_CACHED_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import {
  type KeptRecording,
  type RecordingStore,
  RecordingsUnreachable,
} from '#engine/intake/recording/recording-store.ts';
import { parseSessionId, type SessionId } from '#engine/intake/recording/session-id.ts';
import { checkArtifact, readArtifact } from '#engine/timeline/artifact.ts';
import type { ArtifactOrigin } from '#engine/timeline/artifact-format.ts';
import { artifactName, namedVersion, originText, parseOrigin } from '#engine/timeline/artifact-name.ts';
import { ArtifactsFull, type LoadedArtifact, OpenArtifacts } from './open-artifacts.ts';
import type { OpenArtifact, PlaybackLibrary, Preparation } from './playback-library.ts';
import type { SharedPreparations } from './shared-preparations.ts';

/** Compiles artifacts on other threads than the one that serves requests. */
export interface ArtifactCompiler {
  /** Derives the recording's timeline and writes its artifact. `onProgress` gets 0 to 1. */
  compile(recording: string, artifact: string, onProgress: (fraction: number) => void): Promise<void>;
  /** Ends the compiler's threads and cancels jobs in progress. */
  close(): Promise<void>;
}

export interface PlaybackLibraryOptions {
  readonly dataDir: string;
  readonly recordings: Pick<RecordingStore, 'find' | 'findAll' | 'fetch'>;
  /** In a cluster. */
  readonly preparations?: Pick<SharedPreparations, 'want'>;
  readonly compiler: ArtifactCompiler;
  /** Artifacts that are compiled at once. Accounts take turns for the others. Default: any number. */
  readonly compilationsMax?: number;
  readonly deriverVersion: number;
  /** Origins of the artifacts that runs of the session need, open or not. Default: of none. */
  readonly neededOrigins?: (session: SessionId) => Promise<ReadonlySet<string>>;
  /** Deriver versions of the other nodes of the cluster: a run that one of them begins may come to this one. Default: none. */
  readonly otherVersions?: () => Promise<ReadonlySet<number>>;
  readonly log: Log;
}

interface Files {
  /** The version of the recording. */
  readonly recording: string;
  /** Whether all nodes prepare it. */
  readonly isWanted: boolean;
  readonly origin: ArtifactOrigin;
  /** The path of the artifact of this origin. */
  readonly file: string;
  /** Null when there is no artifact. */
  readonly artifact: FileIdentity | null;
}

type ArtifactFile = Pick<Files, 'file' | 'origin' | 'artifact'>;

interface Compilation {
  progress: number;
  readonly turn: Turn<void>;
}

/** Stands for the service itself among the accounts. */
const SERVICE = '';

export class CompiledPlaybackLibrary implements PlaybackLibrary {
  readonly #options: PlaybackLibraryOptions;
  readonly #compiling = new Map<SessionId, Compilation>();
  /** Result of the last check of exactly this artifact. */
  readonly #checked = new LRUCache<string, Preparation>({ max: ARTIFACT_CHECKS_CACHED_MAX });
  /** Why the last compilation of exactly this recording failed. */
  readonly #failures = new LRUCache<string, string>({ max: ARTIFACT_CHECKS_CACHED_MAX });
  readonly #open = new OpenArtifacts();
  readonly #turns: FairTurns;
  #sweeps = false;
  #closed = false;

  constructor(options: PlaybackLibraryOptions) {
    this.#options = options;
    this.#turns = new FairTurns(options.compilationsMax ?? Number.POSITIVE_INFINITY);
  }

  async status(sessionId: string): Promise<Preparation> {
    return this.#status(parseSessionId(sessionId), (session) => this.#files(session));
  }

  async statuses(sessionIds: readonly string[]): Promise<Preparation[]> {
    const sessions = sessionIds.map(parseSessionId);
    const kept = await this.#options.recordings.findAll(sessions.filter((session) => session !== null));
    return Promise.all(
      sessions.map((id) => this.#status(id, (session) => this.#filesOf(session, kept.get(session) ?? null))),
    );
  }

  async #status(
    session: SessionId | null,
    filesOf: (session: SessionId) => Promise<Files | null>,
  ): Promise<Preparation> {
    if (session === null) return { status: 'none' };
    // Check for a compilation before the files: its files are in place before it leaves this map.
    const compilation = this.#compiling.get(session);
    if (compilation !== undefined) return { status: 'preparing', progress: compilation.progress };
    try {
      const files = await filesOf(session);
      if (files === null) return { status: 'none' };
      const checked = await this.#check(files);
      if (checked.status === 'ready') return checked;
      const reason = this.#failures.get(files.recording);
      if (reason !== undefined) return { status: 'failed', reason };
      return files.isWanted ? this.#begin(session, files, SERVICE) : checked;
    } catch (error) {
      if (error instanceof RecordingsUnreachable) throw error;
      return { status: 'failed', reason: this.#unreadable(session, error) };
    }
  }

  async prepare(sessionId: string, holder = SERVICE): Promise<Preparation> {
    const session = parseSessionId(sessionId);
    if (session !== null) await this.#options.preparations?.want(session);
    const before = await this.status(sessionId);
    if (before.status === 'ready') return before;
    if (before.status === 'preparing') {
      // It may wait behind much else that somebody else asked for.
      this.#compiling.get(session!)?.turn.alsoFor(holder);
      return before;
    }
    let files: Files | null;
    try {
      files = session === null ? null : await this.#files(session);
    } catch (error) {
      if (error instanceof RecordingsUnreachable) throw error;
      // `before` already holds the reason.
      return before;
    }
    if (session === null || files === null)
      return { status: 'failed', reason: 'there is no recording of this session' };
    return this.#begin(session, files, holder);
  }

  async open(sessionId: string): Promise<OpenArtifact | null> {
    const session = parseSessionId(sessionId);
    if (session === null) return null;
    return this.#opened(session, () => this.#files(session));
  }

  async openOrigin(sessionId: string, origin: string): Promise<OpenArtifact | null> {
    const session = parseSessionId(sessionId);
    const parsed = parseOrigin(origin);
    if (session === null || parsed === null) return null;
    return this.#opened(session, async () => {
      const file = artifactFile(this.#options.dataDir, session, parsed);
      return { file, origin: parsed, artifact: await fileIdentity(file) };
    });
  }

  async sweep(): Promise<void> {
    this.#sweeps = true;
    const names = await this.#artifacts();
    const sessions = new Set(names.map((name) => parseSessionId(name.slice(0, name.indexOf('.')))));
    for (const session of sessions) if (session !== null) await this.#sweepSession(session, names);
  }

  /** Cancels compilations in progress and drops open artifacts. Runs that use an artifact keep it. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#options.compiler.close();
    this.#open.clear();
  }

  #begin(session: SessionId, files: Files, holder: string): Preparation {
    if (this.#closed) return { status: 'failed', reason: 'the service is stopping' };
    // Another request may have started a compilation meanwhile.
    const other = this.#compiling.get(session);
    if (other !== undefined) {
      other.turn.alsoFor(holder);
      return { status: 'preparing', progress: other.progress };
    }
    this.#failures.delete(files.recording);
    void this.#compile(session, files, holder);
    return { status: 'preparing', progress: 0 };
  }

  /**
   * Logs why a session's files cannot be read. The failure stays with this session: callers ask for several at once.
   */
  #unreadable(session: SessionId, error: unknown): string {
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.log.error({ session, reason }, 'cannot read the files of a session');
    return reason;
  }

  /** The session's files as they are now, or null without a recording. */
  async #files(session: SessionId): Promise<Files | null> {
    return this.#filesOf(session, await this.#options.recordings.find(session));
  }

  async #filesOf(session: SessionId, recording: KeptRecording | null): Promise<Files | null> {
    const { deriverVersion, dataDir } = this.#options;
    if (recording === null) return null;
    const origin = { deriverVersion, recording: await recording.fingerprint() };
    const file = artifactFile(dataDir, session, origin);
    const isWanted = recording.preparedFor === deriverVersion;
    return { recording: recording.version, isWanted, origin, file, artifact: await fileIdentity(file) };
  }

  async #check(files: Files): Promise<Preparation> {
    if (files.artifact === null) return { status: 'none' };
    const key = keyOf(files);
    const known = this.#checked.get(key);
    if (known !== undefined) return known;
    const found = await checkArtifact(files.file, files.origin);
    if ('damaged' in found) return this.#unusable(files, found.damaged);
    const ready: Preparation = { status: 'ready', updateCount: found.updateCount };
    this.#checked.set(key, ready);
    return ready;
  }

  async #opened(session: SessionId, find: () => Promise<ArtifactFile | null>): Promise<OpenArtifact | null> {
    try {
      const found = await find();
      if (found === null || found.artifact === null) return null;
      const key = keyOf(found);
      const opened = await this.#open.use(key, sizeOf(found.artifact), () => this.#read(found));
      if (opened === null) return null;
      const release = (): void => {
        opened.release();
        this.#sweepLater(session);
      };
      return { ...opened, release };
    } catch (error) {
      if (error instanceof ArtifactsFull || error instanceof RecordingsUnreachable) throw error;
      this.#unreadable(session, error);
      return null;
    }
  }

  async #read(found: ArtifactFile): Promise<LoadedArtifact | null> {
    const read = await readArtifact(found.file, found.origin);
    if ('damaged' in read) {
      this.#unusable(found, read.damaged);
      return null;
    }
    const { bytes, timeline } = read;
    this.#checked.set(keyOf(found), { status: 'ready', updateCount: timeline.length });
    return { artifact: { bytes }, timeline, origin: originText(found.origin) };
  }

  #unusable(found: ArtifactFile, reason: string): Preparation {
    this.#options.log.warn({ file: found.file, reason }, 'a playback artifact cannot be used');
    const none: Preparation = { status: 'none' };
    this.#checked.set(keyOf(found), none);
    return none;
  }

  /** The names of all artifacts, complete or not, also of those that older versions of the service have named. */
  async #artifacts(): Promise<string[]> {
    const names = await readdir(join(this.#options.dataDir, 'playback')).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names.filter((name) => /\.(playback|part)$/.test(name));
  }

  /** After a run has ended, or a session has got another artifact. */
  #sweepLater(session: SessionId): void {
    if (!this.#sweeps || this.#closed) return;
    this.#artifacts()
      .then((names) => this.#sweepSession(session, names))
      .catch((error: Error) => this.#unreadable(session, error));
  }

  /**
   * Removes the session's artifacts that are out of date, unless a run uses or needs them. What is wrong with its files is logged:
   * others are removed all the same. Rejects if it cannot be asked for recordings or runs, which is so for every session.
   */
  async #sweepSession(session: SessionId, names: readonly string[]): Promise<void> {
    const outdated = await this.#outdated(session, names);
    if (outdated.length === 0) return;
    const { dataDir, deriverVersion, neededOrigins, otherVersions } = this.#options;
    const needed = new Set<string>();
    for (const origin of (await neededOrigins?.(session)) ?? []) {
      const parsed = parseOrigin(origin);
      if (parsed !== null) needed.add(artifactFile(dataDir, session, parsed));
    }
    const others = await otherVersions?.();
    for (const file of outdated) {
      const version = namedVersion(basename(file));
      if (needed.has(file) || (version !== null && version !== deriverVersion && others?.has(version))) continue;
      try {
        const artifact = await fileIdentity(file);
        if (artifact === null || this.#compiling.has(session)) continue;
        if (this.#open.isUsed(keyOf({ file, artifact }))) continue;
        await rm(file, { force: true });
        this.#options.log.info({ file }, 'removed an outdated playback artifact');
      } catch (error) {
        this.#unreadable(session, error);
      }
    }
  }

  /** The session's artifacts but the present one; none while one is compiled. */
  async #outdated(session: SessionId, names: readonly string[]): Promise<readonly string[]> {
    const folder = join(this.#options.dataDir, 'playback');
    const own = names.filter((name) => name.startsWith(`${session}.`)).map((name) => join(folder, name));
    // Nothing to fingerprint the recording for.
    if (own.length === 0 || this.#compiling.has(session)) return [];
    try {
      const present = (await this.#files(session))?.file;
      return own.filter((file) => file !== present);
    } catch (error) {
      if (error instanceof RecordingsUnreachable) throw error;
      this.#unreadable(session, error);
      return [];
    }
  }

  async #compile(session: SessionId, { recording, file }: Files, holder: string): Promise<void> {
    const onProgress = (fraction: number): void => {
      compilation.progress = Math.min(1, Math.max(compilation.progress, fraction));
    };
    const { compiler, recordings } = this.#options;
    const turn = this.#turns.run(holder, async () =>
      compiler.compile(await recordings.fetch(session), file, onProgress),
    );
    const compilation: Compilation = { progress: 0, turn };
    this.#compiling.set(session, compilation);
    try {
      await turn.result;
      this.#options.log.info({ session }, 'compiled a playback artifact');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      // Nothing is wrong with the recording if it could not be asked for.
      if (!(error instanceof RecordingsUnreachable)) this.#failures.set(recording, reason);
      if (!this.#closed) this.#options.log.error({ session, reason }, 'could not compile a playback artifact');
    } finally {
      this.#compiling.delete(session);
      this.#sweepLater(session);
    }
  }
}

/** Where the artifact of a session is kept that has this origin. */
export function artifactFile(dataDir: string, session: SessionId, origin: ArtifactOrigin): string {
  return join(dataDir, 'playback', artifactName(session, origin));
}

function keyOf({ file, artifact }: Pick<ArtifactFile, 'file' | 'artifact'>): string {
  return `${file}/${artifact}`;
}
