// The client credentials: the secret is shown on demand, for a short time, and replaced after a confirmation.

import { useEffect, useState } from 'preact/hooks';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import { ask } from '../../data/service.ts';
import { asError } from '../../data/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/loaded.tsx';
import { toast } from '../../parts/toasts.tsx';
import { text } from '../../text/text.ts';

const t = text.developers;
const SHOWN_S_MAX = 60;

interface GivenCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export function Credentials({ clientId }: { readonly clientId: string }) {
  const [secret, setSecret] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<SlipstreamError | null>(null);
  const [isAsking, setAsking] = useState(false);

  useEffect(() => {
    if (secret === null) return;
    const hide = (): void => setSecret(null);
    const hideWithWindow = (): void => {
      if (document.hidden) hide();
    };
    const timer = setTimeout(hide, SHOWN_S_MAX * 1_000);
    document.addEventListener('visibilitychange', hideWithWindow);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', hideWithWindow);
    };
  }, [secret]);

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      await work();
    } catch (error) {
      setFailure(asError(error));
    } finally {
      setBusy(false);
    }
  };
  const show = () =>
    attempt(async () => setSecret((await ask<GivenCredentials>('POST', '/oauth/credentials')).clientSecret));
  const replace = () =>
    attempt(async () => {
      const { data } = await ask<{ readonly data: GivenCredentials }>('POST', '/console/regenerate-secret');
      setSecret(data.clientSecret);
      toast({ message: t.replaced });
    }).then(() => setAsking(false));

  return (
    <section class="card">
      <h2>{t.credentialsTitle}</h2>
      <p>{t.credentialsLead}</p>
      <div class="credential">
        <span class="soft">{t.clientId}</span>
        <code>{clientId}</code>
        <CopyButton value={clientId} label={t.clientId} />
      </div>
      <div class="credential">
        <span class="soft">{t.clientSecret}</span>
        <span aria-live="polite">{secret === null ? <span class="soft">{t.hidden}</span> : <code>{secret}</code>}</span>
        {secret !== null && <CopyButton value={secret} label={t.clientSecret} />}
      </div>
      {secret !== null && <p class="small soft">{t.hidesItself(SHOWN_S_MAX)}</p>}
      {failure !== null && <Problem error={failure} />}
      <div class="row">
        <Button disabled={busy} onClick={secret === null ? () => void show() : () => setSecret(null)}>
          {secret === null ? t.show : t.hide}
        </Button>
        <Button kind="danger" disabled={busy} onClick={() => setAsking(true)}>
          {t.replace}
        </Button>
      </div>
      {isAsking && (
        <Dialog title={t.replaceTitle} onClose={() => setAsking(false)}>
          <p>{t.replaceEnds}</p>
          <ul class="season-list">
            {t.replaceWhat.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
          <p>{t.replaceKeeps}</p>
          <div class="row">
            <Button kind="danger" disabled={busy} onClick={() => void replace()}>
              {t.replaceDo}
            </Button>
            <Button onClick={() => setAsking(false)}>{t.cancel}</Button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
