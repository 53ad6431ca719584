// The token of the client: fetched with the credentials, shared by all calls, renewed before it expires.
//
// Calls that need a token at the same time share one request for it. A call that gets 401 gives its token back; the first
// one to do so has it renewed, and those that still had the same one get the new one.

import { TOKEN_MARGIN_MS } from './bounds.ts';

export interface GrantedToken {
  readonly access_token: string;
  /** Seconds. */
  readonly expires_in: number;
}

type State =
  | { readonly kind: 'none' }
  | { readonly kind: 'asked'; readonly token: Promise<string> }
  | { readonly kind: 'held'; readonly token: string; readonly renewAtMs: number };

export class AccessToken {
  readonly #fetchToken: () => Promise<GrantedToken>;
  #state: State = { kind: 'none' };

  /** `fetchToken` asks the service. */
  constructor(fetchToken: () => Promise<GrantedToken>) {
    this.#fetchToken = fetchToken;
  }

  /** Returns a token that is valid as far as the client knows. Throws the signal's reason when it is aborted. */
  async get(signal: AbortSignal | undefined): Promise<string> {
    signal?.throwIfAborted();
    const state = this.#state;
    if (state.kind === 'held' && Date.now() < state.renewAtMs) return state.token;
    const token = state.kind === 'asked' ? state.token : this.#ask();
    return signal === undefined ? token : unlessAborted(token, signal);
  }

  /** The service has refused this token. */
  refused(token: string): void {
    if (this.#state.kind === 'held' && this.#state.token === token) this.#state = { kind: 'none' };
  }

  /** The request belongs to all who wait for it, so no one's signal ends it. */
  #ask(): Promise<string> {
    const token = this.#fetchToken().then(
      ({ access_token, expires_in }) => {
        const lifeMs = expires_in * 1000;
        const renewAtMs = Date.now() + lifeMs - Math.min(TOKEN_MARGIN_MS, lifeMs / 2);
        this.#state = { kind: 'held', token: access_token, renewAtMs };
        return access_token;
      },
      (error: unknown) => {
        this.#state = { kind: 'none' };
        throw error;
      },
    );
    this.#state = { kind: 'asked', token };
    return token;
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
