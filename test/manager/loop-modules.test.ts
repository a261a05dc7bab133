import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REPO } from '../support/shared.ts';

it('the loop of a manager does not load the second HTTP client of the runtime', () => {
  const rooms = ['manager/index.ts', 'clients/kube/index.ts', 'clients/helm/index.ts', 'runtime/index.ts'];
  const script = `
    const rooms = await Promise.all(${JSON.stringify(rooms.map((room) => join(REPO, 'src', room)))}.map((file) => import(file)));
    const { kubeClient, tokenConnection } = Object.assign({}, ...rooms);
    const server = 'http://127.0.0.1:1';
    const client = kubeClient(tokenConnection({ name: 'none', server, token: async () => 'token' }), { sleep: async () => {} });
    await client.list('Deployment', {}).catch(({ code }) => console.log(code));
    console.log(process.moduleLoadList.filter((name) => name.includes('undici')).join());`;
  const told = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(told).toBe('KUBE_UNREACHABLE\n\n');
});
