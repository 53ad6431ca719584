// Who is signed in.

import { signal } from '@preact/signals';
import { SlipstreamError } from '#api/client/slipstream-error.ts';
import { ask, forgetToken, whenSignInEnds } from './service.ts';

export interface PlanTerms {
  /** Access classes of feeds: `free`, `live`, `analytics`. */
  readonly opens: readonly string[];
  readonly endpoints: number;
  /** Null: without a limit. */
  readonly feedsPerEndpoint: number | null;
  readonly deliveriesPerMonth: number | null;
  readonly past: 'skipped' | 'billed';
  readonly streams: number;
  readonly requestsPerHour: number;
  readonly simulateSlots: number | null;
  readonly previews: 'headline' | 'full';
  readonly fantasy: boolean;
}

export interface Account {
  readonly accountId: string;
  readonly email: string;
  readonly name: string | null;
  readonly clientId: string;
  readonly plan: 'free' | 'developer' | 'custom';
  readonly terms: PlanTerms;
  readonly sellsPlans: boolean;
}

export type SignIn =
  /** Not known yet. */
  | { readonly kind: 'asking' }
  /** `hasEnded`: it was there when the page was opened. */
  | { readonly kind: 'out'; readonly hasEnded: boolean }
  | { readonly kind: 'in'; readonly account: Account }
  | { readonly kind: 'failed'; readonly error: SlipstreamError };

export const signIn = signal<SignIn>({ kind: 'asking' });

whenSignInEnds(() => {
  if (signIn.value.kind === 'in') signIn.value = { kind: 'out', hasEnded: true };
});

/** Asks the service who is signed in. */
export async function findAccount(): Promise<void> {
  try {
    const { data } = await ask<{ readonly data: Account | null }>('GET', '/console/account');
    signIn.value = data === null ? { kind: 'out', hasEnded: false } : { kind: 'in', account: data };
  } catch (failure) {
    if (!(failure instanceof SlipstreamError)) throw failure;
    signIn.value = { kind: 'failed', error: failure };
  }
}

export async function signOut(): Promise<void> {
  // The page goes first: what it was asking for would be refused.
  signIn.value = { kind: 'asking' };
  await new Promise(requestAnimationFrame);
  try {
    await ask('POST', '/auth/logout');
    forgetToken();
  } finally {
    await findAccount();
  }
}
