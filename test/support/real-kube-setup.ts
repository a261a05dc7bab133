import { defined } from '../../src/base/index.ts';
import type { KubeRequest } from './real-kube-request.ts';
import { until } from './until.ts';

export interface TokenOptions {
  /** At least 600, as the server wants it. */
  readonly expirationSeconds?: number;
  readonly audiences?: readonly string[];
}

const ACCOUNT_TIMEOUT_SECONDS = 60;

/** Makes the namespace and, where a controller makes its default service account, waits for that: pods need it. */
export async function createNamespace(harness: KubeRequest, name: string, hasAccounts: boolean): Promise<void> {
  const made = await harness('POST', '/api/v1/namespaces', { metadata: { name } });
  if (made.status !== 201) throw new Error(`namespace ${name} is refused: ${made.status} ${made.body.message}`);
  if (!hasAccounts) return;
  const path = `/api/v1/namespaces/${name}/serviceaccounts/default`;
  await until(async () => (await harness('GET', path)).status === 200, {
    timeoutSeconds: ACCOUNT_TIMEOUT_SECONDS,
    what: `namespace ${name} has its default service account`,
  });
}

export async function serviceAccountToken(
  harness: KubeRequest,
  namespace: string,
  name: string,
  { expirationSeconds = 3600, audiences }: TokenOptions = {},
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const made = await harness('POST', path, { metadata: { name } });
  if (made.status !== 201 && made.status !== 409) {
    throw new Error(`service account ${namespace}/${name} is refused: ${made.status} ${made.body.message}`);
  }
  const spec = { expirationSeconds, ...defined({ audiences }) };
  const answer = await harness<{ message?: string; status?: { token?: string } }>('POST', `${path}/${name}/token`, {
    ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec },
  });
  const token = answer.body.status?.token;
  if (token === undefined)
    throw new Error(`no token for ${namespace}/${name}: ${answer.status} ${answer.body.message}`);
  return token;
}
