import { loadInstance, openInstance } from '../../src/instance/index.ts';
import { managerSettings, openManager } from '../../src/manager/index.ts';

/** The part of a pass that depends on the files of an instance; prints the longest time that nothing else could run. */
const [folder = '.'] = process.argv.slice(2);
const source = openInstance(folder, {
  workingTree: { describe: async () => undefined },
  server: () => {
    throw new Error('not a server');
  },
});
const unused = (): never => {
  throw new Error('nothing of it is used');
};
const manager = openManager(managerSettings({}, {}), {
  instance: { read: async (options) => loadInstance(source, options) },
  chart: unused,
  resolveRef: unused,
  clusters: unused,
  sleep: unused,
  signal: new AbortController().signal,
});
/** In CPU time of this thread, so that a busy machine does not count. */
const cpu = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
let longest = 0;
let last = cpu();
let probe: NodeJS.Immediate;
const note = (): void => {
  const now = cpu();
  longest = Math.max(longest, now - last);
  last = now;
};
const turn = (): void => {
  note();
  probe = setImmediate(turn);
};
probe = setImmediate(turn);
const started = cpu();
const { problems } = await manager.operated();
const milliseconds = cpu() - started;
note();
clearImmediate(probe);
console.log(
  JSON.stringify({
    milliseconds,
    longest,
    problems: problems.length,
    maxRss: process.resourceUsage().maxRSS * 1024,
  }),
);
