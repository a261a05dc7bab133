import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { integrationText, type SimFleet, simFleet, writesOf } from '../support/sim-fleet.ts';

const UPSTREAM = 'https://example.com/tools';

let fleet: SimFleet;
beforeEach(async () => {
  fleet = await simFleet(['lab', 'far']);
  fleet.write(
    'integrations/terraform-resources.yml',
    `${integrationText('terraform-resources', ['lab'])}upstream: ${UPSTREAM}\n`,
  );
});
afterEach(() => fleet.dispose());

const COMMANDS = [['plan'], ['diff'], ['apply', '--yes'], ['status']];
const MISTAKES = [
  { flags: ['-n', 'fleeet'], says: 'no namespace fleeet in this instance', hint: 'did you mean fleet?' },
  { flags: ['-n', 'fleet', '-n', 'nope'], says: 'no namespace nope in this instance', hint: 'use one of: fleet' },
  { flags: ['--cluster', 'lob'], says: 'no cluster lob in this instance', hint: 'did you mean lab?' },
  { flags: ['--environment-name', 'lub'], says: 'no environment lub in this instance', hint: 'did you mean lab?' },
  {
    flags: ['--upstream', `${UPSTREAM}x`],
    says: `no integration has the upstream ${UPSTREAM}x`,
    hint: `did you mean ${UPSTREAM}?`,
  },
  { flags: ['-r', 'lub=main'], says: 'no environment lub in this instance', hint: 'did you mean lab?' },
];

describe.each(COMMANDS)('manager %s', (...command) => {
  it.each(MISTAKES)('$flags is an error with what was meant', async ({ flags, says, hint }) => {
    const { code, stdout, stderr } = await fleet.run([...command, ...flags]);
    expect([1, 2]).toContain(code);
    expect(stderr).toContain(`error: ${says}\n`);
    expect(stderr).toContain(` hint: ${hint}\n`);
    expect(stdout).toBe('');
    expect(writesOf(fleet.sim)).toEqual([]);
  });
});

describe.each([['render'], ['values']])('manager %s', (command) => {
  it.each(MISTAKES.slice(3))('$flags is an error with what was meant', async ({ flags, says }) => {
    const { code, stderr } = await fleet.run([command, ...flags]);
    expect(code).toBe(1);
    expect(stderr).toContain(`error: ${says}\n`);
  });
});

it('an integration that nothing has is an error of status', async () => {
  const { code, stderr } = await fleet.run(['status', '--integration', 'terraform-resource']);
  expect(code).toBe(1);
  expect(stderr).toContain('hint: did you mean terraform-resources?');
});

describe('a name that the instance has no more', () => {
  it.each([
    { given: 'namespace', flags: ['-n', 'fleet'] },
    { given: 'upstream', flags: [] },
  ])('is no mistake as long as its objects are there: $given', async ({ given, flags }) => {
    await fleet.run(['apply', '--yes', '--upstream', UPSTREAM, '--image', 'example.com/x']);
    for (const cluster of ['lab', 'far'])
      if (given === 'namespace') rmSync(fleet.manager.path(`instance/data/namespaces/${cluster}.yml`));
    rmSync(fleet.manager.path('instance/data/integrations/terraform-resources.yml'));
    const args = ['apply', '--yes', '--upstream', UPSTREAM, '--cluster', 'lab', ...flags, '--allow-mass-deletion'];
    expect(await fleet.run(args)).toMatchObject({ code: 0 });
    expect(fleet.sim.store.list('apps/v1', 'Deployment', 'fleet')).toEqual([]);
    const again = await fleet.run(args);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain(
      `no ${given === 'namespace' ? 'namespace fleet' : `integration has the upstream ${UPSTREAM}`}`,
    );
  });
});

describe('an unreachable cluster', () => {
  it('has no plan, and one of two an incomplete one', async () => {
    const only = { env: { KUBECONFIG: '/nowhere' } };
    const { code, stdout, stderr } = await fleet.run(['plan'], only);
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'No plan: lab could not be observed.\n' });
    expect(stderr).toContain('no credentials for cluster lab');
    fleet.write('integrations/both.yml', integrationText('both', ['lab', 'far']));
    await fleet.clusters.get('far')?.close();
    const two = await fleet.run(['plan', '--image', 'example.com/x']);
    expect(two.code).toBe(1);
    expect(two.stdout).toMatch(/^Plan: 7 to create.* Incomplete: far could not be observed\.$/m);
  });
});

it('apply where nothing is declared does not say that everything matches', async () => {
  rmSync(fleet.manager.path('instance/data/integrations/terraform-resources.yml'));
  const { code, stdout, stderr } = await fleet.run(['apply', '--yes']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/Nothing to do: nothing is declared in \S+\.\n$/);
  expect(stderr).toContain('no managed integrations in scope\n');
});

it.each([['plan'], ['apply', '--yes']])(
  '%s with a lease of a pod that is not there says so before anything else',
  async (...command) => {
    const { code, stdout, stderr } = await fleet.run([...command, '--lease', 'fleet/manager']);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toContain(
      'error: --lease fleet/manager is a lease in the cluster of this pod, but this is not a pod\n',
    );
    expect(stderr).toContain(' hint: pass --lease CLUSTER/fleet/manager with the cluster that has the lease\n');
  },
);

it('render and values of one integration leave out the others, and --out removes no file', async () => {
  fleet.write('integrations/other.yml', integrationText('openshift-users', ['lab']));
  const out = mkdtempSync(join(tmpdir(), 'echelon-render-'));
  const files = () => readdirSync(out, { recursive: true }).length;
  expect((await fleet.run(['render', '--out', out])).code).toBe(0);
  const before = files();
  const { code } = await fleet.run(['render', '-i', 'openshift-users', '--out', out]);
  expect([code, files()]).toEqual([0, before]);
  rmSync(out, { recursive: true });
  const { stdout } = await fleet.run(['render', '-i', 'openshift-users']);
  expect(stdout).toContain('name: qontract-reconcile-openshift-users');
  expect(stdout).not.toContain('terraform-resources');
  expect((await fleet.run(['values', '-i', 'openshift-users'])).stdout).not.toContain('terraform-resources');
  const mistyped = await fleet.run(['render', '-i', 'openshift-user']);
  expect(mistyped).toMatchObject({ code: 1, stderr: expect.stringContaining('did you mean openshift-users?') });
});
