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
    ? `${body.data.email} is confirmed. Your account is active and you are signed in. You can close this page.`
    : 'This link is no longer valid: it was used, has expired, or was replaced by a newer one.';
}

button.addEventListener('click', () => confirm().catch(showOutage));
check().catch(showOutage);
