import { describeWorkingTree } from '../../src/clients/git/index.ts';
import { checkInstance, openInstance, readSchemas } from '../../src/instance/index.ts';
import { workloadCheck } from '../../src/manager/index.ts';

/** What `echelon validate` does between its start and its first line of output. */
const [root = '.', schemasFolder] = process.argv.slice(2);
const started = performance.now();
const source = openInstance(root, {
  workingTree: { describe: describeWorkingTree },
  server: () => {
    throw new Error('not a server');
  },
});
const snapshot = await source.load();
const loaded = performance.now();
const problems = await checkInstance(snapshot, {
  checks: [workloadCheck()],
  ...(schemasFolder === undefined ? {} : { schemas: readSchemas(schemasFolder) }),
});
const milliseconds = performance.now() - started;
console.log(
  JSON.stringify({
    milliseconds,
    load: loaded - started,
    problems: problems.length,
    maxRss: process.resourceUsage().maxRSS * 1024,
  }),
);
