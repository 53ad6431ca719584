// Sends a test and shows what became of it.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { TestWebhookAnswer } from '#api/client/calls.ts';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import { service } from '../../data/service.ts';
import { asError } from '../../data/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/loaded.tsx';
import { text } from '../../text/text.ts';
import { msText } from './amounts.ts';

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'sending' }
  | { readonly kind: 'answered'; readonly answer: TestWebhookAnswer }
  | { readonly kind: 'failed'; readonly error: SlipstreamError };

export interface TestButtonProps {
  readonly webhookId: string;
  /** Other buttons, beside this one. */
  readonly children?: ComponentChildren;
}

export function TestButton({ webhookId, children }: TestButtonProps) {
  const [state, setState] = useState<State>({ kind: 'idle' });
  const send = async (): Promise<void> => {
    setState({ kind: 'sending' });
    try {
      setState({ kind: 'answered', answer: await service.testWebhook({ webhookId }) });
    } catch (failure) {
      setState({ kind: 'failed', error: asError(failure) });
    }
  };
  return (
    <div class="stack tight">
      <div class="row">
        <Button disabled={state.kind === 'sending'} onClick={() => void send()}>
          {state.kind === 'sending' ? text.endpoints.testing : text.endpoints.test}
        </Button>
        {children}
      </div>
      <div role="status">{state.kind === 'answered' && <Answer answer={state.answer} />}</div>
      {state.kind === 'failed' && <Problem error={state.error} />}
    </div>
  );
}

function Answer({
  answer: { delivered, statusCode, latencyMs, errorMessage },
}: {
  readonly answer: TestWebhookAnswer;
}) {
  const took = msText(latencyMs);
  return (
    <div class={`notice ${delivered ? 'good' : 'bad'}`}>
      {delivered
        ? text.endpoints.testDelivered(statusCode, took)
        : text.endpoints.testFailed(errorMessage ?? text.endpoints.noAnswer, took)}
    </div>
  );
}
