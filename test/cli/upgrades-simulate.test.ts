import { describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.ts';

const FLEET = ['--fleet', 'examples/fleet/fleet.yml'];
const simulate = (...args: readonly string[]) => runCli(['upgrades', 'simulate', ...FLEET, ...args]);

describe('upgrades simulate', () => {
  it('tells what upgraded, who waits and why, and what users were told', async () => {
    const { code, stdout } = await simulate('--days', '5', '--every', '3');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+ clusters, 5 days, 41 passes$/m);
    expect(stdout).toMatch(/^DAY +DATE +ORGANIZATION +UPGRADE +CLUSTERS$/m);
    expect(stdout).toMatch(/^schedule +\S+ +\d+ +\S+ +the next slot is /m);
    expect(stdout).toMatch(/shard-09 +The label sre-capabilities\.aus\.sector of this cluster is invalid/);
  });

  it('X2: tells the same for the same seed', async () => {
    const args = ['--days', '4', '--every', '4', '-o', 'json'];
    const [one, two] = [await simulate(...args), await simulate(...args)];
    expect(JSON.parse(one.stdout).upgraded.length).toBeGreaterThan(10);
    expect(two.stdout).toBe(one.stdout);
  });

  it.each([
    { args: ['--days', '0'], code: 64 },
    { args: ['--fleet', 'no-such-file.yml'], code: 1 },
    { args: ['-o', 'name'], code: 64 },
  ])('with $args exits $code', async ({ args, code }) => {
    expect((await simulate(...args)).code).toBe(code);
  });
});
