// Shows the OpenAPI document and fills in the visitor's own ids. The validator is off: it would send the document's
// address to another host.

const own = ownIds(
  async (path, options) => {
    const response = await fetch(`../v1${path}`, { credentials: 'same-origin', ...options });
    if (response.status === 401) signedIn(false);
    return response.ok ? response.json() : null;
  },
  () => signedIn(),
);

/** Reads or keeps whether somebody signed in here: scripts cannot see the cookie. Browsers may refuse to store it. */
function signedIn(is) {
  try {
    if (is !== undefined) localStorage.setItem('signedIn', is ? 'yes' : 'no');
    return localStorage.getItem('signedIn') === 'yes';
  } catch {
    return true;
  }
}

async function fillIn(request) {
  const start = request.url.indexOf('/v1/');
  if (request.loadSpec || start === -1) return request;
  const base = request.url.slice(0, start + 3);
  const { path, headers, body } = await own.filled({
    path: request.url.slice(start + 3),
    headers: request.headers,
    body: typeof request.body === 'string' ? request.body : undefined,
  });
  return Object.assign(request, { url: base + path, headers }, body !== undefined && { body });
}

function observe(response) {
  if (response.status === 401) own.forget();
  if (/\/v1\/(auth|console)\//.test(response.url)) {
    own.forget();
    if (response.ok && /\/auth\/(login|verify-email)$/.test(response.url)) signedIn(true);
    if (response.ok && response.url.endsWith('/auth/logout')) signedIn(false);
    showWhoIsSignedIn();
  }
  return response;
}

async function showWhoIsSignedIn() {
  const token = await own.bearer();
  document.getElementById('signed-in').textContent =
    token === null
      ? 'Sign in with POST /auth/login below, or paste a token under Authorize.'
      : 'You are signed in: requests carry a token of your account.';
}

SwaggerUIBundle({
  url: '../v1/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  validatorUrl: null,
  requestInterceptor: fillIn,
  responseInterceptor: observe,
});
showWhoIsSignedIn();
