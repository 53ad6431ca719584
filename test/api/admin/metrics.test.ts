// How strict the test reader of the metrics is, and how API requests are counted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { logMetrics } from '#api/admin/metrics/log-metrics.ts';
import { gauge } from '#api/admin/metrics/sampled-metric.ts';
import { RequestMeter } from '#api/http/request-meter.ts';
import { NodeMeter } from '#api/nodes/node-meter.ts';
import { Lease } from '#engine/base/lease.ts';
import { NODE_LEASE_MARGIN_MS, NODE_LEASE_MS } from '#engine/base/limits.ts';
import { PrometheusText } from '#test/support/prometheus-text.ts';
import { withOperators } from './operators.ts';

const HEAD = '# HELP a_total All.\n# TYPE a_total counter\n';

test('the reader accepts what the format allows and rejects what it does not', () => {
  const read = new PrometheusText(`${HEAD}a_total{b="x\\"\\\\\\n",c=""} 1\na_total 2e+3\n`);
  assert.equal(read.sum('a_total'), 2_001);
  assert.equal(read.sum('a_total', { b: 'x"\\\n' }), 1);
  const histogram = (lines: string): string => `# HELP h H.\n# TYPE h histogram\n${lines}`;
  new PrometheusText(histogram('h_bucket{le="1"} 1\nh_bucket{le="+Inf"} 2\nh_sum 3\nh_count 2\n'));
  const wrong: Record<string, string> = {
    'no end of line': `${HEAD}a_total 1`,
    'no TYPE': 'a_total 1\n',
    'TYPE without HELP': '# TYPE a_total counter\na_total 1\n',
    'TYPE twice': `${HEAD}# TYPE a_total counter\n`,
    'a counter by another name': '# HELP a All.\n# TYPE a counter\na 1\n',
    'a counter below zero': `${HEAD}a_total -1\n`,
    'a gauge by the name of a counter': '# HELP a_total All.\n# TYPE a_total gauge\na_total 1\n',
    'a series twice': `${HEAD}a_total{b="1",c="2"} 1\na_total{c="2",b="1"} 1\n`,
    'a label twice': `${HEAD}a_total{b="1",b="2"} 1\n`,
    'an unknown escape': `${HEAD}a_total{b="\\t"} 1\n`,
    'an open label': `${HEAD}a_total{b="1} 1\n`,
    'a comma at the end': `${HEAD}a_total{b="1",} 1\n`,
    'no value': `${HEAD}a_total \n`,
    'a time': `${HEAD}a_total 1 1700000000000\n`,
    'samples apart': `${HEAD}a_total 1\n# HELP b B.\n# TYPE b gauge\nb 1\na_total{c="1"} 1\n`,
    'not cumulative': histogram('h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 3\nh_count 1\n'),
    'no +Inf': histogram('h_bucket{le="1"} 1\nh_sum 3\nh_count 1\n'),
    'another count': histogram('h_bucket{le="+Inf"} 1\nh_sum 3\nh_count 2\n'),
    'no sum': histogram('h_bucket{le="+Inf"} 1\nh_count 1\n'),
    'falling bounds': histogram('h_bucket{le="2"} 1\nh_bucket{le="1"} 1\nh_bucket{le="+Inf"} 1\nh_sum 3\nh_count 1\n'),
  };
  for (const [what, text] of Object.entries(wrong))
    assert.throws(() => new PrometheusText(text), assert.AssertionError, what);
});

test('with no data yet and without a database, the metrics are complete', async (t) => {
  const operators = await withOperators(t);
  const { text } = await operators.call('GET', '/metrics');
  const metrics = new PrometheusText(text);
  assert.equal(metrics.sum('slipstream_database_up'), 0);
  assert.equal(metrics.sum('slipstream_attempts_total'), 0);
  assert.equal(metrics.sum('slipstream_build_info', { version: '0.0.0' }), 1);
  assert.ok(metrics.sum('slipstream_data_free_bytes') > 0);
  assert.ok(metrics.series < 1_000, `${metrics.series} series`);
});

test('the page of a node says which one it is, how old its lease is, what it holds, what it has passed on and what it has left; without a cluster, nothing of this', async (t) => {
  const [meter, lease] = [new NodeMeter(), new Lease()];
  const node = { nodeNo: 3, address: '10.0.0.1:8090', lease: lease.memory, meter: meter.memory };
  const operators = await withOperators(t, { node });
  lease.extend(operators.time.nowMs() - 400 + NODE_LEASE_MS - NODE_LEASE_MARGIN_MS);
  meter.gauges.set('slots', 128);
  meter.gauges.set('nodesAlive', 2);
  meter.passings.add('answered', 4);
  meter.passings.add('unknown');
  meter.passMs.record(30);
  meter.leavings.add('sessions', 2);
  const metrics = new PrometheusText((await operators.call('GET', '/metrics')).text);
  assert.equal(metrics.sum('slipstream_node_info', { node: '3', address: '10.0.0.1:8090' }), 1);
  assert.equal(metrics.sum('slipstream_node_lease_age_seconds'), 0.4);
  assert.equal(metrics.sum('slipstream_node_slots'), 128);
  assert.equal(metrics.sum('slipstream_nodes_alive'), 2);
  assert.equal(metrics.sum('slipstream_forwarded_requests_total'), 5);
  assert.equal(metrics.sum('slipstream_forwarded_requests_total', { outcome: 'unknown' }), 1);
  assert.equal(metrics.sum('slipstream_forward_seconds_sum'), 0.03);
  assert.equal(metrics.sum('slipstream_live_sessions_left_total'), 2);
  const alone = new PrometheusText((await (await withOperators(t)).call('GET', '/metrics')).text);
  assert.equal(alone.families.has('slipstream_node_info'), false);
});

test('special characters in a label value cannot break the format', async () => {
  const { Registry } = await import('prom-client');
  const registry = new Registry();
  registry.registerMetric(gauge('a', 'A "b" \\ c', () => [[{ session: 'x"\\\n{}' }, 1]]));
  const read = new PrometheusText(await registry.metrics());
  assert.deepEqual(read.labels('a', 'session'), ['x"\\\n{}']);
});

test('requests are counted by operation and status class, and all unknown paths as one operation', () => {
  const meter = RequestMeter.of([{ method: 'GET', path: '/a/:id' }]);
  meter.answered(0, 204, 3);
  meter.answered(0, 404, 3);
  meter.answered(0, 101, 3);
  meter.answered(1, 404, 1);
  const { answers, ms } = RequestMeter.reading(structuredClone(meter.counts)).route(0);
  assert.deepEqual(
    answers.names.map((name) => answers.value(name)),
    [1, 0, 1, 1],
  );
  assert.equal(ms.sum, 9);
  assert.equal(meter.route(1).answers.value('4xx'), 1);
});

test('the journal of the delivery log has three metrics, which are absent while the database is away', async () => {
  const read = async (latest: Parameters<typeof logMetrics>[0]): Promise<PrometheusText> => {
    const registry = new Registry();
    for (const metric of logMetrics(latest)) registry.registerMetric(metric);
    return new PrometheusText(await registry.metrics());
  };
  const present = await read(() => ({ rows: 3, attempts: 70, ageMs: 1_500 }));
  assert.equal(present.sum('slipstream_log_journal_rows'), 3);
  assert.equal(present.sum('slipstream_log_journal_attempts'), 70);
  assert.equal(present.sum('slipstream_log_journal_age_seconds'), 1.5);
  const absent = await read(() => null);
  assert.throws(() => absent.sum('slipstream_log_journal_rows'), /exists/);
});
