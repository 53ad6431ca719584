// The places where speeds are measured: the upstream's name and ours, in the order of the payloads.

export const SPEED_TRAPS = [
  ['I1', 'intermediate1'],
  ['I2', 'intermediate2'],
  ['FL', 'finishLine'],
  ['ST', 'speedTrap'],
] as const;
