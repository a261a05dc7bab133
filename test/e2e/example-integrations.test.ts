import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { type SimKube, startSimKube } from '../../src/sim/index.ts';
import { exampleContract, type LabelledCluster } from '../support/example-integrations.ts';
import { AUTHORITY } from '../support/local-https.ts';
import { type RealKube, skipRealKube, startRealKube } from '../support/real-kube.ts';

const TOKEN = 'sim-token-that-nobody-may-see';

describe('on the simulated API server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'echelon-examples-'));
  let sim: SimKube | undefined;
  afterAll(async () => {
    await sim?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  exampleContract(async () => {
    sim = await startSimKube({ token: TOKEN, controllers: false });
    return simCluster(sim);
  });

  function simCluster(kube: SimKube): LabelledCluster {
    const kubeconfig = join(folder, 'kubeconfig');
    const entry = (kind: string, value: object) => ({ [`${kind}s`]: [{ name: 'sim', [kind]: value }] });
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'sim' },
        ...entry('cluster', { server: kube.url }),
        ...entry('user', { token: TOKEN }),
        ...entry('context', { cluster: 'sim', user: 'sim' }),
      }),
    );
    const request = async (method: string, name: string, body?: object, type = 'application/json') => {
      const response = await fetch(`${kube.url}/api/v1/namespaces${name}`, {
        method,
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': type },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await response.json()) as { metadata: { labels?: Record<string, string> } };
    };
    const patch = (labels: object) => ({ metadata: { labels } });
    return {
      token: TOKEN,
      ca: AUTHORITY,
      env: { KUBE_SERVER: kube.url, KUBECONFIG: kubeconfig },
      create: async (name, labels) => {
        await request('POST', '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
      },
      labels: async (name) => (await request('GET', `/${name}`)).metadata.labels ?? {},
      setLabel: async (name, key, value) => {
        await request('PATCH', `/${name}`, patch({ [key]: value }), 'application/merge-patch+json');
      },
      writes: () => {
        const written = kube.requests.filter(({ method }) => method !== 'GET');
        const all = written.map(({ method, path }) => `${method} ${path}`);
        kube.clearRequests();
        return all;
      },
    };
  }
});

describe.skipIf(skipRealKube)('on the real API server', () => {
  let kube: RealKube | undefined;
  afterAll(() => kube?.close());

  exampleContract(async () => {
    kube = await startRealKube({ controllerManager: false });
    await kube.createNamespace('integrations');
    return realCluster(kube, await accountWithRights(kube));
  });
});

const ACCOUNT = 'qontract-reconcile';
const USER = `system:serviceaccount:integrations:${ACCOUNT}`;

/** As the guide grants them. */
async function accountWithRights(kube: RealKube): Promise<string> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const name = 'namespace-labels';
  const rules = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'patch'] }];
  await kube.harness('POST', `${rbac}/clusterroles`, { metadata: { name }, rules });
  await kube.harness('POST', `${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', namespace: 'integrations', name: ACCOUNT }],
  });
  return kube.serviceAccountToken('integrations', ACCOUNT);
}

function realCluster(kube: RealKube, token: string): LabelledCluster {
  const { hostname, port } = new URL(kube.server);
  const path = (name: string): string => `/api/v1/namespaces/${name}`;
  let mark = kube.auditMark();
  return {
    token,
    ca: kube.ca,
    env: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
    create: async (name, labels) => {
      await kube.harness('POST', '/api/v1/namespaces', { metadata: { name, labels } });
    },
    labels: async (name) => {
      const { body } = await kube.harness<{ metadata: { labels: Record<string, string> } }>('GET', path(name));
      return body.metadata.labels;
    },
    setLabel: async (name, key, value) => {
      const body = { metadata: { labels: { [key]: value } } };
      await kube.harness('PATCH', path(name), body, 'application/merge-patch+json');
    },
    writes: () => {
      const written = kube
        .auditSince(mark)
        .filter(({ user, verb }) => user === USER && !/^(get|list|watch)$/.test(verb));
      mark = kube.auditMark();
      return written.map(({ verb, requestURI }) => `${verb.toUpperCase()} ${requestURI}`);
    },
  };
}
