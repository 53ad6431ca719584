// Fills in what an example cannot know: the ids of the account's own things, and its token if the visitor is signed in.
// The examples of the OpenAPI document have placeholders in these places.

/**
 * `send(path, options)` sends a request below /v1 and resolves with the body of a 2xx, or null. `isSignedIn()`: whether it
 * is worth while to ask for the account's credentials.
 */
// biome-ignore lint/correctness/noUnusedVariables: start.js calls it
function ownIds(send, isSignedIn) {
  let token = null;

  const credentials = async () => (isSignedIn() ? send('/oauth/credentials', { method: 'POST' }) : null);

  async function bearer() {
    if (token !== null) return token;
    const own = await credentials();
    if (own === null) return null;
    const grant = { grant_type: 'client_credentials', client_id: own.clientId, client_secret: own.clientSecret };
    const granted = await send('/oauth', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(grant),
    });
    token = granted?.access_token ?? null;
    return token;
  }

  async function listed(path, authorization) {
    const answer = await send(path, { headers: { Authorization: authorization } });
    return answer?.data ?? {};
  }

  const webhookId = async (authorization) =>
    (await listed('/webhooks?limit=1', authorization)).endpoints?.[0]?.webhookId;

  async function logged(authorization) {
    const endpoint = await webhookId(authorization);
    return (endpoint && (await listed(`/webhooks/${endpoint}/logs?limit=20`, authorization)).logs) || [];
  }

  const PLACEHOLDERS = {
    wh_of_yours: webhookId,
    run_of_yours: async (authorization) => (await listed('/simulate/runs?limit=1', authorization)).runs?.[0]?.runId,
    log_of_yours: async (authorization) => (await logged(authorization))[0]?.logId,
    // Those of tests belong to no run.
    evt_of_yours: async (authorization) => (await logged(authorization)).find(({ runId }) => runId)?.deliveryId,
    cli_of_yours: async () => (await credentials())?.clientId,
    secret_of_yours: async () => (await credentials())?.clientSecret,
  };

  /** The request of an example with its placeholders filled in. `path` is below /v1. */
  async function filled({ path, headers, body }) {
    const isPublic = /^\/(auth|oauth|console)\b/.test(path);
    const own = isPublic || headers.Authorization ? null : await bearer();
    const authorized = own === null ? headers : { ...headers, Authorization: `Bearer ${own}` };
    let request = { path, headers: authorized, body };
    for (const [placeholder, find] of Object.entries(PLACEHOLDERS)) {
      if (!path.includes(placeholder) && !body?.includes(placeholder)) continue;
      const id = await find(authorized.Authorization);
      if (id === undefined || id === null) continue;
      request = {
        ...request,
        path: request.path.replaceAll(placeholder, id),
        body: request.body?.replaceAll(placeholder, id),
      };
    }
    return request;
  }

  return {
    filled,
    bearer,
    /** The token is of no use any more. */
    forget() {
      token = null;
    },
  };
}
