// The drivers known at a point of the timeline, in the order of their first appearance. A driver's index is the
// driver's bit in the driver mask of an update. It never changes within a session.

export interface RosterDriver {
  readonly number: string;
  readonly tla: string;
  readonly team: string;
}

/** The drivers as known from this position on, until the next roster. */
export interface Roster {
  readonly fromPosition: number;
  readonly drivers: readonly RosterDriver[];
}
