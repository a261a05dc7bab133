import type { Fields } from '../../src/sim/kube/objects.ts';
import { type SimKube, type SimKubeOptions, startSimKube } from '../../src/sim/kube/sim-kube.ts';

export const APPLY = 'application/apply-patch+yaml';
export const MERGE = 'application/merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';

interface Answer {
  readonly code: number;
  readonly body: Fields & { metadata: Fields };
  readonly headers: Headers;
}

export interface Exchange {
  readonly sim: SimKube;
  /** A body that is no text is sent as JSON. */
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  apply(path: string, manager: string, config: Fields, query?: string): Promise<Answer>;
}

/** A simulated cluster with the namespace `ns`, and a client for it. */
export async function exchange(options: SimKubeOptions = {}): Promise<Exchange> {
  const sim = await startSimKube({ namespaces: ['ns'], ...options });
  const send: Exchange['send'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${sim.url}${path}`, {
      method,
      headers: { 'User-Agent': 'tester/1', 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { code: response.status, body: (await response.json()) as Answer['body'], headers: response.headers };
  };
  return {
    sim,
    send,
    apply: (path, manager, config, query = '') =>
      send('PATCH', `${path}?fieldManager=${manager}${query}`, config, { 'Content-Type': APPLY }),
  };
}

export const CONFIG_MAPS_PATH = '/api/v1/namespaces/ns/configmaps';
export const DEPLOYMENTS_PATH = '/apis/apps/v1/namespaces/ns/deployments';

export function configMap(name: string, more: Fields = {}): Fields {
  const { metadata, ...rest } = more;
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...(metadata as Fields | undefined) }, ...rest };
}

export function deployment(name: string, spec: Fields = {}, container: Fields = {}): Fields {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'c', image: 'img:1', ...container }] },
      },
      ...spec,
    },
  };
}
