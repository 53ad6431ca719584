// The playback library on the local disk: recordings in one folder, their compiled artifacts in another.
//
// Only an artifact's bytes count. It is ready when it is complete, has this format and this deriver version, and was
// made from the present recording. Check results are cached by the files' size, inode and change time, so a repeated
// check costs two `stat` calls. One job at a time compiles a session, on another thread.

import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { FairTurns, type Turn } from '#engine/base/fair-turns.ts';
import { type FileIdentity, fileIdentity, sizeOf } from '#engine/base/file-identity.ts';
import { ARTIFACT_CHECKS_CACHED_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { recordingFile } from '#engine/intake/recording/recording-import.ts';
import { parseSessionId, type SessionId } from '#engine/intake/recording/session-id.ts';
import { checkArtifact, readArtifact } from '#engine/timeline/artifact.ts';
import type { ArtifactOrigin } from '#engine/timeline/artifact-format.ts';
import { fingerprintRecording, type RecordingFingerprint } from '#engine/timeline/recording-fingerprint.ts';
import { ArtifactsFull, type LoadedArtifact, OpenArtifacts } from './open-artifacts.ts';
import type { OpenArtifact, PlaybackLibrary, Preparation } from './playback-library.ts';

/** Compiles artifacts on other threads than the one that serves requests. */
export interface ArtifactCompiler {
  /** Derives the recording's timeline and writes its artifact. `onProgress` gets 0 to 1. */
  compile(recording: string, artifact: string, onProgress: (fraction: number) => void): Promise<void>;
  /** Ends the compiler's threads and cancels jobs in progress. */
  close(): Promise<void>;
}

export interface PlaybackLibraryOptions {
  readonly dataDir: string;
  readonly compiler: ArtifactCompiler;
  /** Artifacts that are compiled at once. Accounts take turns for the others. Default: any number. */
  readonly compilationsMax?: number;
  readonly deriverVersion: number;
  readonly log: Log;
}

interface Files {
  readonly recording: FileIdentity;
  /** Null when there is no artifact. */
  readonly artifact: FileIdentity | null;
}

interface Compilation {
  progress: number;
  readonly turn: Turn<void>;
}

/** Stands for the service itself among the accounts. */
const SERVICE = '';

export class CompiledPlaybackLibrary implements PlaybackLibrary {
  readonly #options: PlaybackLibraryOptions;
  readonly #compiling = new Map<SessionId, Compilation>();
  readonly #fingerprints = new LRUCache<FileIdentity, RecordingFingerprint>({ max: ARTIFACT_CHECKS_CACHED_MAX });
  /** Result of the last check of exactly these files. */
  readonly #checked = new LRUCache<string, Preparation>({ max: ARTIFACT_CHECKS_CACHED_MAX });
  /** Why the last compilation of exactly this recording failed. */
  readonly #failures = new LRUCache<FileIdentity, string>({ max: ARTIFACT_CHECKS_CACHED_MAX });
  readonly #open = new OpenArtifacts();
  readonly #turns: FairTurns;
  #closed = false;

  constructor(options: PlaybackLibraryOptions) {
    this.#options = options;
    this.#turns = new FairTurns(options.compilationsMax ?? Number.POSITIVE_INFINITY);
  }

  async status(sessionId: string): Promise<Preparation> {
    const session = parseSessionId(sessionId);
    if (session === null) return { status: 'none' };
    // Check for a compilation before the files: its files are in place before it leaves this map.
    const compilation = this.#compiling.get(session);
    if (compilation !== undefined) return { status: 'preparing', progress: compilation.progress };
    try {
      const files = await this.#files(session);
      if (files === null) return { status: 'none' };
      const checked = await this.#check(session, files);
      if (checked.status === 'ready') return checked;
      const reason = this.#failures.get(files.recording);
      return reason === undefined ? checked : { status: 'failed', reason };
    } catch (error) {
      return { status: 'failed', reason: this.#unreadable(session, error) };
    }
  }

  async prepare(sessionId: string, holder = SERVICE): Promise<Preparation> {
    const before = await this.status(sessionId);
    if (before.status === 'ready') return before;
    const session = parseSessionId(sessionId);
    if (before.status === 'preparing') {
      // It may wait behind much else that somebody else asked for.
      this.#compiling.get(session!)?.turn.alsoFor(holder);
      return before;
    }
    let files: Files | null;
    try {
      files = session === null ? null : await this.#files(session);
    } catch {
      // `before` already holds the reason.
      return before;
    }
    if (session === null || files === null)
      return { status: 'failed', reason: 'there is no recording of this session' };
    if (this.#closed) return { status: 'failed', reason: 'the service is stopping' };
    // Another request may have started a compilation during the await.
    const other = this.#compiling.get(session);
    if (other !== undefined) {
      other.turn.alsoFor(holder);
      return { status: 'preparing', progress: other.progress };
    }
    this.#failures.delete(files.recording);
    void this.#compile(session, files.recording, holder);
    return { status: 'preparing', progress: 0 };
  }

  async open(sessionId: string): Promise<OpenArtifact | null> {
    const session = parseSessionId(sessionId);
    if (session === null) return null;
    try {
      const files = await this.#files(session);
      if (files === null || files.artifact === null) return null;
      return await this.#open.use(pairKey(files), sizeOf(files.artifact), () => this.#read(session, files));
    } catch (error) {
      if (error instanceof ArtifactsFull) throw error;
      this.#unreadable(session, error);
      return null;
    }
  }

  /** Cancels compilations in progress and drops open artifacts. Runs that use an artifact keep it. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#options.compiler.close();
    this.#open.clear();
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
    const recording = await fileIdentity(recordingFile(this.#options.dataDir, session));
    if (recording === null) return null;
    return { recording, artifact: await fileIdentity(artifactFile(this.#options.dataDir, session)) };
  }

  async #origin(session: SessionId, recording: FileIdentity): Promise<ArtifactOrigin> {
    let fingerprint = this.#fingerprints.get(recording);
    if (fingerprint === undefined) {
      fingerprint = await fingerprintRecording(recordingFile(this.#options.dataDir, session));
      this.#fingerprints.set(recording, fingerprint);
    }
    return { deriverVersion: this.#options.deriverVersion, recording: fingerprint };
  }

  async #check(session: SessionId, files: Files): Promise<Preparation> {
    if (files.artifact === null) return { status: 'none' };
    const key = pairKey(files);
    const known = this.#checked.get(key);
    if (known !== undefined) return known;
    const file = artifactFile(this.#options.dataDir, session);
    const found = await checkArtifact(file, await this.#origin(session, files.recording));
    if ('damaged' in found) return this.#unusable(key, file, found.damaged);
    const ready: Preparation = { status: 'ready', updateCount: found.updateCount };
    this.#checked.set(key, ready);
    return ready;
  }

  async #read(session: SessionId, files: Files): Promise<LoadedArtifact | null> {
    const key = pairKey(files);
    const file = artifactFile(this.#options.dataDir, session);
    const read = await readArtifact(file, await this.#origin(session, files.recording));
    if ('damaged' in read) {
      this.#unusable(key, file, read.damaged);
      return null;
    }
    const { bytes, timeline } = read;
    this.#checked.set(key, { status: 'ready', updateCount: timeline.length });
    return { artifact: { bytes }, timeline };
  }

  #unusable(key: string, file: string, reason: string): Preparation {
    this.#options.log.warn({ file, reason }, 'a playback artifact cannot be used; it will be compiled again');
    const none: Preparation = { status: 'none' };
    this.#checked.set(key, none);
    return none;
  }

  async #compile(session: SessionId, recording: FileIdentity, holder: string): Promise<void> {
    const onProgress = (fraction: number): void => {
      compilation.progress = Math.min(1, Math.max(compilation.progress, fraction));
    };
    const { compiler, dataDir } = this.#options;
    const turn = this.#turns.run(holder, () =>
      compiler.compile(recordingFile(dataDir, session), artifactFile(dataDir, session), onProgress),
    );
    const compilation: Compilation = { progress: 0, turn };
    this.#compiling.set(session, compilation);
    try {
      await turn.result;
      this.#options.log.info({ session }, 'compiled a playback artifact');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#failures.set(recording, reason);
      if (!this.#closed) this.#options.log.error({ session, reason }, 'could not compile a playback artifact');
    } finally {
      this.#compiling.delete(session);
    }
  }
}

/** Where the compiled artifact of a session is kept. */
export function artifactFile(dataDir: string, session: SessionId): string {
  return join(dataDir, 'playback', `${session}.playback`);
}

function pairKey(files: Files): string {
  return `${files.recording}/${files.artifact}`;
}
