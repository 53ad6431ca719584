// The endpoints of a scenario as customers would have set them up: their URLs and secrets.

import { createHash } from 'node:crypto';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { EndpointPlan } from './scenario.ts';

/** Ports of endpoints on this machine; nothing listens there. */
const PORT = 20_000;

/** Endpoints are called `wh_0` and so on, with gaps if some were left out. */
const numberOf = ({ name }: EndpointPlan): number => Number(name.slice('wh_'.length));

/** A different address for each move. */
export function urlOf(plan: EndpointPlan, moves: number): string {
  const port = PORT + 100 * numberOf(plan) + moves;
  return plan.loopback ? `http://localhost:${port}/hook` : `https://r${port}.example/hook?v=${moves}`;
}

/** In the service's format: `whsec_` and 32 bytes in base64. */
export function secretOf(endpoint: string, rotations: number): string {
  return `whsec_${createHash('sha256').update(`${endpoint} ${rotations}`).digest('base64')}`;
}

export function newSettings(plan: EndpointPlan): EndpointSettings {
  return {
    webhookId: plan.name,
    webhookNo: numberOf(plan) + 1,
    accountId: plan.account,
    url: urlOf(plan, 0),
    method: 'post',
    active: true,
    secret: secretOf(plan.name, 0),
    previousSecret: null,
    headerLines: '',
    snapshot: plan.snapshot,
    filters: plan.filters,
    subscriptions: plan.feeds.map(({ feedId, filters }) => ({ feedId, filters, active: true })),
  };
}
