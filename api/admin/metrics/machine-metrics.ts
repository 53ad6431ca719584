// What the service stands on: database, disk, memory, files, and which version it is.

import type { Metric } from 'prom-client';
import type { MachineSample } from './machine.ts';
import { counter, gauge, NO_LABELS, type Sample } from './sampled-metric.ts';

/** `latest` is the sample that was taken for this reading. */
export function machineMetrics(latest: () => MachineSample, version: string): readonly Metric[] {
  const one = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : [[NO_LABELS, value]]);
  return [
    gauge('slipstream_database_up', '1 when the database has just answered.', () =>
      one(latest().database === null ? 0 : 1),
    ),
    gauge('slipstream_database_answer_seconds', 'How long the database took for a small question.', () => {
      const { database } = latest();
      return one(database === null ? undefined : database.answerMs / 1_000);
    }),
    gauge('slipstream_database_connections', 'Connections of the service to the database.', () =>
      one(latest().database?.connections),
    ),
    gauge('slipstream_data_free_bytes', 'Free space where DATA_DIR is.', () => one(latest().disk?.freeBytes)),
    gauge('slipstream_data_size_bytes', 'All space where DATA_DIR is.', () => one(latest().disk?.bytes)),
    gauge('process_resident_memory_bytes', 'Resident memory of the process.', () => one(process.memoryUsage.rss())),
    counter('process_cpu_seconds_total', 'Processor time of all threads.', () => {
      const { user, system } = process.cpuUsage();
      return one((user + system) / 1e6);
    }),
    gauge('process_start_time_seconds', 'When the process began, Unix time.', () =>
      one((Date.now() - process.uptime() * 1_000) / 1_000),
    ),
    gauge('process_open_fds', 'Open files and sockets of the process.', () => one(latest().files?.open)),
    gauge('process_max_fds', 'How many files and sockets the process may have open.', () => one(latest().files?.most)),
    gauge('slipstream_build_info', 'Always 1; the labels say what runs.', () => [
      [{ version, node: process.version }, 1],
    ]),
  ];
}
