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

const signedIn = async (): Promise<Account | null> =>
  (await ask<{ readonly data: Account | null }>('GET', '/console/account')).data;

/** Asks the service who is signed in. */
export async function findAccount(): Promise<void> {
  try {
    const account = await signedIn();
    forgetToken();
    signIn.value = account === null ? { kind: 'out', hasEnded: false } : { kind: 'in', account };
  } catch (failure) {
    if (!(failure instanceof SlipstreamError)) throw failure;
    signIn.value = { kind: 'failed', error: failure };
  }
}

/**
 * Asks whether it is still the same account, on the same plan: all tabs of a browser share the session cookie, and another
 * one may have signed in or out. Without an answer nothing changes.
 */
export async function checkAccount(): Promise<void> {
  const before = signIn.value;
  if (before.kind !== 'in') return;
  const account = await signedIn().catch(() => before.account);
  if (signIn.value !== before || JSON.stringify(account) === JSON.stringify(before.account)) return;
  if (account?.accountId !== before.account.accountId) forgetToken();
  signIn.value = account === null ? { kind: 'out', hasEnded: true } : { kind: 'in', account };
}

export async function signOut(): Promise<void> {
  // The page goes first: what it was asking for would be refused.
  signIn.value = { kind: 'asking' };
  await new Promise(requestAnimationFrame);
  try {
    await ask('POST', '/auth/logout');
  } finally {
    await findAccount();
  }
}
