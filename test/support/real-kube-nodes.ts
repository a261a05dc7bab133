import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goBinary } from './go-binary.ts';
import { builtBinary } from './real-kube-build.ts';
import type { ServerProcess, Servers } from './real-kube-process.ts';
import type { KubeRequest } from './real-kube-request.ts';
import { STAGES } from './real-kube-stages.ts';
import { REPO } from './shared.ts';

export interface NodeFacts {
  readonly folder: string;
  readonly servers: Servers;
  readonly harness: KubeRequest;
  /** Writes a kubeconfig for one of the users and returns its path. */
  kubeconfig(user: 'scheduler' | 'kwok'): string;
  ready(server: ServerProcess, isReady: () => Promise<boolean>): Promise<void>;
}

const NODES = ['node-1', 'node-2'];

/** Pods with volumes are placed too, though nothing provides the volumes. */
const SCHEDULER = {
  ...{ apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' },
  leaderElection: { leaderElect: false },
  profiles: [{ plugins: { multiPoint: { disabled: [{ name: 'VolumeBinding' }, { name: 'VolumeZone' }] } } }],
};

/** Starts a scheduler, and KWOK, which plays the kubelets of two nodes. Returns when the nodes are ready. */
export async function startNodes({ folder, servers, harness, kubeconfig, ready }: NodeFacts): Promise<void> {
  const [scheduler, kwok] = [await builtBinary('kube-scheduler'), await builtKwok()];
  const config = join(folder, 'scheduler.json');
  writeFileSync(config, JSON.stringify({ ...SCHEDULER, clientConnection: { kubeconfig: kubeconfig('scheduler') } }));
  servers.start('kube-scheduler', scheduler, [`--config=${config}`, '--secure-port=0']);
  const stages = join(folder, 'stages.yaml');
  writeFileSync(stages, STAGES.map((stage) => JSON.stringify(stage)).join('\n---\n'));
  const player = servers.start('kwok', kwok, [
    `--kubeconfig=${kubeconfig('kwok')}`,
    `--config=${stages}`,
    '--manage-all-nodes=true',
    '--node-port=0',
  ]);
  for (const name of NODES) await harness('POST', '/api/v1/nodes', { metadata: { name } });
  await ready(player, async () => (await Promise.all(NODES.map((name) => isReady(harness, name)))).every(Boolean));
}

async function isReady(harness: KubeRequest, node: string): Promise<boolean> {
  const { body } = await harness('GET', `/api/v1/nodes/${node}`);
  const { spec = {}, status } = body as { spec?: { taints?: unknown[] }; status?: { conditions?: Condition[] } };
  return (
    spec.taints === undefined &&
    (status?.conditions ?? []).some(({ type, status: state }) => type === 'Ready' && state === 'True')
  );
}

interface Condition {
  readonly type: string;
  readonly status: string;
}

function builtKwok(): Promise<string> {
  return goBinary({
    name: 'kwok',
    cache: 'kwok',
    module: join(REPO, 'test/e2e/kwok'),
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    flags: ['-mod=readonly', '-modcacherw', '-trimpath', '-ldflags', '-s -w'],
    takes: 'two to four minutes',
    lockSeconds: 1800,
  });
}
