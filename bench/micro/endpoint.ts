// A typical endpoint, for subjects that need one.

import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';

export function endpoint(changes: Partial<EndpointSettings> = {}): EndpointSettings {
  return {
    webhookId: 'wh_01k2bench000000000000000000',
    webhookNo: 1,
    accountId: 'acc_01k2bench000000000000000000',
    url: 'https://receiver.example/hook',
    method: 'post',
    active: true,
    secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    previousSecret: null,
    headerLines: '',
    filters: {},
    subscriptions: [{ feedId: 'timing.data', filters: {}, active: true }],
    ...changes,
  };
}
