// A parsed `filters` object. It arrives in requests that create or change webhooks. An empty one matches everything.

export interface FilterSpec {
  readonly drivers?: readonly string[];
  readonly driverNumbers?: readonly string[];
  readonly constructors?: readonly string[];
  readonly positions?: { readonly min?: number; readonly max?: number };
  readonly eventTypes?: readonly string[];
}
