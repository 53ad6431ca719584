// Notifications about changes to accounts, made by any process: an operator's command, another service, or this one.

export interface AccountChangeListener {
  /** The plan or the spend cap has changed, or the account is gone. */
  account(accountId: string): void;
  /** Tokens were revoked. */
  tokens(accountId: string): void;
  /** Endpoints were created, changed or deleted. */
  webhooks(accountId: string): void;
  /** A replay was marked as stopping. */
  runs(accountId: string): void;
  /** Some notifications may have been missed: nothing cached is valid any more. */
  missed(): void;
}

export interface AccountChanges {
  /** Notifies the listener until the returned function is called. Resolves once it misses no more changes. */
  listen(listener: AccountChangeListener): Promise<() => Promise<void>>;
}
