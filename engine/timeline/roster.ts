// Who takes part: the drivers known at a point of the timeline, in the order of their first appearance. A driver's index
// is the bit that stands for him in an update's driver mask; it never changes within a session.

export interface RosterDriver {
  readonly number: string;
  readonly tla: string;
  readonly team: string;
}

/** The drivers as known from a position of the timeline on, until the next roster. */
export interface Roster {
  readonly fromPosition: number;
  readonly drivers: readonly RosterDriver[];
}
