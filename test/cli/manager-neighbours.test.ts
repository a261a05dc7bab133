import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { integrationText, type SimFleet, simFleet, writesOf } from '../support/sim-fleet.ts';

const ONE = 'https://example.com/one';
const TWO = 'https://example.com/two';

let fleet: SimFleet;
beforeEach(async () => {
  fleet = await simFleet();
  const images = [ONE, TWO].map((url) => `- { url: '${url}', image: example.com/tools }`);
  fleet.manager.write('instance/resources/echelon/manager.yml', `upstreams:\n${images.join('\n')}\n`);
  declare('terraform-resources', ONE);
  declare('terraform-users', TWO);
});
afterEach(() => fleet.dispose());

const declare = (name: string, upstream: string) =>
  fleet.write(`integrations/${name}.yml`, `${integrationText(name, ['lab'])}upstream: ${upstream}\n`);
const drop = (name: string) => rmSync(fleet.manager.path(`instance/data/integrations/${name}.yml`));
const apply = (upstream: string) => fleet.run(['apply', '--yes', '--upstream', upstream, '--cluster', 'lab']);
const service = () => fleet.sim.store.list('v1', 'Service', 'fleet')[0];
const callerOf = () =>
  (service()?.metadata['annotations'] as Record<string, string> | undefined)?.['qontract.caller_name'];
const workloads = () => fleet.sim.store.list('apps/v1', 'Deployment', 'fleet').length;

describe('two managers in one namespace', () => {
  it('S4: settle on the one that came first for the Service that they share', async () => {
    for (const upstream of [ONE, TWO]) expect(await apply(upstream)).toMatchObject({ code: 0, stderr: '' });
    fleet.sim.clearRequests();
    for (const upstream of [ONE, TWO]) expect(await apply(upstream)).toMatchObject({ code: 0, stderr: '' });
    expect(writesOf(fleet.sim)).toEqual([]);
    expect([workloads(), callerOf()]).toEqual([6, ONE]);
  });

  it('leave the Service to the one that stays, which removes it when it leaves too', async () => {
    for (const upstream of [ONE, TWO]) await apply(upstream);
    drop('terraform-resources');
    expect(await apply(ONE)).toMatchObject({ code: 0 });
    expect([workloads(), callerOf()]).toEqual([3, ONE]);
    expect(await apply(TWO)).toMatchObject({ code: 0 });
    expect([workloads(), callerOf()]).toEqual([3, TWO]);
    drop('terraform-users');
    expect(
      await fleet.run(['apply', '--yes', '--upstream', TWO, '--cluster', 'lab', '--allow-mass-deletion']),
    ).toMatchObject({
      code: 0,
    });
    expect([workloads(), service()]).toEqual([0, undefined]);
  });
});
