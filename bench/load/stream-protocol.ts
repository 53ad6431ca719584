// How a subscriber of the bench reads a stream, whatever the protocol.

/** What is subscribed to. */
export interface Subscription {
  /** `live`, or a session id. */
  readonly session: string;
  readonly feed: string;
  /** Begin after this sequence; null: at the default place. */
  readonly after: number | null;
  readonly speed: number | null;
}

/** An update as it came. */
export interface StreamedUpdate {
  /** With this the client continues after it. */
  readonly place: string;
  readonly body: string;
}

/** How a connection ended. `broken`: cut, refused for now, or the service is gone or stopping: come back. */
export type ConnectionEnd =
  | { readonly kind: 'broken' }
  | { readonly kind: 'completed' }
  | { readonly kind: 'wrong'; readonly what: string };

export interface StreamConnection {
  /** Resolves when it is over. */
  readonly ended: Promise<ConnectionEnd>;
  /** The local port, to have it cut on the way; 0 before it is connected. */
  readonly port: () => number;
  /** Cuts it from this side, in the middle of whatever arrives. */
  cut(): void;
}

/** Opens one connection. `place`: where the client stands; empty for a new client. `placed`: it stands there now. */
export type StreamProtocol = (
  address: string,
  token: string,
  subscription: Subscription,
  place: string,
  on: { update(update: StreamedUpdate): void; placed(place: string): void },
) => StreamConnection;
