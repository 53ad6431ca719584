// Hears what is changed of accounts, by whatever process: an operator's command, another service, this one.

export interface AccountChangeListener {
  /** The plan or the spend cap is another, or the account is gone. */
  account(accountId: string): void;
  /** Tokens were revoked. */
  tokens(accountId: string): void;
  /** Endpoints were made, changed or deleted. */
  webhooks(accountId: string): void;
  /** Some changes may have been missed: trust nothing that is remembered. */
  missed(): void;
}

export interface AccountChanges {
  /** Calls the listener from now on until the returned function is called. Resolves when nothing is missed any more. */
  listen(listener: AccountChangeListener): Promise<() => Promise<void>>;
}
