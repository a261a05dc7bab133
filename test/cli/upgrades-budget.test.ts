import { afterEach, describe, expect, it } from 'vitest';
import { upgradesPorts } from '../../src/cli/commands/upgrades/ports.ts';
import { createScheduler } from '../../src/upgrades/index.ts';
import { openSources } from '../../src/upgrades/settings/sources.ts';
import { member, minutes, upgradeFleet } from '../support/upgrade-world.ts';
import { configText, type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';

const CLUSTERS = 230;
const LABELS_EACH = 4;

let cli: UpgradesCli;
afterEach(() => cli.dispose());

/** A large organization where nobody has anything to do, and a small one that is not served. */
async function fleet() {
  const idle = Array.from({ length: CLUSTERS }, (_, index) => member(`c${index}`, { 'soak-days': 9, sector: 's' }));
  const aus = { 'sector-deps.s': '' };
  cli = await upgradesCli(
    upgradeFleet([
      { id: 'org-1', aus, clusters: idle },
      { id: 'org-2', clusters: [member('other')] },
    ]),
  );
  cli.write('upgrades.yml', configText(cli.sim).replace('allow: all', 'allow: [{ id: org-1, name: first }]'));
  const flags = { configFile: 'upgrades.yml' };
  const sources = await openSources(flags, upgradesPorts(cli.io, flags, { readOnly: false }));
  const { store, rules } = sources;
  const scheduler = createScheduler({ integration: 'aus', store, rules, clock: cli.clock });
  return async (): Promise<Record<string, number>> => {
    cli.sim.clearRequests();
    const { environments, organizations } = await scheduler.pass(await sources.load());
    expect([environments, organizations.map(({ outcome }) => outcome.orgId)]).toEqual([[{ name: 'test' }], ['org-1']]);
    const counts: Record<string, number> = {};
    for (const { collection, path } of cli.sim.requests) {
      const name = /\/clusters\/[^/]+$/.test(path) ? 'one cluster' : collection;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  };
}

describe('calls of a pass over many clusters', () => {
  it('are pages of labels, subscriptions and clusters, and one policy read per cluster that may be busy', async () => {
    const pass = await fleet();
    const labels = cli.sim.world.state.labels.size;
    expect(labels).toBe(CLUSTERS * LABELS_EACH + 4);
    const budget = labels / 100 + (CLUSTERS + 1) / 100 + CLUSTERS / 100 + 3;
    const first = await pass();
    const { labels: l = 0, subscriptions: s = 0, clusters: c = 0, ...rest } = first;
    expect(l + s + c).toBeLessThanOrEqual(budget);
    expect(rest).toEqual({ token: 1, 'one cluster': 1, 'clusters/upgrade_policies': CLUSTERS });

    await cli.sim.advanceTo(minutes(5));
    const second = await pass();
    expect(second).toEqual({ labels: l, subscriptions: s, clusters: c });
  });
});
