import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  kubeBinaries,
  REAL_KUBE_TIMEOUT_MS,
  type RealKube,
  skipRealKube,
  startRealKube,
} from '../support/real-kube.ts';
import { isAlive } from '../support/real-kube-lock.ts';
import { deployment, roleFor } from '../support/real-kube-objects.ts';
import { REPO } from '../support/shared.ts';
import { until } from '../support/until.ts';

interface Deployment {
  readonly metadata: { readonly uid: string };
  readonly status?: { readonly availableReplicas?: number; readonly observedGeneration?: number };
}

interface Pods {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly nodeName?: string };
    readonly status: { readonly phase: string; readonly containerStatuses?: readonly Record<string, unknown>[] };
  }[];
}

const DEPLOYMENTS = (namespace: string): string => `/apis/apps/v1/namespaces/${namespace}/deployments`;

const TIME = expect.stringMatching(/^2\d{3}-.*\.\d{6}Z$/);

describe.skipIf(skipRealKube)('a real control plane', () => {
  let kube: RealKube;
  beforeAll(async () => {
    kube = await startRealKube();
  }, REAL_KUBE_TIMEOUT_MS);
  afterAll(() => kube?.close());

  const pods = async (namespace: string): Promise<Pods['items']> =>
    (await kube.admin<Pods>('GET', `/api/v1/namespaces/${namespace}/pods`)).body.items;
  const available = async (namespace: string, name: string): Promise<number> =>
    (await kube.admin<Deployment>('GET', `${DEPLOYMENTS(namespace)}/${name}`)).body.status?.availableReplicas ?? 0;
  const answerTo = (token: string): Promise<number> =>
    kube
      .as(token)('GET', '/api')
      .then(({ status }) => status);

  it('lets the admin make a namespace', async () => {
    const made = await kube.admin('POST', '/api/v1/namespaces', { metadata: { name: 'made-by-admin' } });
    expect(made).toMatchObject({ status: 201, body: { kind: 'Namespace', metadata: { name: 'made-by-admin' } } });
  });

  it('is known to kubectl by its kubeconfig', async () => {
    if (kube.binaries.kubectl === undefined) throw new Error('there is no kubectl for this machine');
    const args = ['--kubeconfig', kube.kubeconfig(), 'get', '--raw', '/version'];
    const { stdout } = await promisify(execFile)(kube.binaries.kubectl, args);
    expect(JSON.parse(stdout)).toEqual((await kube.admin('GET', '/version')).body);
  });

  it('runs a deployment: pods appear, wait, and run as soon as there are nodes', async () => {
    await kube.createNamespace('rollout');
    const made = await kube.admin('POST', DEPLOYMENTS('rollout'), deployment('app'));
    expect(made.status).toBe(201);
    const pod = await until(async () => (await pods('rollout'))[0], {
      timeoutSeconds: 60,
      what: 'the deployment has a pod',
    });
    expect(pod.status.phase).toBe('Pending');
    expect(await available('rollout', 'app')).toBe(0);

    await kube.startNodes();
    await until(async () => (await available('rollout', 'app')) === 1, {
      timeoutSeconds: 60,
      what: 'app is available',
    });
    const [running] = await pods('rollout');
    expect(running).toMatchObject({ metadata: { name: pod.metadata.name }, status: { phase: 'Running' } });
    const image = 'registry.example/app:1';
    const imageID = expect.stringMatching(/^registry\.example\/app@sha256:[0-9a-f]{64}$/);
    expect(running!.status.containerStatuses).toEqual([expect.objectContaining({ image, imageID, ready: true })]);
  });

  it('places a pod again, on another node, when its node is drained', async () => {
    const [before] = await pods('rollout');
    const node = `/api/v1/nodes/${before!.spec.nodeName}`;
    const cordon = (unschedulable: boolean) =>
      kube.admin('PATCH', node, { spec: { unschedulable } }, 'application/merge-patch+json');
    await cordon(true);
    await kube.admin('DELETE', `/api/v1/namespaces/rollout/pods/${before!.metadata.name}`);
    const moved = await until(
      async () => (await pods('rollout')).find(({ metadata }) => metadata.name !== before!.metadata.name),
      { timeoutSeconds: 60, what: 'another pod' },
    );
    await until(async () => (await available('rollout', 'app')) === 1 && (await pods('rollout')).length === 1, {
      timeoutSeconds: 60,
      what: 'app is available with the other pod alone',
    });
    const [after] = await pods('rollout');
    expect(after!.metadata.name).toBe(moved.metadata.name);
    expect(after!.spec.nodeName).not.toBe(before!.spec.nodeName);
    await cordon(false);
  });

  it('never makes a broken image ready', async () => {
    await kube.createNamespace('broken');
    for (const [name, tag] of Object.entries({ sound: 'v2', faulty: 'v2-broken' })) {
      await kube.admin('POST', DEPLOYMENTS('broken'), deployment(name, { image: `registry.example:5000/app:${tag}` }));
    }
    const seen = async (): Promise<unknown[][]> =>
      (await pods('broken')).map(({ status }) => [status.phase, status.containerStatuses?.[0]?.['ready']]);
    const settled = [
      ['Pending', false],
      ['Running', true],
    ];
    await until(async () => isDeepStrictEqual((await seen()).sort(), settled), {
      timeoutSeconds: 60,
      what: 'one pod runs and the other cannot pull its image',
    });
  });

  it('finishes the pods of a job', async () => {
    await kube.createNamespace('jobs');
    const spec = { restartPolicy: 'Never', containers: [{ name: 'once', image: 'registry.example/once:1' }] };
    await kube.admin('POST', '/apis/batch/v1/namespaces/jobs/jobs', {
      metadata: { name: 'once' },
      spec: { template: { spec } },
    });
    const succeeded = async (): Promise<number | undefined> =>
      (await kube.admin<{ status: { succeeded?: number } }>('GET', '/apis/batch/v1/namespaces/jobs/jobs/once')).body
        .status.succeeded;
    await until(async () => (await succeeded()) === 1, { timeoutSeconds: 60, what: 'the job has succeeded' });
  });

  it('removes a namespace with all that is in it', async () => {
    await kube.createNamespace('leaving');
    await kube.admin('POST', DEPLOYMENTS('leaving'), deployment('app'));
    await until(async () => (await pods('leaving')).length === 1, { timeoutSeconds: 60, what: 'app has a pod' });
    await kube.admin('DELETE', '/api/v1/namespaces/leaving');
    const gone = async (): Promise<boolean> => (await kube.admin('GET', '/api/v1/namespaces/leaving')).status === 404;
    await until(gone, { timeoutSeconds: 90, what: 'the namespace is gone' });
    expect(await pods('leaving')).toEqual([]);
  });

  it('logs every request once, by the time it is answered', async () => {
    await kube.createNamespace('audited');
    const maps = '/api/v1/namespaces/audited/configmaps';
    const mark = kube.auditMark();
    await kube.admin('POST', maps, { metadata: { name: 'one' } });
    await kube.admin('POST', maps, { metadata: { name: 'one' } });
    await kube.admin('PATCH', `${maps}/one?dryRun=All`, { data: { a: '1' } }, 'application/merge-patch+json');
    await kube.admin('GET', `${maps}/one`);
    await kube.admin('GET', `${maps}?limit=1`);
    await kube.admin('DELETE', `${maps}/one`);
    const mine = kube.auditSince(mark).filter(({ user }) => user === 'admin');
    const common = {
      user: 'admin',
      resource: 'configmaps',
      subresource: undefined,
      received: TIME,
      answered: TIME,
      namespace: 'audited',
    };
    expect(mine).toEqual([
      { ...common, verb: 'create', name: 'one', code: 201, requestURI: maps },
      { ...common, verb: 'create', name: 'one', code: 409, requestURI: maps },
      { ...common, verb: 'patch', name: 'one', code: 200, dryRun: true, requestURI: `${maps}/one?dryRun=All` },
      { ...common, verb: 'get', name: 'one', code: 200, requestURI: `${maps}/one` },
      { ...common, verb: 'list', name: undefined, code: 200, requestURI: `${maps}?limit=1` },
      { ...common, verb: 'delete', name: 'one', code: 200, requestURI: `${maps}/one` },
    ]);
  });

  it('refuses a service account without a role, and heeds its role', async () => {
    await kube.createNamespace('roles');
    const asReader = kube.as(await kube.serviceAccountToken('roles', 'reader'));
    const path = DEPLOYMENTS('roles');
    expect(await asReader('GET', path)).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
    const rules = [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['list'] }];
    for (const [where, body] of roleFor('roles', 'reader', rules)) await kube.admin('POST', where, body);
    const allowed = async (): Promise<boolean> => (await asReader('GET', path)).status === 200;
    await until(allowed, { timeoutSeconds: 30, what: 'the role counts' });
    expect(await asReader('POST', path, deployment('app'))).toMatchObject({ status: 403 });
  });

  it('refuses an unknown token, and that of a service account that is deleted', async () => {
    await kube.createNamespace('accounts');
    const token = await kube.serviceAccountToken('accounts', 'leaver');
    expect(await answerTo(token)).toBe(200);
    expect(await answerTo('no-such-token')).toBe(401);
    await kube.admin('DELETE', '/api/v1/namespaces/accounts/serviceaccounts/leaver');
    // The server trusts a token that it has seen for ten seconds.
    await until(async () => (await answerTo(token)) === 401, { timeoutSeconds: 60, what: 'the token is refused' });
  });

  it('can be stopped and started again, and knows what it knew', async () => {
    await kube.createNamespace('lasting');
    await kube.stopApiServer();
    await expect(kube.admin('GET', '/api/v1/namespaces/lasting')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const before = kube.auditMark();
    await kube.startApiServer();
    expect(await kube.admin('GET', '/api/v1/namespaces/lasting')).toMatchObject({ status: 200 });
    expect(kube.auditSince(before).filter(({ user }) => user === 'admin')).toHaveLength(1);
  });
});

describe.skipIf(skipRealKube)('the processes of a control plane', () => {
  beforeAll(async () => {
    await kubeBinaries();
  }, REAL_KUBE_TIMEOUT_MS);

  it('are gone when it is closed', async () => {
    const kube = await startRealKube();
    onTestFinished(() => kube.close());
    const pids = kube.pids();
    const kubeconfig = kube.kubeconfig();
    expect(pids).toHaveLength(4);
    expect(pids.every(isAlive)).toBe(true);
    await kube.close();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(kubeconfig)).toBe(false);
  });

  it('are gone when the process that started it is killed', async () => {
    const code = `
      const { startRealKube } = await import(${JSON.stringify(join(REPO, 'test/support/real-kube.ts'))});
      const kube = await startRealKube({ controllerManager: false });
      console.log(JSON.stringify({ pids: kube.pids(), kubeconfig: kube.kubeconfig() }));
    `;
    const starter = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void starter.kill('SIGKILL'));
    const [line] = await once(createInterface(starter.stdout), 'line');
    const { pids, kubeconfig } = JSON.parse(line) as { pids: number[]; kubeconfig: string };
    expect(pids).toHaveLength(3);
    expect(pids.every(isAlive)).toBe(true);
    starter.kill('SIGKILL');
    await until(() => !pids.some(isAlive), { timeoutSeconds: 30, what: 'its processes are gone' });
    expect(existsSync(kubeconfig)).toBe(false);
  });

  describe('that cannot start', () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'echelon-assets-'));
      vi.stubEnv('KUBEBUILDER_ASSETS', folder);
    });
    afterEach(() => {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    });
    const asset = (name: string, script: string): void =>
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

    it('are missing, which is told', async () => {
      await expect(startRealKube()).rejects.toThrow(/echelon-assets-.*, named by KUBEBUILDER_ASSETS, holds no etcd/);
    });

    it('are gone, and the end of the log is told', async () => {
      const pid = join(folder, 'pid');
      asset('etcd', `echo $$ > ${pid}; exec sleep 1000`);
      asset('kube-apiserver', 'echo the first line; echo the last line; exit 3');
      asset('kube-controller-manager', 'exit 1');
      const message = /^kube-apiserver ended at its start; it logged:\nthe first line\nthe last line$/;
      await expect(startRealKube()).rejects.toThrow(message);
      expect(isAlive(Number(readFileSync(pid, 'utf8')))).toBe(false);
    });
  });
});
