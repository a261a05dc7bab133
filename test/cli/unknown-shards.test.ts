import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleRun, consoleOf } from '../support/console-run.ts';
import { type SimFleet, simFleet } from '../support/sim-fleet.ts';

describe('a cluster that cannot be reached', () => {
  let fleet: SimFleet;
  let run: ConsoleRun;
  beforeAll(async () => {
    fleet = await simFleet(['lab', 'far']);
    expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
    await fleet.clusters.get('far')?.close();
    run = await consoleOf(fleet);
  });
  afterAll(async () => {
    await run?.stop();
    await fleet?.clusters.get('lab')?.close();
    fleet?.manager.dispose();
  });

  it('leaves none of its shards out of manager status, whose sum is what is declared', async () => {
    const { code, stdout, stderr } = await fleet.run(['status']);
    expect(code).toBe(1);
    expect(stdout.match(/^unknown +terraform-resources +\w+ +far\/fleet +f929a38 +- +far: /gm)).toHaveLength(3);
    expect(stdout).toMatch(/^3 converged, 3 unknown\.$/m);
    expect(stderr).toContain('far');
  });

  it('is the same for programs, with a narrowed scope too', async () => {
    const { stdout, code } = await fleet.run(['status', '--cluster', 'far', '-o', 'json']);
    const { items } = JSON.parse(stdout);
    expect({ code, states: items.map(({ state }: { state: string }) => state) }).toEqual({
      code: 1,
      states: ['unknown', 'unknown', 'unknown'],
    });
  });

  it('has its shards in the console: in the list, in the figures, and first among the problems', async () => {
    const get = async (path: string) => (await fetch(run.url + path)).text();
    expect(JSON.parse(await get('/shards.json?state=unknown')).items).toHaveLength(3);
    const body = await get('/');
    expect(body).toContain('3 shards unknown');
    expect(body.indexOf('3 shards unknown')).toBeLessThan(body.indexOf('Largest integrations'));
    const { shards } = JSON.parse(await get('/overview.json'));
    expect(shards.states).toEqual([
      { name: 'converged', count: 3 },
      { name: 'unknown', count: 3 },
    ]);
  });
});
