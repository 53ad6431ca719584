// The sign-up on the first page. What follows is on the page that the email leads to.

const field = (id) => document.getElementById(id);

async function signUp() {
  field('submit').disabled = true;
  const order = {
    email: field('email').value,
    password: field('password').value,
    tosAccepted: field('tos').checked,
    privacyAccepted: field('privacy').checked,
    aupAccepted: field('aup').checked,
  };
  // Relative to this page, so it also works below a proxy's path.
  const response = await fetch('v1/auth/signup', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
  const body = await response.json();
  field('submit').disabled = response.ok;
  field('message').textContent = response.ok
    ? `An email is on its way to ${body.data.email}: open its link to activate your account.`
    : body.error;
}

field('sign-up').addEventListener('submit', (event) => {
  event.preventDefault();
  signUp().catch(() => {
    field('submit').disabled = false;
    field('message').textContent = 'The service cannot be reached at the moment. Try again in a minute.';
  });
});
