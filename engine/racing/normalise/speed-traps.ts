// Where speeds are measured: the upstream's name of the place and ours, in the order in which payloads show them.

export const SPEED_TRAPS = [
  ['I1', 'intermediate1'],
  ['I2', 'intermediate2'],
  ['FL', 'finishLine'],
  ['ST', 'speedTrap'],
] as const;
