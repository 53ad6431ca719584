// Pages that need a sign-in: shown when there is one, otherwise the way to one.

import { type ComponentChildren, type ComponentType, Fragment } from 'preact';
import { findAccount, signIn } from '../data/account.ts';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { Failure, Loading } from '../parts/loaded.tsx';

/** A page without a subject. */
export function guarded(Page: ComponentType): ComponentType {
  return () => (
    <Guarded>
      <Page />
    </Guarded>
  );
}

/** A page whose address ends in the id of what it shows. A page is made anew for each. */
export function subject(Page: ComponentType<{ readonly id: string }>): ComponentType<{ readonly id?: string }> {
  return ({ id }) => (
    <Guarded>
      <Page key={id} id={id!} />
    </Guarded>
  );
}

function Guarded({ children }: { readonly children: ComponentChildren }) {
  const state = signIn.value;
  switch (state.kind) {
    case 'asking':
      return (
        <main id="main" class="main">
          <Loading retry={() => void findAccount()} />
        </main>
      );
    case 'failed':
      return (
        <main id="main" class="main">
          <Failure error={state.error} retry={() => void findAccount()} />
        </main>
      );
    case 'out':
      return <SignInPage />;
    case 'in':
      // Nothing of another account's page stays.
      return <Fragment key={state.account.accountId}>{children}</Fragment>;
  }
}
