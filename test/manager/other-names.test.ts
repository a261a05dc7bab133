import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { integrationText, type SimFleet, simFleet } from '../support/sim-fleet.ts';

interface Shard {
  readonly integration?: string;
  readonly shard?: string;
  readonly name: string;
  readonly state: string;
}

const CHART = join(import.meta.dirname, 'charts/other-names');
const PIN = '    shardSpecOverrides:\n    - shard: { $ref: /aws/beta.yml }\n      imageRef: 0473914\n';

let fleet: SimFleet;
beforeEach(async () => {
  fleet = await simFleet();
  fleet.write('integrations/terraform-resources.yml', integrationText('terraform-resources', ['lab'], PIN));
  fleet.write(
    'integrations/nightly.yml',
    integrationText('nightly', ['lab']).replace('  spec:\n', "  spec:\n    cron: '0 0 * * *'\n"),
  );
});
afterEach(() => fleet.dispose());

async function shards(...args: readonly string[]): Promise<{ code: number; shards: readonly Shard[] }> {
  const { code, stdout } = await fleet.run(['status', '-o', 'json', '--watch', ...args]);
  return { code, shards: JSON.parse(stdout).items };
}

describe('a chart that names its objects differently', () => {
  const chart = ['--chart', CHART];
  const apply = () => fleet.run(['apply', '--yes', ...chart]);

  it('is applied, and status says that every shard is converged', async () => {
    expect(await apply()).toMatchObject({ code: 0 });
    const { code, shards: found } = await shards(...chart);
    expect(code).toBe(0);
    expect(found.map(({ integration, shard, name, state }) => `${integration}/${shard} ${name} ${state}`)).toEqual([
      'nightly/alpha fleet-alpha.nightly converged',
      'nightly/beta fleet-beta.nightly converged',
      'nightly/gamma fleet-gamma.nightly converged',
      'terraform-resources/alpha fleet-alpha.terraform-resources converged',
      'terraform-resources/beta fleet-beta.terraform-resources pinned',
      'terraform-resources/gamma fleet-gamma.terraform-resources converged',
    ]);
  });

  it('has its pins obeyed by shards that are known by what they carry', async () => {
    await apply();
    await shards(...chart);
    const { code, stdout } = await fleet.cli(['pins', '--live', '-o', 'json', ...chart]);
    expect({ code, items: JSON.parse(stdout).items }).toMatchObject({
      code: 0,
      items: [{ shard: 'beta', live: { obeys: true, state: 'pinned' } }],
    });
  });

  it('is converged after one apply', async () => {
    await apply();
    expect(await fleet.run(['plan', '--detailed-exitcode', ...chart])).toMatchObject({ code: 0 });
  });

  it('still tells its shards apart when it cannot be rendered any more', async () => {
    await apply();
    fleet.manager.write('broken/templates/all.yaml', '{{ fail "broken" }}\n');
    fleet.manager.write('broken/Chart.yaml', 'apiVersion: v2\nname: broken\nversion: 1.0.0\n');
    const { stdout } = await fleet.run(['status', '-o', 'json', '--chart', fleet.manager.path('broken')]);
    const found: readonly Shard[] = JSON.parse(stdout).items;
    expect(found.map(({ integration, name, state }) => `${integration} ${name} ${state}`)).toContain(
      'nightly fleet-alpha.nightly lagging',
    );
    expect(found.filter(({ state }) => state !== 'lagging')).toEqual([]);
  });

  it('leaves objects of former names behind for the next pass, which are nobody’s then', async () => {
    await fleet.run(['apply', '--yes']);
    const { shards: found } = await shards('--timeout', '0', ...chart);
    const unexpected = found.filter(({ state }) => state === 'unexpected').map(({ name }) => name);
    expect(unexpected).toContain('qontract-reconcile-terraform-resources-alpha');
  });
});
