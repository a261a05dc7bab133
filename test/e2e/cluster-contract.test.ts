import { tokenConnection } from '../../src/clients/kube/index.ts';
import { clusterContract } from '../support/cluster-contract.ts';
import { startRealKube } from '../support/real-kube.ts';

let made = 0;

clusterContract('a real API server', async () => {
  const kube = await startRealKube();
  return {
    connection: tokenConnection({
      name: 'real',
      server: kube.server,
      ca: kube.ca,
      token: async () => kube.adminToken,
    }),
    admin: kube.admin,
    namespace: async () => {
      made += 1;
      await kube.createNamespace(`contract-${made}`);
      return `contract-${made}`;
    },
    close: kube.close,
  };
});
