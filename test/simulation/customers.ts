// The customers of a scenario: their endpoints, and how the settings of those change.

import { PREVIOUS_SECRET_MS } from '#api/webhooks/endpoint-settings.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { newSettings, secretOf, urlOf } from './endpoint-plans.ts';
import type { Version } from './observed.ts';
import type { EndpointEvent, EndpointPlan, Scenario } from './scenario.ts';

export class Customers {
  readonly #scenario: Scenario;
  readonly #plans: ReadonlyMap<string, EndpointPlan>;
  readonly #versions: Map<string, Version[]>;
  readonly #endpointAt = new Map<string, string>();

  /** Records every change of settings in `versions`. */
  constructor(scenario: Scenario, versions: Map<string, Version[]>) {
    this.#scenario = scenario;
    this.#plans = new Map(scenario.endpoints.map((plan) => [plan.name, plan]));
    this.#versions = versions;
  }

  planOf(endpoint: string): EndpointPlan {
    return this.#plans.get(endpoint)!;
  }

  /**
   * Returns the settings that the service hands to the engine. A deleted endpoint is inactive: it is counted but gets
   * nothing.
   */
  settingsOf(endpoint: string): EndpointSettings {
    const { settings, deleted } = this.#last(endpoint);
    return deleted ? { ...settings, active: false } : settings;
  }

  isDeleted(endpoint: string): boolean {
    return this.#last(endpoint).deleted;
  }

  /** Returns the account's present endpoints. */
  endpointsOf(account: string): string[] {
    return this.#scenario.endpoints
      .filter(({ name, account: owner }) => owner === account && this.#versions.has(name) && !this.isDeleted(name))
      .map(({ name }) => name);
  }

  /** Returns the endpoint and the run that a request is for. */
  addressee(origin: string, headers: ReadonlyMap<string, string>): { endpoint: string; runId: string } {
    const endpoint = this.#endpointAt.get(origin)!;
    const runId =
      headers.get('x-service-resend') ??
      headers.get('x-service-replay-run-id') ??
      `live_${this.planOf(endpoint).account}`;
    return { endpoint, runId };
  }

  create(plan: EndpointPlan, nowMs: number): void {
    const settings = newSettings(plan);
    this.#versions.set(plan.name, []);
    this.#set(plan.name, { fromMs: nowMs, settings, deleted: false });
  }

  /** Applies the change. Returns what to send to the engine; null if the endpoint does not exist yet, or no longer. */
  change(event: EndpointEvent, nowMs: number, wallMs: number): EndpointSettings | 'deleted' | null {
    const { endpoint } = event;
    if (!this.#versions.has(endpoint) || this.isDeleted(endpoint)) return null;
    const { settings } = this.#last(endpoint);
    if (event.kind === 'delete') {
      this.#set(endpoint, { fromMs: nowMs, settings, deleted: true });
      return 'deleted';
    }
    const changed = { ...settings, ...this.#changes(event, settings, wallMs) };
    this.#set(endpoint, { fromMs: nowMs, settings: changed, deleted: false });
    return changed;
  }

  #changes(
    event: Exclude<EndpointEvent, { readonly kind: 'delete' }>,
    settings: EndpointSettings,
    wallMs: number,
  ): Partial<EndpointSettings> {
    const { endpoint } = event;
    const count = this.#versions.get(endpoint)!.length;
    switch (event.kind) {
      case 'pause':
        return { active: false };
      case 'unpause':
        return { active: true };
      case 'filter':
        return { filters: event.filters };
      case 'move':
        return { url: urlOf(this.planOf(endpoint), count), method: 'put' };
      case 'rotate': {
        const previousSecret = { secret: settings.secret, untilMs: wallMs + PREVIOUS_SECRET_MS };
        return { secret: secretOf(endpoint, count), previousSecret };
      }
    }
  }

  #last(endpoint: string): Version {
    return this.#versions.get(endpoint)!.at(-1)!;
  }

  #set(endpoint: string, version: Version): void {
    this.#versions.get(endpoint)!.push(version);
    this.#endpointAt.set(new URL(version.settings.url).origin, endpoint);
  }
}
