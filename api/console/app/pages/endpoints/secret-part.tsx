// The signing secret: shown on demand, replaced, and how long the old one signs beside the new one. It lives in this part
// of the page only, and is gone when that is left.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import { ask, service } from '../../data/service.ts';
import { asError, useLoad } from '../../data/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { CopyBlock } from '../../parts/copy.tsx';
import { Failure, Problem } from '../../parts/loaded.tsx';
import { text } from '../../text/text.ts';
import { leftText } from './amounts.ts';

interface Overlap {
  readonly data: { readonly previousSecretUntil: string | null };
}

export function SecretPart({ webhookId }: { readonly webhookId: string }) {
  const [secret, setSecret] = useState<string | null>(null);
  const [isSure, setSure] = useState(false);
  // A second replacement would end the secret that receivers still have.
  const [isReplacing, setReplacing] = useState(false);
  /** Counts requests: the secret of an earlier one may be the old one. */
  const asked = useRef(0);
  const [failure, setFailure] = useState<SlipstreamError | null>(null);
  const overlap = useLoad(() => ask<Overlap>('GET', `/console/overlaps/${webhookId}`), [webhookId]);
  const get = async (request: () => Promise<{ readonly webhookSecret: string }>): Promise<void> => {
    const no = ++asked.current;
    setFailure(null);
    try {
      const { webhookSecret } = await request();
      if (no === asked.current) setSecret(webhookSecret);
    } catch (error) {
      setFailure(asError(error));
    }
  };
  const rotate = async (): Promise<void> => {
    setSure(false);
    setReplacing(true);
    await get(() => service.rotateWebhookSecret({ webhookId }));
    setReplacing(false);
    overlap.reload();
  };
  const until = overlap.kind === 'ready' ? overlap.value.data.previousSecretUntil : null;
  return (
    <section class="card">
      <h2>{text.endpoints.secretTitle}</h2>
      <p class="soft">{text.endpoints.secretHint}</p>
      {overlap.kind === 'failed' && <Failure error={overlap.error} retry={overlap.reload} />}
      {until !== null && <Countdown untilMs={Date.parse(until)} />}
      {secret !== null && <CopyBlock value={secret} label={text.endpoints.secret} />}
      {failure !== null && <Problem error={failure} />}
      <div class="row">
        {secret === null ? (
          <Button disabled={isReplacing} onClick={() => void get(() => service.getWebhookSecret({ webhookId }))}>
            {text.endpoints.showSecret}
          </Button>
        ) : (
          <Button onClick={() => setSecret(null)}>{text.endpoints.hideSecret}</Button>
        )}
        {!isSure && (
          <Button disabled={isReplacing} onClick={() => setSure(true)}>
            {text.endpoints.rotate}
          </Button>
        )}
      </div>
      {isSure && (
        <div class="notice warn">
          <p>{text.endpoints.rotateHint}</p>
          <div class="row">
            <Button kind="danger" onClick={() => void rotate()}>
              {text.endpoints.rotateSure}
            </Button>
            <Button onClick={() => setSure(false)}>{text.endpoints.cancel}</Button>
          </div>
        </div>
      )}
    </section>
  );
}

function Countdown({ untilMs }: { readonly untilMs: number }) {
  const [nowMs, setNowMs] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  if (nowMs >= untilMs) return null;
  return <p class="notice">{text.endpoints.overlap(leftText(untilMs - nowMs))}</p>;
}
