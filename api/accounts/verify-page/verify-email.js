// The page that a verification email links to. Mail scanners open links, and some run scripts. So the page only checks
// whether the
// link is valid; pressing the button confirms it.

const token = new URLSearchParams(location.search).get('token') ?? '';
const message = document.getElementById('message');
const button = document.getElementById('confirm');

async function ask(options, path) {
  // Relative to this page, so it also works below a proxy's path.
  const response = await fetch(path, { ...options, headers: { 'content-type': 'application/json' } });
  return { ok: response.ok, body: await response.json() };
}

function showOutage() {
  message.textContent = 'The service cannot be reached at the moment. Try again in a minute.';
  button.disabled = false;
}

async function check() {
  const { ok, body } = await ask({ method: 'GET' }, `v1/auth/verify-email?token=${encodeURIComponent(token)}`);
  if (!ok) return showOutage();
  if (body.data.valid) {
    message.textContent = 'Press the button to activate your account.';
    button.hidden = false;
  } else {
    message.textContent = 'This link is no longer valid: it was used, has expired, or was replaced by a newer one.';
  }
}

async function confirm() {
  button.disabled = true;
  const { ok, body } = await ask({ method: 'POST', body: JSON.stringify({ token }) }, 'v1/auth/verify-email');
  if (!ok && body.code !== 'invalid_token') return showOutage();
  button.hidden = true;
  message.textContent = ok
    ? `${body.data.email} is confirmed. Your account is active and you are signed in.`
    : 'This link is no longer valid: it was used, has expired, or was replaced by a newer one.';
  if (!ok) return;
  rememberSignIn();
  showToken('CLIENT_ID', 'CLIENT_SECRET');
  document.getElementById('next').hidden = false;
}

/** For the page on which operations are tried out: no script can see the cookie. */
function rememberSignIn() {
  try {
    localStorage.setItem('signedIn', 'yes');
  } catch {
    // The browser stores nothing for this site. That page then asks for a sign-in.
  }
}

/** The command that exchanges the credentials for a token. */
function showToken(clientId, clientSecret) {
  const address = new URL('v1/oauth', location.href).href;
  document.getElementById('token').textContent =
    `curl ${address} -u ${clientId}:${clientSecret} -d grant_type=client_credentials`;
}

/** Confirming has signed the owner in, so the cookie gives the credentials. */
async function show() {
  const { ok, body } = await ask({ method: 'POST' }, 'v1/oauth/credentials');
  document.getElementById('credentials').textContent = ok
    ? `client id      ${body.clientId}\nclient secret  ${body.clientSecret}`
    : body.error;
  if (ok) showToken(body.clientId, body.clientSecret);
}

function showUnread() {
  document.getElementById('credentials').textContent =
    'The service cannot be reached at the moment. Try again in a minute.';
}

button.addEventListener('click', () => confirm().catch(showOutage));
document.getElementById('show').addEventListener('click', () => show().catch(showUnread));
check().catch(showOutage);
