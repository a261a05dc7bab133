import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../src/sim/index.ts';
import type { UpgradeApi, UpgradeTarget } from '../../src/upgrades/index.ts';
import { member, minutes, upgradeFleet } from './upgrade-world.ts';

export interface UpgradeApiPlace {
  readonly api: UpgradeApi;
  /** What stands behind it. */
  readonly world: World;
  /** Lets time pass there. */
  advance(moment: Date): Promise<void>;
  close(): Promise<void>;
}

/** The fleet that the contract is about. */
export const CONTRACT_FLEET = upgradeFleet([
  {
    id: 'org-1',
    aus: { 'sector-deps.s': '' },
    clusters: [
      member('a', { mutexes: 'm' }, { health: 'unhealthy' }),
      member('b', {}, { status: 'Archived' }),
      member('c', {}, { managed: false }),
      member('d', {}, { version: '4.18.4', channel: 'stable-4.19', sts: true, product: 'rosa' }),
      member(
        'h',
        {},
        { hosted: true, product: 'rosa', node_pools: [{ name: 'np1' }, { name: 'np2', version: '4.18.0' }] },
      ),
    ],
  },
]);

const CLASSIC: UpgradeTarget = { kind: 'cluster', clusterId: 'a-id' };
const HOSTED: UpgradeTarget = { kind: 'control_plane', clusterId: 'h-id' };
const POOL: UpgradeTarget = { kind: 'node_pool', clusterId: 'h-id', nodePool: 'np2' };
const NEXT_RUN = '2026-03-02T11:00:00Z';
const SUBSCRIPTIONS = ['a-sub', 'b-sub', 'c-sub', 'd-sub', 'h-sub'];

/** What every implementation of the scheduler's view of OCM promises. */
export function upgradeApiContract(place: () => Promise<UpgradeApiPlace>): void {
  let at: UpgradeApiPlace;
  beforeEach(async () => {
    at = await place();
  });
  afterEach(() => at.close());

  describe('reading', () => {
    it('gives labels of clusters and organizations', async () => {
      const { items, problems } = await at.api.listLabels('sre-capabilities.aus.');
      const found = items.map(({ key, value, subscriptionId, organizationId }) => [
        subscriptionId ?? organizationId,
        key.replace('sre-capabilities.aus.', ''),
        value,
      ]);
      expect(problems).toEqual([]);
      expect(found).toHaveLength(5 * 3 + 2);
      expect(found).toEqual(
        expect.arrayContaining([
          ['a-sub', 'mutexes', 'm'],
          ['org-1', 'sector-deps.s', ''],
        ]),
      );
    });

    it('gives subscriptions that are managed and alive', async () => {
      const { items } = await at.api.listSubscriptions(SUBSCRIPTIONS);
      expect(items.map(({ id, organizationId }) => `${id} ${organizationId}`).sort()).toEqual([
        'a-sub org-1',
        'd-sub org-1',
        'h-sub org-1',
      ]);
    });

    it('gives those of a whole organization too', async () => {
      const { items } = await at.api.listOrganizationSubscriptions(['org-1', 'org-of-nobody']);
      expect(items.map(({ id, organizationId }) => `${id} ${organizationId}`).sort()).toEqual([
        'a-sub org-1',
        'd-sub org-1',
        'h-sub org-1',
      ]);
    });

    it('gives clusters with everything that matters', async () => {
      const { items } = await at.api.listClusters(SUBSCRIPTIONS);
      expect(items.map(({ name }) => name).sort()).toEqual(['a', 'b', 'd', 'h']);
      const [a, d, h] = ['a', 'd', 'h'].map((name) => items.find((each) => each.name === name));
      expect(a).toMatchObject({
        ...{ id: 'a-id', externalId: 'a-uuid', name: 'a', state: 'ready', subscriptionId: 'a-sub', productId: 'osd' },
        version: {
          id: 'openshift-v4.18.1',
          rawId: '4.18.1',
          channelGroup: 'stable',
          availableUpgrades: ['4.18.2', '4.18.3'],
        },
        ...{ channel: 'stable-4.18', hypershift: false, sts: false, healthState: 'unhealthy' },
      });
      expect([d?.sts, h?.hypershift]).toEqual([true, true]);
    });

    it('gives names, gates, node pools and channels', async () => {
      const { api } = at;
      expect([...(await api.organizationNames(['org-1', 'nobody']))]).toEqual([['org-1', 'org-1']]);
      expect((await api.listVersionGates()).items).toMatchObject([
        { id: 'gate-ocp', versionPrefix: '4.19', label: 'api.openshift.com/gate-ocp' },
      ]);
      const pools = (await api.listNodePools('h-id')).items.map(({ id, version }) => `${id} ${version.rawId}`);
      expect(pools).toEqual(['np1 4.18.1', 'np2 4.18.0']);
      expect(await api.availableChannels('a-id')).toContain('stable-4.18');
    });

    it('gives agreements by the gate', async () => {
      at.world.createAgreement('d-id', { version_gate: { id: 'gate-ocp' } });
      expect((await at.api.listAgreements('d-id')).items).toEqual(['gate-ocp']);
      expect((await at.api.listAgreements('a-id')).items).toEqual([]);
    });

    it('throws for a cluster that is not there', async () => {
      const target = { kind: 'cluster', clusterId: 'nobody' } as const;
      const gone = { code: 'OCM_NOT_FOUND', message: expect.stringMatching(/not found/i) };
      await expect(at.api.listPolicies(target)).rejects.toMatchObject(gone);
      await expect(at.api.listNodePools('nobody')).rejects.toMatchObject(gone);
      await expect(at.api.listAgreements('nobody')).rejects.toMatchObject(gone);
      await expect(at.api.createPolicy(target, { version: '4.18.3', nextRun: NEXT_RUN })).rejects.toMatchObject(gone);
      await expect(at.api.switchChannel('nobody', 'stable-4.19')).rejects.toMatchObject(gone);
    });
  });

  describe('upgrade policies', () => {
    it.each([
      { of: 'a classic cluster', target: CLASSIC, version: '4.18.3' },
      { of: 'a hosted control plane', target: HOSTED, version: '4.18.3' },
      { of: 'a node pool', target: POOL, version: '4.18.1' },
    ])('of $of are made, shown with their state, and deleted once', async ({ target, version }) => {
      const { api } = at;
      const creation = await api.createPolicy(target, { version, nextRun: NEXT_RUN });
      const id = creation.outcome === 'created' ? creation.id : '';
      const shown = (await api.listPolicies(target)).items;
      expect(shown).toMatchObject([{ id, version, scheduleType: 'manual', state: { value: 'pending' } }]);
      expect(Date.parse(shown[0]?.nextRun ?? '')).toBe(Date.parse(NEXT_RUN));
      expect(await api.deletePolicy(target, id)).toMatchObject({ outcome: 'deleted' });
      expect(await api.deletePolicy(target, id)).toMatchObject({ outcome: 'absent' });
    });

    it('are refused a second time, with a reason', async () => {
      const policy = { version: '4.18.3', nextRun: NEXT_RUN };
      await at.api.createPolicy(CLASSIC, policy);
      expect(await at.api.createPolicy(CLASSIC, policy)).toMatchObject({
        ...{ outcome: 'refused', reason: expect.stringContaining('already'), missingGates: [] },
      });
    });

    it('are refused with the gates that are missing', async () => {
      await at.advance(minutes(11 * 24 * 60));
      const target: UpgradeTarget = { kind: 'cluster', clusterId: 'd-id' };
      const nextRun = minutes(11 * 24 * 60 + 60).toISOString();
      expect(await at.api.createPolicy(target, { version: '4.19.1', nextRun })).toMatchObject({
        ...{ outcome: 'refused', missingGates: ['gate-ocp'] },
      });
    });

    it('are not deleted once they have started', async () => {
      const creation = await at.api.createPolicy(CLASSIC, { version: '4.18.3', nextRun: NEXT_RUN });
      await at.advance(minutes(61));
      const id = creation.outcome === 'created' ? creation.id : '';
      expect(await at.api.deletePolicy(CLASSIC, id)).toMatchObject({
        ...{ outcome: 'refused', reason: expect.stringContaining('started') },
      });
    });
  });

  describe('version gates', () => {
    it('are agreed to once; what OCM does not take is refused with a reason', async () => {
      const { api } = at;
      expect(await api.agreeToGate('a-id', 'gate-ocp')).toEqual({ outcome: 'agreed' });
      expect((await api.listAgreements('a-id')).items).toEqual(['gate-ocp']);
      expect(await api.agreeToGate('a-id', 'gate-ocp')).toMatchObject({
        ...{ outcome: 'refused', reason: expect.stringContaining('already') },
      });
      expect((await api.listAgreements('d-id')).items).toEqual([]);
    });
  });

  describe('channels', () => {
    it('are switched, or refused by a throw', async () => {
      await expect(at.api.switchChannel('a-id', 'stable-4.30')).rejects.toThrow(/not available/);
      await at.advance(minutes(11 * 24 * 60));
      await at.api.switchChannel('a-id', 'stable-4.19');
      expect(at.world.cluster('a').channel).toBe('stable-4.19');
    });
  });

  describe('service logs', () => {
    const log = {
      clusterUuid: 'a-uuid',
      serviceName: 'aus',
      severity: 'Moderate',
      summary: 's',
      description: "it's\nbad",
    } as const;

    it('are written, and listed from a time on', async () => {
      await at.api.createServiceLog(log);
      const now = at.world.now();
      const since = new Date(now.getTime() - 60_000).toISOString();
      expect((await at.api.listServiceLogs('a-uuid', 'aus', since)).items).toMatchObject([
        { description: "it's\nbad" },
      ]);
      expect((await at.api.listServiceLogs('a-uuid', 'other', since)).items).toEqual([]);
      const later = new Date(now.getTime() + 60_000).toISOString();
      expect((await at.api.listServiceLogs('a-uuid', 'aus', later)).items).toEqual([]);
    });

    it('are refused by a throw', async () => {
      await expect(at.api.createServiceLog({ ...log, clusterUuid: 'nobody' })).rejects.toThrow(/no cluster/);
    });
  });
}
