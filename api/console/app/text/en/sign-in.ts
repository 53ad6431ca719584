// English texts of signing up and in.

export const signIn = {
  signInTitle: 'Sign in',
  signUpTitle: 'Sign up',
  email: 'Email address',
  password: 'Password',
  newPassword: 'Password, 8 to 72 characters',
  name: 'Name (optional)',
  tos: 'I accept the terms of service.',
  privacy: 'I accept the privacy policy.',
  aup: 'I accept the acceptable use policy.',
  signIn: 'Sign in',
  signUp: 'Sign up',
  hasEnded: 'Your sign-in has ended. Sign in to continue on this page.',
  noAccount: 'No account yet?',
  haveAccount: 'You have an account?',
  mailTitle: 'Look into your mail',
  mailSent: (email: string) => `A link is on its way to ${email}. Open it, press its button, and you are signed in.`,
  mailAgain: 'Send the link again',
  mailAgainSent: 'If the address awaits its confirmation, a new link is on its way.',
  already: (email: string) => `You are signed in as ${email}.`,
  toHome: 'Go to your home page',
};
