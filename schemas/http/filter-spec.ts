// A filters object as customers write it (interface.md), parsed. Empty means: everything.

export interface FilterSpec {
  readonly drivers?: readonly string[];
  readonly driverNumbers?: readonly string[];
  readonly constructors?: readonly string[];
  readonly positions?: { readonly min?: number; readonly max?: number };
  readonly eventTypes?: readonly string[];
}
