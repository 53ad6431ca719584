// Signing up. The link in the email leads to a page that confirms the address and signs in.

import { useState } from 'preact/hooks';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import { to } from '../../address.ts';
import { ask } from '../../data/service.ts';
import { asError } from '../../data/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { Check, InputField } from '../../parts/field.tsx';
import { Problem } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { text } from '../../text/text.ts';
import { SendAgain } from './sign-in-page.tsx';

const NOTHING = { email: '', password: '', name: '', tosAccepted: false, privacyAccepted: false, aupAccepted: false };

export function SignUpPage() {
  const [wish, setWish] = useState(NOTHING);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<SlipstreamError | null>(null);
  const [isSent, setSent] = useState(false);
  const change = (part: Partial<typeof NOTHING>): void => setWish({ ...wish, ...part });

  const submit = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      const { name, ...rest } = wish;
      await ask('POST', '/auth/signup', name === '' ? rest : { ...rest, name });
      setSent(true);
    } catch (error) {
      const refusal = asError(error);
      // The account exists: what is missing is the mail.
      if (refusal.code === 'email_delivery_failed') setSent(true);
      setFailure(refusal);
    } finally {
      setBusy(false);
    }
  };

  if (isSent) {
    return (
      <Page title={text.signIn.mailTitle} width="form">
        {failure === null ? <p>{text.signIn.mailSent(wish.email)}</p> : <Problem error={failure} />}
        <SendAgain email={wish.email} />
      </Page>
    );
  }
  return (
    <Page title={text.signIn.signUpTitle} width="form">
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
          value={wish.email}
          onInput={(email) => change({ email })}
        />
        <InputField
          label={text.signIn.newPassword}
          type="password"
          autoComplete="new-password"
          required
          minLength={8}
          maxLength={72}
          value={wish.password}
          onInput={(password) => change({ password })}
        />
        <InputField
          label={text.signIn.name}
          type="text"
          autoComplete="name"
          value={wish.name}
          onInput={(name) => change({ name })}
        />
        <Check
          label={text.signIn.tos}
          required
          checked={wish.tosAccepted}
          onChange={(tosAccepted) => change({ tosAccepted })}
        />
        <Check
          label={text.signIn.privacy}
          required
          checked={wish.privacyAccepted}
          onChange={(privacyAccepted) => change({ privacyAccepted })}
        />
        <Check
          label={text.signIn.aup}
          required
          checked={wish.aupAccepted}
          onChange={(aupAccepted) => change({ aupAccepted })}
        />
        {failure !== null && <Problem error={failure} />}
        <div class="row">
          <Button kind="primary" type="submit" disabled={busy}>
            {text.signIn.signUp}
          </Button>
          <span>
            {text.signIn.haveAccount} <a href={to('/console/sign-in')}>{text.signIn.signIn}</a>
          </span>
        </div>
      </form>
    </Page>
  );
}
