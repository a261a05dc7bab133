import { describe } from 'vitest';
import { faultProxyContract } from '../support/fault-proxy-contract.ts';
import { skipRealKube, startRealKube } from '../support/real-kube.ts';

describe.skipIf(skipRealKube)('over TLS', () => {
  faultProxyContract('a real API server', async () => {
    const { server, ca, certificate, adminToken: token, close } = await startRealKube({ audit: false });
    return { server, ca, certificate, token, close };
  });
});
