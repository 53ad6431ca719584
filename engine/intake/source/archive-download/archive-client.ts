// How a download talks to an archive: one request at a time. The real one is `undici-archive-client.ts`.

export interface ArchiveResponse {
  readonly status: number;
  /** A header by its name in small letters. */
  header(name: string): string | null;
  /** The bytes as they come; throws when the connection breaks before the end. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends the answer without reading on. */
  discard(): Promise<void>;
}

export interface ArchiveClient {
  /** Follows no redirects. Throws when there is no answer, or when `signal` is aborted. */
  get(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ArchiveResponse>;
  close(): Promise<void>;
}
