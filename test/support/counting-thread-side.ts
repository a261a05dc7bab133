import { Session } from 'node:inspector/promises';
import { parentPort } from 'node:worker_threads';
import type { Called, Command } from './counting-thread.ts';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
// Only now, so that every function is made while calls are counted.
const { runCli } = await import('./run-cli.ts');

async function calledBy(commands: readonly Command[]): Promise<Called> {
  // Counts begin again with each reading.
  await session.post('Profiler.takePreciseCoverage');
  const ran = [];
  for (const { args, ...options } of commands) ran.push(await runCli(args, options));
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const functions = result.filter(({ url }) => url.includes('/src/')).flatMap((script) => script.functions);
  const called = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
  return { ran, names: new Set(called.map(({ functionName }) => functionName)) };
}

parentPort?.on('message', async ({ commands, environment }) => {
  process.env = environment;
  parentPort?.postMessage(await calledBy(commands));
});
