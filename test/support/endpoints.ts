// Endpoint settings for tests.

import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';

export function endpointSettings(changes: Partial<EndpointSettings> = {}): EndpointSettings {
  return {
    webhookId: 'wh_1',
    webhookNo: 1,
    accountId: 'acc_1',
    url: 'http://localhost:9/hook',
    method: 'post',
    active: true,
    secret: 'whsec_c2VjcmV0',
    previousSecret: null,
    headerLines: '',
    filters: {},
    subscriptions: [{ feedId: 'timing.data', filters: {}, active: true }],
    ...changes,
  };
}
