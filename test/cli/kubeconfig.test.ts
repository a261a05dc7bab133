import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SimFleet, simFleet } from '../support/sim-fleet.ts';

let fleet: SimFleet;
beforeAll(async () => {
  fleet = await simFleet();
});
afterAll(() => fleet.dispose());

const plan = (args: readonly string[], KUBECONFIG = '') =>
  fleet.run(['plan', ...args], { env: { KUBECONFIG, HOME: fleet.manager.path('home') }, cwd: fleet.manager.root });

describe('--kubeconfig', () => {
  it.each([
    { given: 'a file relative to the current folder', args: ['--kubeconfig', 'kubeconfig'], KUBECONFIG: '' },
    { given: 'a file that wins over KUBECONFIG', args: ['--kubeconfig', 'kubeconfig'], KUBECONFIG: '/nowhere' },
  ])('is used: $given', async ({ args, KUBECONFIG }) => {
    const { code, stdout } = await plan(args, KUBECONFIG);
    expect(code).toBe(0);
    expect(stdout).toContain('to create');
  });

  it('of a file that does not exist is an error, also where KUBECONFIG would do', async () => {
    const { code, stdout, stderr } = await plan(['--kubeconfig', 'kubeconfg'], fleet.manager.path('kubeconfig'));
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toContain('--kubeconfig kubeconfg does not exist');
  });
});
