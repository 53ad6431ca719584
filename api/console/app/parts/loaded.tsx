// What a page shows while it loads, when that fails, and when the plan does not include it; each with what to do next.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import type { Load } from '../data/use-load.ts';
import { text } from '../text/text.ts';
import { Button, LinkButton } from './button.tsx';

export interface LoadedProps<Value> {
  readonly load: Load<Value> & { readonly reload: () => void };
  readonly children: (value: Value) => ComponentChildren;
}

export function Loaded<Value>({ load, children }: LoadedProps<Value>) {
  if (load.kind === 'loading') return <Loading retry={load.reload} />;
  if (load.kind === 'failed') return <Failure error={load.error} retry={load.reload} />;
  return <>{children(load.value)}</>;
}

/** Answers that come at once are not announced. */
const QUIET_MS = 300;
/** After this long, people wonder. */
const LATE_MS = 8_000;

interface LoadingProps {
  /** Asks once more. */
  readonly retry: () => void;
}

/** Says that something loads once it takes a moment, and what to do once it takes long. */
export function Loading({ retry }: LoadingProps) {
  const isSlow = useElapsed(QUIET_MS);
  return (
    <div class="loading" role="status">
      {isSlow && <Late retry={retry}>{text.parts.loading}</Late>}
    </div>
  );
}

/** What to do once something takes long; `children` until then. */
export function Late({ retry, children }: LoadingProps & { readonly children?: ComponentChildren }) {
  const [asked, setAsked] = useState(0);
  if (!useElapsed(LATE_MS, asked)) return <>{children}</>;
  return (
    <div class="row" role="status">
      {text.parts.late}
      <Button
        small
        onClick={() => {
          setAsked(asked + 1);
          retry();
        }}
      >
        {text.parts.tryAgain}
      </Button>
    </div>
  );
}

function useElapsed(ms: number, key: unknown = null): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    setOver(false);
    const timer = setTimeout(() => setOver(true), ms);
    return () => clearTimeout(timer);
  }, [ms, key]);
  return isOver;
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
      <p>{problemOf(error)}</p>
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
      {problemOf(error)}
    </div>
  );
}

export function problemOf(error: SlipstreamError): string {
  return error.status === null ? text.parts.unreachable : error.message;
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
