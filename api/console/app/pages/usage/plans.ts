// What each plan includes. A page knows the terms of its own account only; a test compares this table with the service's.

export type PlanName = 'free' | 'developer' | 'custom';

export interface ShownTerms {
  readonly feeds: readonly ('free' | 'live' | 'analytics')[];
  readonly endpoints: number;
  /** Null: without a limit. This holds for all counts. */
  readonly feedsPerEndpoint: number | null;
  readonly deliveries: number | null;
  readonly demoDeliveries: number | null;
  readonly past: 'skipped' | 'billed';
  readonly streams: number;
  readonly grpc: boolean;
  readonly requests: number;
  readonly slots: number | null;
  readonly currentSeasonOnly: boolean;
  readonly previews: 'headline' | 'full';
  readonly fantasy: boolean;
  readonly punctual: boolean;
}

export const PLANS: Readonly<Record<PlanName, ShownTerms>> = {
  free: {
    feeds: ['free'],
    endpoints: 3,
    feedsPerEndpoint: 6,
    deliveries: 5_000,
    demoDeliveries: 150_000,
    past: 'skipped',
    streams: 1,
    grpc: false,
    requests: 600,
    slots: 5,
    currentSeasonOnly: true,
    previews: 'headline',
    fantasy: false,
    punctual: false,
  },
  developer: {
    feeds: ['free', 'live'],
    endpoints: 25,
    feedsPerEndpoint: null,
    deliveries: 50_000,
    demoDeliveries: 1_000_000,
    past: 'billed',
    streams: 5,
    grpc: false,
    requests: 1_800,
    slots: 10,
    currentSeasonOnly: true,
    previews: 'full',
    fantasy: true,
    punctual: false,
  },
  custom: {
    feeds: ['free', 'live', 'analytics'],
    endpoints: 10_000,
    feedsPerEndpoint: null,
    deliveries: null,
    demoDeliveries: null,
    past: 'skipped',
    streams: 2_000,
    grpc: true,
    requests: 36_000,
    slots: null,
    currentSeasonOnly: false,
    previews: 'full',
    fantasy: true,
    punctual: true,
  },
};

export const PLAN_NAMES: readonly PlanName[] = ['free', 'developer', 'custom'];
