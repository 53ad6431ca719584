// An endpoint as a shard holds it: the settings in force and what is computed from them once. Every actor of the
// endpoint reads this state, so a change reaches all of them at once and applies to the next attempt (I8).

import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { feedsKey } from '#engine/delivery/filter/audiences.ts';
import { Signer } from '#engine/delivery/sign/signer.ts';
import type { Destination } from '#engine/delivery/transport/transport.ts';
import { parseEndpointUrl } from '#engine/delivery/transport/url-policy.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';

export class EndpointState {
  /** In how many runs of the shard it is. */
  runs = 0;
  #settings: EndpointSettings;
  #replayOnly: boolean;
  #version = 1;
  #feedsVersion = 1;
  #deleted = false;
  /** Made for the first attempt: of ten thousand endpoints, most may have nothing to send yet. */
  #signer: Signer | null = null;
  #destination: Destination | null = null;

  constructor(settings: EndpointSettings) {
    this.#replayOnly = isReplayOnly(settings);
    this.#settings = compact(settings);
  }

  get settings(): EndpointSettings {
    return this.#settings;
  }

  get signer(): Signer {
    this.#signer ??= new Signer(this.#settings.secret, this.#settings.previousSecret);
    return this.#signer;
  }

  get destination(): Destination {
    this.#destination ??= destinationOf(this.#settings);
    return this.#destination;
  }

  /** Whether its URL points to this machine; such endpoints are served in replays and tests only. */
  get replayOnly(): boolean {
    return this.#replayOnly;
  }

  /** Rises with every change, from 1. */
  get version(): number {
    return this.#version;
  }

  /** Rises with every change of what it gets, from 1: its subscriptions and filters. */
  get feedsVersion(): number {
    return this.#feedsVersion;
  }

  get deleted(): boolean {
    return this.#deleted;
  }

  /** Replaces all settings. Throws, and keeps the old ones, if the new ones are invalid. */
  change(settings: EndpointSettings): void {
    // Parsing a URL is most of a change, and a change of plan changes thousands of endpoints, but no URL.
    const replayOnly = settings.url === this.#settings.url ? this.#replayOnly : isReplayOnly(settings);
    const changed = compact(settings);
    if (feedsKey(changed) !== feedsKey(this.#settings)) this.#feedsVersion++;
    this.#settings = changed;
    this.#replayOnly = replayOnly;
    this.#signer = null;
    this.#destination = null;
    this.#version++;
  }

  delete(): void {
    this.#deleted = true;
    this.#version++;
  }
}

/** Throws TypeError if the URL cannot be parsed. */
function isReplayOnly({ url }: EndpointSettings): boolean {
  const parsed = parseEndpointUrl(url);
  if ('ok' in parsed) return parsed.ok.replayOnly;
  // A URL that only an older policy accepted is refused when it is connected to.
  if (URL.parse(url) === null) throw new TypeError(`${url} ${parsed.violation}`);
  return false;
}

const NO_FILTERS: FilterSpec = {};
const knownFeedIds = new Map(FEEDS.map(({ feedId }) => [feedId as string, feedId]));

/** Returns the same settings in less memory: a message between threads copies every string and every empty object. */
function compact(settings: EndpointSettings): EndpointSettings {
  return {
    webhookId: settings.webhookId,
    webhookNo: settings.webhookNo,
    accountId: settings.accountId,
    url: settings.url,
    method: settings.method,
    active: settings.active,
    secret: settings.secret,
    previousSecret: settings.previousSecret,
    headerLines: wholeLines(settings.headerLines),
    snapshot: settings.snapshot === true,
    filters: compactFilters(settings.filters),
    subscriptions: settings.subscriptions.map(({ feedId, filters, active }) => ({
      feedId: knownFeedIds.get(feedId) ?? feedId,
      filters: compactFilters(filters),
      active,
    })),
  };
}

/** Whole header lines: no value ends its line, and none is left open for ours to continue. */
const HEADER_LINES = /^(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+: [\x20-\x7e]+\r\n)*$/;

function wholeLines(lines: string): string {
  if (!HEADER_LINES.test(lines)) throw new TypeError('the headers of an endpoint are no whole header lines');
  return lines;
}

const compactFilters = (filters: FilterSpec): FilterSpec => (Object.keys(filters).length === 0 ? NO_FILTERS : filters);

/** Returns where and how to call this endpoint. */
export function destinationOf(settings: EndpointSettings): Destination {
  const url = new URL(settings.url);
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method: settings.method === 'put' ? 'PUT' : 'POST',
  };
}
