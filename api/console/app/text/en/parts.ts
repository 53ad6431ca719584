// English texts of the parts that all pages use.

export const parts = {
  tab: (title: string) => `${title} · Slipstream`,
  loading: 'Loading…',
  late: 'This takes longer than usual. You can wait, or try again.',
  failed: 'This did not work',
  notInPlan: 'Your plan does not include this',
  signedOut: 'You are signed out',
  unreachable: 'The service cannot be reached. Check your connection, then try again.',
  stale: (why: string) => `What you see may be old. ${why}`,
  tryNow: 'Try now',
  unloaded: 'This page could not be loaded',
  unloadedHint: 'The connection broke, or the console has changed since you opened it.',
  loadAgain: 'Load it again',
  tryAgain: 'Try again',
  seePlans: 'See what each plan includes',
  signIn: 'Sign in',
  close: 'Close',
  copy: 'Copy',
  copyWhat: (what: string) => `Copy ${what}`,
  copied: 'Copied.',
  notCopied: 'The browser does not let this page copy: select the text and copy it yourself.',
};
