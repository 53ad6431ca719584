// Who wants a replay that delivers has said so on a page of the console. Its address alone says nothing: it may come from
// a message of somebody else, from a reload, or from the browser's history, and deliveries cost.

let wished: string | null = null;

/** The page that is opened next may deliver this session. */
export function wishDeliveries(sessionId: string): void {
  wished = sessionId;
}

/** Whether this session may be delivered. Of each wish once. */
export function takeWish(sessionId: string): boolean {
  const isWished = wished === sessionId;
  wished = null;
  return isWished;
}
