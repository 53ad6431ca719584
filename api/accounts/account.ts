// An account, as far as requests care.

export type Plan = 'free' | 'developer' | 'custom';

export const PLANS: readonly Plan[] = ['free', 'developer', 'custom'];
