// The page that a verification mail links to. Mail scanners open links, and some run scripts: looking at the page only asks
// whether the link is good, and nothing is confirmed before somebody presses the button.

const token = new URLSearchParams(location.search).get('token') ?? '';
const message = document.getElementById('message');
const button = document.getElementById('confirm');

async function ask(options, path) {
  // Relative to this page, so that it also works below a path of a proxy.
  const response = await fetch(path, { ...options, headers: { 'content-type': 'application/json' } });
  return { ok: response.ok, body: await response.json() };
}

function trouble() {
  message.textContent = 'The service cannot be reached at the moment. Try again in a minute.';
  button.disabled = false;
}

async function look() {
  const { ok, body } = await ask({ method: 'GET' }, `v1/auth/verify-email?token=${encodeURIComponent(token)}`);
  if (!ok) return trouble();
  if (body.data.valid) {
    message.textContent = 'Press the button to open your account.';
    button.hidden = false;
  } else {
    message.textContent = 'This link is not good any more: it was used, is too old, or a newer one was sent.';
  }
}

async function confirm() {
  button.disabled = true;
  const { ok, body } = await ask({ method: 'POST', body: JSON.stringify({ token }) }, 'v1/auth/verify-email');
  if (!ok && body.code !== 'invalid_token') return trouble();
  button.hidden = true;
  message.textContent = ok
    ? `${body.data.email} is confirmed. Your account is open and you are signed in; you can close this page.`
    : 'This link is not good any more: it was used, is too old, or a newer one was sent.';
}

button.addEventListener('click', () => confirm().catch(trouble));
look().catch(trouble);
