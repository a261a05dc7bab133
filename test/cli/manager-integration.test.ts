import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { integrationText, type SimFleet, simFleet, writesOf } from '../support/sim-fleet.ts';

const [ONE, TWO] = ['terraform-resources', 'terraform-users'];

let fleet: SimFleet;

describe('manager with --integration', () => {
  beforeEach(async () => {
    fleet = await simFleet();
    for (const name of [ONE, TWO]) fleet.write(`integrations/${name}.yml`, integrationText(name, ['lab']));
    expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
    fleet.sim.clearRequests();
  });
  afterEach(() => fleet.dispose());

  const drop = (path: string) => rmSync(fleet.manager.path(`instance/data/${path}.yml`));
  const deployments = () => fleet.sim.store.list('apps/v1', 'Deployment', 'fleet').map(({ metadata }) => metadata.name);
  const NEW_IMAGE = ['--parameter', 'IMAGE_TAG=1ce7279'];

  it('changes its workloads and no other', async () => {
    const { code, stdout } = await fleet.run(['apply', '--yes', '-i', ONE, ...NEW_IMAGE]);
    expect(code).toBe(0);
    expect(stdout).toContain(ONE);
    expect(stdout).not.toContain(TWO);
    expect(writesOf(fleet.sim)).toHaveLength(3);
    expect(writesOf(fleet.sim).filter((write) => !write.includes(ONE))).toEqual([]);
  });

  it.each([
    { what: 'an account, and so a shard of each', gone: 'aws/alpha' },
    { what: 'the other integration', gone: `integrations/${TWO}` },
  ])('deletes nothing when the instance lost $what', async ({ gone }) => {
    const before = deployments();
    drop(gone);
    const consent = ['--allow-mass-deletion'];
    const { code, stdout } = await fleet.run(['apply', '--yes', '--integration', ONE, ...consent]);
    expect({ code, writes: writesOf(fleet.sim), left: deployments() }).toEqual({ code: 0, writes: [], left: before });
    expect(stdout).not.toMatch(/delete +lab/);
    expect((await fleet.run(['plan', '-i', ONE, ...consent, '--detailed-exitcode'])).code).toBe(0);
    expect((await fleet.run(['diff', '-i', ONE, ...consent])).code).toBe(0);
    expect((await fleet.run(['plan', ...consent])).stdout).toMatch(/delete +lab/);
  });

  it('does not create beside the old what moves to another namespace', async () => {
    fleet.sim.store.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    fleet.write(
      'namespaces/other.yml',
      '$schema: /openshift/namespace-1.yml\nname: other\ncluster: { $ref: /clusters/lab.yml }\nenvironment: { $ref: /environments/lab.yml }\n',
    );
    fleet.write(`integrations/${ONE}.yml`, integrationText(ONE, ['other']));
    const { code, stdout } = await fleet.run(['apply', '--yes', '-i', ONE, '--allow-mass-deletion']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/withhold +lab\/other +Deployment \S+ +it replaces Deployment \S+ in lab\/fleet/);
    expect(writesOf(fleet.sim)).toEqual([]);
  });

  it('of a name that is mistyped is an error with the nearest', async () => {
    const { code, stderr } = await fleet.run(['apply', '--yes', '-i', 'terraform-resource']);
    expect(code).toBe(1);
    expect(stderr).toContain('did you mean terraform-resources');
    expect(writesOf(fleet.sim)).toEqual([]);
  });
});

describe('--integration cannot be combined', () => {
  it.each([
    { with: '--lease', args: ['--lease', 'lab/fleet/manager'] },
    { with: 'a saved plan', args: ['plan.json'] },
  ])('with $with', async ({ with: other, args }) => {
    const { code, stderr } = await runCli(['manager', 'apply', '--yes', '-i', ONE, ...args]);
    expect(code).toBe(64);
    expect(stderr).toContain(`--integration cannot be combined with ${other}`);
  });
});
