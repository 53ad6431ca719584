// Decides whether to accept a customer's webhook URL, by its form and by every address that its host name has now.
// Addresses can change at any time, so the transport checks them again at each connect.

import { ApiError } from '#api/http/api-error.ts';
import { systemClock } from '#engine/base/clock.ts';
import { RESOLVE_DEADLINE_MS } from '#engine/base/limits.ts';
import { createNameLookup } from '#engine/delivery/transport/name-lookup.ts';
import { checkAddress, type EndpointUrl, parseEndpointUrl } from '#engine/delivery/transport/url-policy.ts';

/** All addresses of a host name; rejects when it has none. */
export type NameResolver = (host: string) => Promise<readonly string[]>;

const lookup = createNameLookup(systemClock);

export const systemResolver: NameResolver = async (host) => (await lookup(host)).map(({ address }) => address);

/** `servesLocalhost`: whether URLs of the service's own machine are accepted (`REPLAY_TO_LOCALHOST`). */
export async function admitUrl(text: string, resolve: NameResolver, servesLocalhost: boolean): Promise<EndpointUrl> {
  const parsed = parseEndpointUrl(text);
  if ('violation' in parsed) throw refusal(parsed.violation);
  const { host, named, replayOnly } = parsed.ok;
  if (replayOnly && !servesLocalhost)
    throw refusal(`must be publicly reachable: this service does not deliver to ${host}`);
  if (!named || replayOnly) return parsed.ok;
  // A name without an address now may get one later, and a failing name server is not the customer's fault. The check
  // at connect time is the one that matters.
  for (const address of await addressesOf(host, resolve)) {
    // Naming the private address would reveal the service's network to a stranger.
    if (checkAddress(address) !== 'public')
      throw refusal(`must not point to ${host}: it has an address that is not public`);
  }
  return parsed.ok;
}

/** None when the name has none, or when that cannot be found out in time. */
async function addressesOf(host: string, resolve: NameResolver): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<readonly string[]>((end) => {
    timer = setTimeout(end, RESOLVE_DEADLINE_MS, []);
  });
  try {
    return await Promise.race([resolve(host), patience]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

function refusal(violation: string): ApiError {
  return new ApiError('invalid_body', `webhookUrl ${violation}`);
}
