import { parentPort, Worker, workerData } from 'node:worker_threads';
import {
  type Forecast,
  type ForecastInput,
  type ForecastOptions,
  forecastFrom,
  forecastInput,
  type PlannedOrganization,
} from '../../../upgrades/index.ts';

/** Identifies the thread that this module starts. */
const PURPOSE = 'echelon-console-forecast';

interface Task {
  readonly purpose: typeof PURPOSE;
  readonly organizations: readonly ForecastInput[];
  readonly options: ForecastOptions;
}

/** Computes a forecast in a worker thread: thousands of clusters take seconds, and pages must be served. */
export function forecastBeside(
  organizations: readonly PlannedOrganization[],
  options: ForecastOptions,
  signal: AbortSignal,
): Promise<Forecast> {
  return new Promise((resolve, reject) => {
    const task: Task = { purpose: PURPOSE, organizations: forecastInput(organizations), options };
    const worker = new Worker(new URL(import.meta.url), { workerData: task });
    const end = (): void => void worker.terminate();
    signal.addEventListener('abort', end, { once: true });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => {
      signal.removeEventListener('abort', end);
      reject(signal.aborted ? signal.reason : new Error(`the forecast thread exited with ${code}`));
    });
  });
}

if ((workerData as Task | undefined)?.purpose === PURPOSE) {
  const { organizations, options } = workerData as Task;
  parentPort?.postMessage(forecastFrom(organizations, options));
}
