// The HTTP client of a download: one request at a time. `undici-archive-client.ts` implements it.

export interface ArchiveResponse {
  readonly status: number;
  /** A header by its lower-case name. */
  header(name: string): string | null;
  /** The bytes as they arrive. Throws when the connection breaks before the end. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends the response without reading the rest. */
  discard(): Promise<void>;
}

export interface ArchiveClient {
  /** Does not follow redirects. Throws when there is no response, or when `signal` is aborted. */
  get(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ArchiveResponse>;
  close(): Promise<void>;
}
