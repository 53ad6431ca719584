// English texts of what surrounds the pages.

export const frame = {
  skip: 'Skip to the content',
  brand: 'Slipstream',
  description: 'Race data by webhook: signed updates within milliseconds, live and replayed.',
  /** Markup. */
  withoutScript: (docs: string) =>
    `The console needs JavaScript. <a href="${docs}">The documentation</a> and the API do not.`,
  navigation: 'Pages',
  home: 'Home',
  endpoints: 'Endpoints',
  replay: 'Replay',
  calendar: 'Calendar',
  fantasy: 'Fantasy',
  usage: 'Usage',
  developers: 'Developers',
  docs: 'Docs',
  signIn: 'Sign in',
  signUp: 'Sign up',
  signOut: 'Sign out',
  theme: (now: string) => `Colours: ${now}`,
  themes: { system: 'as the system', dark: 'dark', light: 'light' },
  notFound: 'There is no such page',
  notFoundHint: 'The address may be mistyped, or the page may have moved.',
  toHome: 'Go to the first page',
};
