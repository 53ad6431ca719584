// A node of a cluster: which one it is, its lease, its slots, the requests that it passes on, and the live sessions that it left.

import type { Metric } from 'prom-client';
import { type MeteredNode, NodeMeter, PASSINGS } from '#api/nodes/node-meter.ts';
import type { Clock } from '#engine/base/clock.ts';
import { Lease } from '#engine/base/lease.ts';
import { NODE_LEASE_MARGIN_MS, NODE_LEASE_MS } from '#engine/base/limits.ts';
import { counter, gauge, histogram, NO_LABELS, type Sample } from './sampled-metric.ts';

export function nodeMetrics({ nodeNo, address, lease, meter }: MeteredNode, clock: Clock): readonly Metric[] {
  const own = new Lease(lease);
  const { gauges, passings, passMs, leavings } = new NodeMeter(meter);
  return [
    gauge('slipstream_node_info', 'Always 1; the labels say which node of the cluster this is.', () => [
      [{ node: String(nodeNo), address }, 1],
    ]),
    gauge(
      'slipstream_node_lease_age_seconds',
      'Since when the lease of this node was not renewed; it ends after 2.25 seconds.',
      () => [[NO_LABELS, (clock.nowMs() - own.untilMs + NODE_LEASE_MS - NODE_LEASE_MARGIN_MS) / 1_000]],
    ),
    gauge('slipstream_node_slots', 'Slots that this node is home to, of 256.', () => [
      [NO_LABELS, gauges.value('slots')],
    ]),
    gauge(
      'slipstream_nodes_alive',
      'Nodes of the cluster whose lease held when this node last renewed its own.',
      () => [[NO_LABELS, gauges.value('nodesAlive')]],
    ),
    counter(
      'slipstream_forwarded_requests_total',
      'Requests that this node passed on to the home of their account, by what became of them.',
      () => PASSINGS.map((outcome): Sample => [{ outcome }, passings.value(outcome)]),
    ),
    histogram('slipstream_forward_seconds', 'From passing a request on to the beginning of the answer.', 1_000, () => [
      [NO_LABELS, [passMs]],
    ]),
    counter(
      'slipstream_live_sessions_left_total',
      'Live sessions that this node delivers no more, because its updates differ from those of the node that feeds them.',
      () => [[NO_LABELS, leavings.value('sessions')]],
    ),
  ];
}
