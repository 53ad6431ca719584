// The resources below the service: database, disk, memory and files; and the version.

import type { Metric } from 'prom-client';
import type { MachineSample } from './machine.ts';
import { counter, gauge, NO_LABELS, type Sample } from './sampled-metric.ts';

/** `latest` returns the sample taken for this scrape. */
export function machineMetrics(latest: () => MachineSample, version: string): readonly Metric[] {
  const one = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : [[NO_LABELS, value]]);
  return [
    gauge('slipstream_database_up', '1 if the database responded in time.', () =>
      one(latest().database === null ? 0 : 1),
    ),
    gauge('slipstream_database_answer_seconds', 'How long the database took for a small query.', () => {
      const { database } = latest();
      return one(database === null ? undefined : database.answerMs / 1_000);
    }),
    gauge('slipstream_database_connections', 'Connections of the service to the database.', () =>
      one(latest().database?.connections),
    ),
    gauge('slipstream_data_free_bytes', 'Free space on the file system of DATA_DIR.', () =>
      one(latest().disk?.freeBytes),
    ),
    gauge('slipstream_data_size_bytes', 'Total space on the file system of DATA_DIR.', () => one(latest().disk?.bytes)),
    gauge('process_resident_memory_bytes', 'Resident memory of the process.', () => one(process.memoryUsage.rss())),
    counter('process_cpu_seconds_total', 'Processor time of all threads.', () => {
      const { user, system } = process.cpuUsage();
      return one((user + system) / 1e6);
    }),
    gauge('process_start_time_seconds', 'When the process started, in Unix time.', () =>
      one((Date.now() - process.uptime() * 1_000) / 1_000),
    ),
    gauge('process_open_fds', 'Open files and sockets of the process.', () => one(latest().files?.open)),
    gauge('process_max_fds', 'Maximum number of open files and sockets of the process.', () =>
      one(latest().files?.most),
    ),
    gauge('slipstream_build_info', 'Always 1; the labels have the versions.', () => [
      [{ version, node: process.version }, 1],
    ]),
  ];
}
