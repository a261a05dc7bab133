import { afterEach, describe, expect, it } from 'vitest';
import { createScheduler } from '../../src/upgrades/index.ts';
import { openSources } from '../../src/upgrades/service/sources.ts';
import { upgradesPorts } from '../support/upgrade-commands.ts';
import { member, minutes, upgradeFleet } from '../support/upgrade-world.ts';
import { configText, type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';

const LABELS_EACH = 4;

let cli: UpgradesCli;
afterEach(() => cli.dispose());

/** Organizations where nobody has anything to do, and a small one that is not served. */
async function fleet(organizations: number, each: number) {
  const idle = (prefix: string) =>
    Array.from({ length: each }, (_, index) => member(`${prefix}${index}`, { 'soak-days': 9, sector: 's' }));
  const ids = Array.from({ length: organizations }, (_, index) => `org-${index + 1}`);
  cli = await upgradesCli(
    upgradeFleet([
      ...ids.map((id) => ({ id, aus: { 'sector-deps.s': '' }, clusters: idle(`${id}-`) })),
      { id: 'unserved', clusters: [member('other')] },
    ]),
  );
  const allowed = ids.map((id) => `{ id: ${id}, name: ${id} }`).join();
  cli.write('upgrades.yml', configText(cli.sim).replace('allow: all', `allow: [${allowed}]`));
  const flags = { configFile: 'upgrades.yml' };
  const sources = await openSources(flags, upgradesPorts(cli.io, flags, { readOnly: false }));
  const { store, rules } = sources;
  const scheduler = createScheduler({ integration: 'aus', store, rules, clock: cli.clock });
  return async (): Promise<Record<string, number>> => {
    cli.sim.clearRequests();
    const report = await scheduler.pass(await sources.load());
    expect([report.environments, report.organizations.map(({ outcome }) => outcome.orgId)]).toEqual([
      [{ name: 'test' }],
      ids,
    ]);
    const counts: Record<string, number> = {};
    for (const { collection, path } of cli.sim.requests) {
      const name = /\/clusters\/[^/]+$/.test(path) ? 'one cluster' : collection;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  };
}

describe('calls of a pass over many clusters', () => {
  it.each([
    { organizations: 1, each: 230, given: 'one organization' },
    { organizations: 9, each: 50, given: 'organizations that share the lists of clusters' },
  ])(
    'are pages of labels, subscriptions and clusters, and one policy read per cluster that may be busy: $given',
    async ({ organizations, each }) => {
      const pass = await fleet(organizations, each);
      const clusters = organizations * each;
      const labels = cli.sim.world.state.labels.size;
      expect(labels).toBe(clusters * LABELS_EACH + organizations + 3);
      const budget = labels / 100 + (clusters + 1) / 100 + clusters / 100 + 3;
      const first = await pass();
      const { labels: l = 0, subscriptions: s = 0, clusters: c = 0, ...rest } = first;
      expect(l + s + c).toBeLessThanOrEqual(budget);
      expect(rest).toEqual({ token: 1, 'one cluster': 1, 'clusters/upgrade_policies': clusters });

      await cli.sim.advanceTo(minutes(5));
      const second = await pass();
      expect(second).toEqual({ labels: l, subscriptions: s, clusters: c });
    },
  );
});
