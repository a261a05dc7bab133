import { startSimKube } from '../../src/sim/index.ts';
import { faultProxyContract } from '../support/fault-proxy-contract.ts';

faultProxyContract('the simulator', async () => {
  const token = 'token-of-the-administrator';
  const { url, close } = await startSimKube({ token });
  return { server: url, token, close };
});
