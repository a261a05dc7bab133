import { afterEach, describe, expect, it } from 'vitest';
import { integrationText, type SimFleet, simFleet } from '../support/sim-fleet.ts';

let fleet: SimFleet;
afterEach(() => fleet.dispose());

/** A namespace of its own for one integration, so that little of the fleet moves. */
function placed(namespace: string, cluster: string): void {
  fleet.write(
    'namespaces/own.yml',
    `$schema: /openshift/namespace-1.yml\nname: ${namespace}\ncluster: { $ref: /clusters/${cluster}.yml }\nenvironment: { $ref: /environments/lab.yml }\n`,
  );
}

async function movable(clusters: readonly string[]): Promise<void> {
  fleet = await simFleet(clusters);
  fleet.sim.store.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'own' } });
  placed('own', 'lab');
  const text = integrationText('a', ['own']).replaceAll(/ {2}sharding:\n.*\n/g, '');
  fleet.write('integrations/a.yml', text);
  fleet.write('integrations/terraform-resources.yml', integrationText('terraform-resources', ['lab']));
  expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
}

const inNamespace = (name: string, cluster = 'lab'): string[] => {
  const { store } = fleet.clusters.get(cluster) as SimFleet['sim'];
  return [...store.list('apps/v1', 'Deployment', name), ...store.list('v1', 'Service', name)].map(({ kind }) => kind);
};
const ALL = ['Deployment', 'Service'];

describe('the old is deleted only after the new was created:', () => {
  it('a namespace renamed to one that does not exist', async () => {
    await movable(['lab']);
    placed('typo', 'lab');
    const { code, stderr } = await fleet.run(['apply', '--yes']);
    expect([code, inNamespace('own')]).toEqual([1, ALL]);
    expect(stderr).toMatch(
      /delete lab\/own Deployment \S+-a: not attempted: Deployment \S+-a was not created in lab\/typo/,
    );
    const plan = await fleet.run(['plan']);
    expect(plan.stdout).toMatch(
      /delete +lab\/own +Deployment \S+-a +it moves to lab\/typo; deleted after it was created there/,
    );
    fleet.sim.store.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'typo' } });
    expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
    expect([inNamespace('own'), inNamespace('typo')]).toEqual([[], ALL]);
  });

  it('an integration moved to a cluster that cannot be reached', async () => {
    await movable(['lab', 'other']);
    placed('fleet', 'other');
    const other = fleet.clusters.get('other') as SimFleet['sim'];
    other.addFault({ path: /./, status: 401, times: 99 });
    const { code, stdout } = await fleet.run(['apply', '--yes']);
    expect([code, inNamespace('own')]).toEqual([1, ALL]);
    expect(stdout).toMatch(
      /withhold +lab\/own +Deployment \S+-a +it moves to other\/fleet, which could not be observed/,
    );
  });
});

describe('a restart does not forget a cluster that nothing is declared in any more:', () => {
  const LEASED = ['--run-once', '--lease', 'other/fleet/manager', '--metrics-port', '0', '--metrics-host', '127.0.0.1'];
  const restarted = (...args: string[]) => fleet.cli(['run', 'integrations-manager', ...LEASED, ...args]);
  const only = (cluster: string) =>
    fleet.write('integrations/terraform-resources.yml', integrationText('terraform-resources', [cluster]));
  const SHARDS = ['Deployment', 'Deployment', 'Deployment', 'Service'];

  async function moved(): Promise<void> {
    fleet = await simFleet(['lab', 'other']);
    only('lab');
    expect((await restarted()).code).toBe(0);
    expect(inNamespace('fleet', 'lab')).toEqual(SHARDS);
    only('other');
  }

  it('what moved away from it is deleted', async () => {
    await moved();
    expect((await restarted('--allow-mass-deletion')).code).toBe(0);
    expect([inNamespace('fleet', 'lab'), inNamespace('fleet', 'other')]).toEqual([[], SHARDS]);
    const settled = await restarted();
    expect([settled.code, settled.stdout]).toEqual([0, expect.not.stringContaining('object applied')]);
  });

  it('also if the memory, the guard or the cluster held the deletion back for a while', async () => {
    await moved();
    (fleet.clusters.get('other') as SimFleet['sim']).addFault({ path: /leases\/manager-removals/, status: 403 });
    expect((await restarted()).code).toBe(1);
    expect((await restarted()).code).toBe(1);
    expect(inNamespace('fleet', 'lab')).toEqual(SHARDS);
    fleet.sim.addFault({ path: /deployments/, method: 'DELETE', status: 403 });
    expect((await restarted('--allow-mass-deletion')).code).toBe(1);
    expect((await restarted('--allow-mass-deletion')).code).toBe(0);
    expect([inNamespace('fleet', 'lab'), inNamespace('fleet', 'other')]).toEqual([[], SHARDS]);
  });

  it('until it is not in the instance either', async () => {
    await moved();
    fleet.write('clusters/lab.yml', '');
    fleet.write('namespaces/lab.yml', '');
    const { stdout } = await restarted('--allow-mass-deletion');
    expect(stdout).not.toContain('observe failed');
  });

  it('and says so where it cannot remember', async () => {
    fleet = await simFleet(['lab', 'other']);
    only('lab');
    const other = fleet.clusters.get('other') as SimFleet['sim'];
    other.addFault({ path: /leases\/manager-removals/, status: 403, times: 99 });
    const { code, stdout } = await restarted();
    expect([code, stdout]).toEqual([1, expect.stringContaining('"msg":"places not remembered"')]);
    expect(inNamespace('fleet', 'lab')).toEqual(SHARDS);
  });
});
