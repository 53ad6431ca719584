// Messages between the main thread and the thread that keeps a node's lease.

import type { NodeRecord, Standing } from '#engine/nodes/membership.ts';

export interface ToCluster {
  readonly kind: 'close';
}

export type FromCluster =
  | { readonly kind: 'ready' }
  | { readonly kind: 'standing'; readonly standing: Standing }
  | { readonly kind: 'took-over'; readonly node: NodeRecord }
  | { readonly kind: 'replaced' }
  | { readonly kind: 'closed' };
