// What a page shows while it loads, when that fails, and when the plan does not include it; each with what to do next.

import type { ComponentChildren } from 'preact';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import type { Load } from '../data/use-load.ts';
import { text } from '../text/text.ts';
import { Button, LinkButton } from './button.tsx';

export interface LoadedProps<Value> {
  readonly load: Load<Value> & { readonly reload: () => void };
  readonly children: (value: Value) => ComponentChildren;
}

export function Loaded<Value>({ load, children }: LoadedProps<Value>) {
  if (load.kind === 'loading') return <Loading />;
  if (load.kind === 'failed') return <Failure error={load.error} retry={load.reload} />;
  return <>{children(load.value)}</>;
}

export function Loading() {
  return (
    <div class="loading" role="status">
      {text.parts.loading}
    </div>
  );
}

/** Codes after which another plan helps. */
const PLAN_CODES: ReadonlySet<string> = new Set([
  'insufficient_tier',
  'tier_required',
  'plan_limit_reached',
  'out_of_season',
  'simulate_quota_reached',
]);

export function Failure({ error, retry }: { readonly error: SlipstreamError; readonly retry?: () => void }) {
  const isPlan = PLAN_CODES.has(error.code);
  const signedOut = error.status === 401;
  return (
    <div class={`notice ${isPlan ? 'warn' : 'bad'}`} role="alert">
      <strong>{isPlan ? text.parts.notInPlan : signedOut ? text.parts.signedOut : text.parts.failed}</strong>
      <p>{error.status === null ? text.parts.unreachable : error.message}</p>
      <div class="row">
        {isPlan && <LinkButton path="/console/usage">{text.parts.seePlans}</LinkButton>}
        {signedOut && <LinkButton path="/console/sign-in">{text.parts.signIn}</LinkButton>}
        {!isPlan && !signedOut && retry !== undefined && <Button onClick={retry}>{text.parts.tryAgain}</Button>}
      </div>
    </div>
  );
}

/** What was wrong with a form, beside its button. */
export function Problem({ error }: { readonly error: SlipstreamError }) {
  return (
    <div class="notice bad" role="alert">
      {error.status === null ? text.parts.unreachable : error.message}
    </div>
  );
}

export interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** There is nothing yet: `children` say what to do. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="notice">
      <strong>{title}</strong>
      {children}
    </div>
  );
}
