import { rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { integrationText, type SimFleet, simFleet, writesOf } from '../support/sim-fleet.ts';

let fleet: SimFleet;
afterEach(() => fleet.dispose());

/** One shard in the namespace of each cluster. */
function single(name: string, places: readonly string[], more = ''): void {
  fleet.write(`integrations/${name}.yml`, integrationText(name, places).replaceAll(/ {2}sharding:\n.*\n/g, more));
}

const drop = (name: string): void => rmSync(fleet.manager.path(`instance/data/integrations/${name}.yml`));
const objects = (cluster: string): string[] => {
  const { store } = fleet.clusters.get(cluster) as SimFleet['sim'];
  const kinds = [store.list('apps/v1', 'Deployment'), store.list('v1', 'Service')];
  return kinds.flat().map(({ kind, metadata }) => `${metadata['namespace']}/${kind}/${metadata.name}`);
};
const total = (): number => [...fleet.clusters.keys()].flatMap(objects).length;
const LEASED = ['--run-once', '--lease', 'lab/fleet/manager', '--metrics-port', '0', '--metrics-host', '127.0.0.1'];
const restarted = (...args: string[]) => fleet.cli(['run', 'integrations-manager', ...LEASED, ...args]);

describe('S6: mass deletion', () => {
  const CLUSTERS = Array.from({ length: 12 }, (_, at) => `c${at + 1}`);

  it('of a few objects in each of 12 clusters: two of three integration files vanish', async () => {
    fleet = await simFleet(CLUSTERS);
    drop('terraform-resources');
    single('a', CLUSTERS);
    single('b', CLUSTERS);
    single('c', ['c1']);
    const everywhere = CLUSTERS.flatMap((name) => ['--cluster', name]);
    expect((await fleet.run(['apply', '--yes', ...everywhere])).code).toBe(0);
    expect(total()).toBe(37);
    drop('a');
    drop('b');
    const { code, stderr } = await fleet.run(['apply', '--yes', ...everywhere]);
    expect(code).toBe(1);
    expect(total()).toBe(37);
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      'error: the whole plan: 35 of 37 objects would be deleted or stopped; at most 11 are allowed per hour [MASS_DELETION]',
      'error: environment lab: 35 of 37 objects would be deleted or stopped; at most 11 are allowed per hour [MASS_DELETION]',
      '    check the instance and the filters; if this is intended, pass --allow-mass-deletion',
    ]);
    expect((await fleet.run(['apply', '--yes', '--allow-mass-deletion', ...everywhere])).code).toBe(0);
    expect(total()).toBe(2);
  });

  it('in small steps: a restart does not forget what went within the last hour', async () => {
    fleet = await simFleet();
    for (const name of ['a', 'b', 'c', 'd', 'e']) single(name, ['lab']);
    expect((await restarted()).code).toBe(0);
    expect(objects('lab')).toHaveLength(9);
    drop('a');
    drop('b');
    expect((await restarted()).code).toBe(0);
    expect(objects('lab')).toHaveLength(7);
    drop('c');
    drop('d');
    const second = await restarted();
    expect(second.code).toBe(1);
    expect(objects('lab')).toHaveLength(7);
    const events = second.stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    expect(events.find(({ msg }) => msg === 'mass deletion withheld')).toMatchObject({
      ...{ scope: 'plan', deletions: 4, recent: 2, objects: 9, allowed: 3, code: 'MASS_DELETION' },
    });
    expect((await restarted('--allow-mass-deletion')).code).toBe(0);
    expect(objects('lab')).toHaveLength(5);
  });

  it('waits where what went within the last hour cannot be read or recorded', async () => {
    fleet = await simFleet();
    single('a', ['lab']);
    expect((await restarted()).code).toBe(0);
    drop('a');
    // The first read is that of its places.
    fleet.sim.addFault({ path: /leases\/manager-removals/, status: 403, times: 2 });
    const unread = await restarted();
    expect([unread.code, objects('lab').length]).toEqual([1, 5]);
    expect(unread.stdout).toContain('the deletions of the last hour are not known');
    fleet.sim.addFault({ path: /leases\/manager-removals/, method: 'PUT', status: 403 });
    const unrecorded = await restarted();
    expect([unrecorded.code, objects('lab').length]).toEqual([1, 5]);
    expect(unrecorded.stdout).toContain('cannot record the deletion');
    expect((await restarted()).code).toBe(0);
    expect(objects('lab')).toHaveLength(4);
  });

  it('includes shards that are disabled', async () => {
    fleet = await simFleet();
    single('a', ['lab']);
    expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
    const disabled =
      '  sharding:\n    strategy: static\n    shardSpecOverrides:\n    - shard: 0\n      disabled: true\n';
    single('a', ['lab'], disabled);
    const accounts = ['alpha', 'beta', 'gamma'].map(
      (name) => `    - shard: { $ref: /aws/${name}.yml }\n      disabled: true\n`,
    );
    const overrides = `    shardSpecOverrides:\n${accounts.join('')}`;
    fleet.write('integrations/terraform-resources.yml', integrationText('terraform-resources', ['lab'], overrides));
    const { code, stdout, stderr } = await fleet.run(['apply', '--yes']);
    expect(code).toBe(1);
    expect(stdout).toContain('0 to delete; 1 unchanged, 4 changes withheld');
    expect(stderr).toContain('the whole plan: 4 of 5 objects would be deleted or stopped; at most 3 are allowed');
  });
});

describe('a rename', () => {
  it('creates nothing while the deletions that belong to it are withheld', async () => {
    fleet = await simFleet();
    single('a', ['lab']);
    expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
    fleet.write(
      'namespaces/lab.yml',
      '$schema: /openshift/namespace-1.yml\nname: renamed\ncluster: { $ref: /clusters/lab.yml }\nenvironment: { $ref: /environments/lab.yml }\n',
    );
    fleet.sim.store.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'renamed' } });
    fleet.sim.clearRequests();
    const { code, stdout } = await fleet.run(['apply', '--yes']);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /withhold +lab\/renamed .*it replaces Deployment \S+ in lab\/fleet, whose deletion is withheld/,
    );
    expect(writesOf(fleet.sim)).toEqual([expect.stringMatching(/^PATCH .*renamed\/services\/qontract-reconcile$/)]);
    expect((await fleet.run(['apply', '--yes', '--allow-mass-deletion'])).code).toBe(0);
    expect(objects('lab').filter((name) => !name.startsWith('renamed/'))).toEqual([]);
    expect(objects('lab')).toHaveLength(5);
  });
});

describe('--max-image-changes', () => {
  it('changes no image where more would change, until the limit is higher', async () => {
    fleet = await simFleet();
    expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
    fleet.sim.clearRequests();
    const tag = ['--parameter', 'IMAGE_TAG=0473914', '--max-image-changes'];
    const { code, stdout, stderr } = await fleet.run(['apply', '--yes', ...tag, '2']);
    expect(code).toBe(1);
    expect(stdout).toContain('3 changes withheld');
    expect(stderr).toContain(
      'the image of 3 objects would change; at most 2 are allowed in one pass [MASS_IMAGE_CHANGE]',
    );
    expect(stderr).toContain('pass a higher --max-image-changes');
    expect(writesOf(fleet.sim)).toEqual([]);
    expect((await fleet.run(['apply', '--yes', ...tag, '3'])).code).toBe(0);
    expect(writesOf(fleet.sim)).toHaveLength(3);
  });

  it('must be a number', async () => {
    fleet = await simFleet();
    expect((await fleet.run(['plan', '--max-image-changes', '0'])).code).toBe(64);
  });
});
