import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileCache } from '../../src/clients/file-cache.ts';
import { findHelm, helmChart } from '../../src/clients/helm/index.ts';
import { openInstance, readInstance } from '../../src/instance/index.ts';
import { renderGroups } from '../../src/manager/desired/render.ts';
import { selectWorkloads } from '../../src/manager/desired/select.ts';
import { valuesOf } from '../../src/manager/desired/values.ts';
import { memoryCache, type NamespaceGroup } from '../../src/manager/index.ts';

/** From a snapshot to desired objects, without a cache, with a filled one, and `helm template` alone on the same values. */
const [root = '.', scratch = '.'] = process.argv.slice(2);
const CHART = join(import.meta.dirname, '../../charts/reconciler');

const nothing = {
  workingTree: { describe: async () => undefined },
  server: () => {
    throw new Error('not a server');
  },
};
const snapshot = await openInstance(root, nothing).load();
const helm = await findHelm({ env: process.env, cwd: '.', cacheFolder: join(scratch, 'helm') });
const chart = helmChart({ helm, chart: CHART });
const cache = memoryCache(fileCache(join(scratch, 'render')));

const sources = ({ namespace }: NamespaceGroup) => ({
  environment: namespace.environment.parameters,
  process: {},
  flags: new Map<string, string>(),
});

const render = async (withCache: boolean) => {
  const started = performance.now();
  const { groups } = selectWorkloads(readInstance(snapshot), { environment: 'bench' });
  const { namespaces, failures } = await renderGroups(groups, {
    chart,
    ...(withCache ? { cache } : {}),
    parameters: sources,
  });
  if (failures.length > 0) throw failures[0]?.error;
  const objects = namespaces.flatMap((namespace) => namespace.objects).length;
  return { milliseconds: performance.now() - started, objects, group: groups[0] };
};

function bareHelm(group: NamespaceGroup | undefined): number {
  if (group === undefined) throw new Error('nothing to render');
  const values = join(scratch, 'values.json');
  writeFileSync(values, JSON.stringify(valuesOf(group, sources(group))));
  const started = performance.now();
  execFileSync(helm, ['template', 'x', CHART, '--values', values], {
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return performance.now() - started;
}

const first = await render(false);
const bare = bareHelm(first.group);
const again = await render(false);
await render(true);
const second = await render(true);
console.log(
  JSON.stringify({
    milliseconds: again.milliseconds,
    bare,
    second: second.milliseconds,
    objects: first.objects,
    maxRss: process.resourceUsage().maxRSS * 1024,
  }),
);
