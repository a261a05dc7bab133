import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { integrationText, type SimFleet, simFleet, writesOf } from '../support/sim-fleet.ts';

let fleet: SimFleet;

beforeEach(async () => {
  fleet = await simFleet(['lab'], { namespaces: ['fleet', 'second'] });
  twin('https://API.lab.example.com:443/');
  namespace('fleet-twin', 'fleet', 'twin');
  namespace('second-twin', 'second', 'twin');
});
afterEach(() => fleet.dispose());

const twin = (serverUrl: string) =>
  fleet.write('clusters/twin.yml', `$schema: /openshift/cluster-1.yml\nname: twin\nserverUrl: ${serverUrl}\n`);
const namespace = (file: string, name: string, cluster: string) =>
  fleet.write(
    `namespaces/${file}.yml`,
    `$schema: /openshift/namespace-1.yml\nname: ${name}\ncluster: { $ref: /clusters/${cluster}.yml }\nenvironment: { $ref: /environments/lab.yml }\n`,
  );
const declare = (integration: string, file: string) =>
  fleet.write(`integrations/${integration}.yml`, integrationText(integration, [file]));
const BOTH = ['--context', 'lab=lab', '--context', 'twin=lab'];
const apply = (...args: readonly string[]) => fleet.run(['apply', '--yes', ...BOTH, ...args]);
const shards = (integration: string) =>
  ['alpha', 'beta', 'gamma'].map((shard) => `qontract-reconcile-${integration}-${shard}`);
const names = (at: string) => fleet.sim.store.list('apps/v1', 'Deployment', at).map(({ metadata }) => metadata.name);

describe('one API server under two cluster names', () => {
  it('keeps what is declared under either name, and deletes once what is declared under neither', async () => {
    declare('terraform-users', 'second-twin');
    declare('aws-iam-keys', 'fleet-twin');
    expect(await apply()).toMatchObject({ code: 0 });
    fleet.sim.clearRequests();
    expect(await apply()).toMatchObject({ code: 0, stderr: '' });
    expect(await apply('--cluster', 'lab')).toMatchObject({ code: 0, stderr: '' });
    expect(writesOf(fleet.sim)).toEqual([]);
    expect((await fleet.run(['status', ...BOTH])).stdout).not.toContain('unexpected');
    rmSync(fleet.manager.path('instance/data/integrations/aws-iam-keys.yml'));
    const { code, stdout } = await apply();
    expect({ code, deleted: stdout.match(/^delete /gm)?.length }).toEqual({ code: 0, deleted: 3 });
    expect(names('fleet')).toEqual(shards('terraform-resources'));
    expect(names('second')).toEqual(shards('terraform-users'));
  });

  it('reports a workload that is declared under both, and changes it for one of them', async () => {
    fleet.write('integrations/terraform-resources.yml', integrationText('terraform-resources', ['lab', 'fleet-twin']));
    const { code, stdout } = await apply();
    expect(code).toBe(1);
    expect(stdout).toMatch(/conflict +twin\/fleet +Deployment \S+-alpha +it is also declared in lab\/fleet/);
    fleet.sim.clearRequests();
    await apply();
    expect(writesOf(fleet.sim)).toEqual([]);
    const validated = await fleet.cli(['validate']);
    expect(validated).toMatchObject({ code: 1, stdout: expect.stringContaining('managed twice in twin/fleet') });
  });

  it('is also recognised by its objects where the addresses differ: what the other name declares is not deleted', async () => {
    twin('https://internal.example.com');
    declare('terraform-users', 'second-twin');
    await apply();
    fleet.sim.clearRequests();
    const { code, stdout } = await apply();
    expect(code).toBe(1);
    expect(stdout).toMatch(/withhold +lab\/second .*twin\/second declares it: lab and twin are the same API server/);
    expect(writesOf(fleet.sim)).toEqual([]);
    expect(names('second')).toEqual(shards('terraform-users'));
  });

  it('is a warning of validate that names both files', async () => {
    const { stdout } = await fleet.cli(['validate', '-o', 'json']);
    const { problems } = JSON.parse(stdout) as { problems: { rule: string }[] };
    expect(problems.filter(({ rule }) => rule === 'same-server')).toMatchObject([
      {
        severity: 'warning',
        file: 'data/clusters/twin.yml',
        line: 3,
        message: expect.stringContaining('data/clusters/lab.yml'),
      },
    ]);
  });
});

describe('one cluster name with two API servers', () => {
  const LEAN = `$schema: /openshift/lean-namespace-1.yml
name: third
cluster: { name: lab, serverUrl: 'https://other.example.com', automationToken: { path: a, field: b } }
environment: { name: lab }
`;

  it('is an error of the second place in validate and manager, and changes nothing for the first', async () => {
    await apply();
    fleet.sim.clearRequests();
    fleet.write('namespaces/third.yml', LEAN);
    declare('terraform-users', 'third');
    const says =
      /cluster lab has the API server https:\/\/other\.example\.com here, but \S+ in data\/clusters\/lab\.yml/;
    const validated = await fleet.cli(['validate']);
    expect(validated).toMatchObject({ code: 1, stdout: expect.stringMatching(says) });
    const applied = await apply();
    expect({ code: applied.code, said: applied.stdout + applied.stderr }).toEqual({
      code: 1,
      said: expect.stringMatching(says),
    });
    expect(writesOf(fleet.sim)).toEqual([]);
  });
});
