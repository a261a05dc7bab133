import { tokenConnection } from '../../src/clients/kube/index.ts';
import { startSimKube } from '../../src/sim/index.ts';
import { clusterContract } from '../support/cluster-contract.ts';

const TOKEN = 'token-of-the-administrator';
let made = 0;

clusterContract('the simulator', async () => {
  const sim = await startSimKube({ token: TOKEN });
  const admin = async (method: string, path: string, body?: unknown, contentType = 'application/json') => {
    const response = await fetch(`${sim.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${TOKEN}`, ...(body === undefined ? {} : { 'Content-Type': contentType }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  return {
    connection: tokenConnection({ name: 'sim', server: sim.url, token: async () => TOKEN }),
    admin,
    namespace: async () => {
      made += 1;
      const name = `contract-${made}`;
      await admin('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      return name;
    },
    close: sim.close,
  };
});
