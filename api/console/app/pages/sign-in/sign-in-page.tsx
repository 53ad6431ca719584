// Signing in. The page that was asked for is shown when that is done.

import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import { to } from '../../address.ts';
import { findAccount, signIn } from '../../data/account.ts';
import { ask } from '../../data/service.ts';
import { asError } from '../../data/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { InputField } from '../../parts/field.tsx';
import { Problem } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { text } from '../../text/text.ts';

export function SignInPage() {
  const { path, route } = useLocation();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<SlipstreamError | null>(null);

  const submit = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      await ask('POST', '/auth/login', { email, password });
      await findAccount();
      if (path === to('/console/sign-in')) route(to('/console/home'), true);
    } catch (error) {
      setFailure(asError(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Page title={text.signIn.signInTitle} width="form">
      {signIn.value.kind === 'out' && signIn.value.hasEnded && (
        <div class="notice warn" role="status">
          {text.signIn.hasEnded}
        </div>
      )}
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <InputField
          label={text.signIn.email}
          type="email"
          autoComplete="username"
          required
          value={email}
          onInput={setEmail}
        />
        <InputField
          label={text.signIn.password}
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onInput={setPassword}
        />
        {failure !== null && <Problem error={failure} />}
        {failure?.code === 'email_not_verified' && <SendAgain email={email} />}
        <div class="row">
          <Button kind="primary" type="submit" disabled={busy}>
            {text.signIn.signIn}
          </Button>
          <span>
            {text.signIn.noAccount} <a href={to('/console/sign-up')}>{text.signIn.signUp}</a>
          </span>
        </div>
      </form>
    </Page>
  );
}

/** Sends the link of the confirmation again. */
export function SendAgain({ email }: { readonly email: string }) {
  const [message, setMessage] = useState('');
  const send = async (): Promise<void> => {
    try {
      await ask('POST', '/auth/resend-verification', { email });
      setMessage(text.signIn.mailAgainSent);
    } catch (error) {
      setMessage(asError(error).message);
    }
  };
  return (
    <div class="stack tight">
      <div class="row">
        <Button small onClick={() => void send()}>
          {text.signIn.mailAgain}
        </Button>
      </div>
      <div role="status">{message}</div>
    </div>
  );
}
