// The signatures of an attempt, made again in the page. The secret is fetched for that and kept nowhere.

import { useState } from 'preact/hooks';
import type { DeliveryLogDetail } from '#api/client/calls.ts';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import { service } from '../../data/service.ts';
import { asError } from '../../data/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/loaded.tsx';
import { text } from '../../text/text.ts';
import { canSign, checkSignatures, type SignatureCheck } from './signature-steps.ts';

export interface SignaturePartProps {
  readonly webhookId: string;
  readonly request: DeliveryLogDetail['request'];
}

type State =
  | { readonly kind: 'unasked' }
  | { readonly kind: 'checked'; readonly checks: readonly SignatureCheck[] }
  | { readonly kind: 'failed'; readonly error: SlipstreamError };

export function SignaturePart({ webhookId, request: { headers, body } }: SignaturePartProps) {
  const [state, setState] = useState<State>({ kind: 'unasked' });
  const check = async (): Promise<void> => {
    try {
      const { webhookSecret } = await service.getWebhookSecret({ webhookId });
      setState({ kind: 'checked', checks: await checkSignatures({ headers: headers!, body: body! }, webhookSecret) });
    } catch (failure) {
      setState({ kind: 'failed', error: asError(failure) });
    }
  };
  return (
    <section class="stack tight">
      <h3>{text.endpoints.signature}</h3>
      {headers === null || body === null ? (
        <p class="soft">{text.endpoints.cannotCheck}</p>
      ) : canSign() ? (
        <>
          <p class="small soft">{text.endpoints.checkHint}</p>
          <div class="row">
            <Button small onClick={() => void check()}>
              {text.endpoints.checkSignature}
            </Button>
          </div>
        </>
      ) : (
        <p class="soft">{text.endpoints.cannotSign}</p>
      )}
      {state.kind === 'failed' && <Problem error={state.error} />}
      <div role="status" class="stack">
        {state.kind === 'checked' && state.checks.map((one) => <Steps key={one.scheme} check={one} />)}
      </div>
    </section>
  );
}

function Steps({ check: { scheme, header, keyBytes, before, bodyBytes, computed, sent, matches } }: StepsProps) {
  return (
    <div class="card">
      <strong>{text.endpoints.schemes[scheme]}</strong>
      <ol class="signature-steps">
        <li>{text.endpoints.stepKey[scheme](keyBytes)}</li>
        <li>
          {text.endpoints.stepMessage[scheme](bodyBytes)}
          {before !== '' && <code class="small">{before}…</code>}
        </li>
        <li>
          {text.endpoints.stepHash[scheme]}
          <code class="small">{computed}</code>
        </li>
        <li>
          {text.endpoints.stepSent(header)}
          {sent.map((value) => (
            <code key={value} class="small">
              {value}
            </code>
          ))}
        </li>
      </ol>
      <span class={matches ? 'verdict good' : 'verdict bad'}>
        {matches ? text.endpoints.signatureRight : text.endpoints.signatureWrong}
      </span>
    </div>
  );
}

interface StepsProps {
  readonly check: SignatureCheck;
}
