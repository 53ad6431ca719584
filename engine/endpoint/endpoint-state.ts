// An endpoint as a shard holds it: the settings in force and what is made from them once. Every actor of the endpoint
// reads the same state, so a change reaches all of them at once and applies to the next attempt (I8).

import type { Destination } from '#engine/deliver/transport.ts';
import { Signer } from '#engine/sign/signer.ts';
import type { EndpointSettings } from './endpoint.ts';
import { parseEndpointUrl } from './url-policy.ts';

export class EndpointState {
  #settings: EndpointSettings;
  #signer: Signer;
  #destination: Destination;
  #replayOnly: boolean;
  #version = 1;
  #deleted = false;

  constructor(settings: EndpointSettings) {
    this.#settings = settings;
    this.#signer = new Signer(settings.secret, settings.previousSecret);
    this.#destination = destinationOf(settings);
    this.#replayOnly = isReplayOnly(settings);
  }

  get settings(): EndpointSettings {
    return this.#settings;
  }

  get signer(): Signer {
    return this.#signer;
  }

  get destination(): Destination {
    return this.#destination;
  }

  /** Whether its URL is one of this machine, which is served in replays only. */
  get replayOnly(): boolean {
    return this.#replayOnly;
  }

  /** Rises with every change. */
  get version(): number {
    return this.#version;
  }

  get deleted(): boolean {
    return this.#deleted;
  }

  /** Takes the new settings as a whole; throws and keeps the old ones when they make no sense. */
  change(settings: EndpointSettings): void {
    const destination = destinationOf(settings);
    this.#signer = new Signer(settings.secret, settings.previousSecret);
    this.#destination = destination;
    this.#replayOnly = isReplayOnly(settings);
    this.#settings = settings;
    this.#version++;
  }

  delete(): void {
    this.#deleted = true;
    this.#version++;
  }
}

function isReplayOnly({ url }: EndpointSettings): boolean {
  const parsed = parseEndpointUrl(url);
  return 'ok' in parsed && parsed.ok.replayOnly;
}

/** Where and how this endpoint is called. */
export function destinationOf(settings: EndpointSettings): Destination {
  const url = new URL(settings.url);
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method: settings.method === 'put' ? 'PUT' : 'POST',
  };
}
