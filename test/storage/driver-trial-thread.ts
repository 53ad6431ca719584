// Runs one scenario with one driver in a thread, which it may kill. Reports the failure, or null.

import { parentPort, workerData } from 'node:worker_threads';
import type { Driver } from '#engine/storage/postgres-driver.ts';
import { SCENARIOS } from './driver-scenarios.ts';
import type { TrialThreadData } from './driver-trial.ts';

const { title, driverUrl, connection, patienceMs } = workerData as TrialThreadData;
const { default: driver } = (await import(driverUrl)) as { default: Driver };
const scenario = SCENARIOS.find((one) => one.title === title)!;
const fault = await scenario.play({ driver, connection, patienceMs }).then(
  () => null,
  (error) => `${error.code}: ${error.message}\n${error.actual}`,
);
parentPort!.postMessage(fault);
