import { describe, expect, it } from 'vitest';
import { declaredIn, entry } from '../../../test/support/declared-organizations.ts';
import { type GivenOrganization, member, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import type { OrgId } from '../../instance/index.ts';
import { type Intercept, type World, type WorldCall, worldApi } from '../../sim/index.ts';
import { GATE_LABELS } from '../policies/fields.ts';
import type { ClusterRow, Listed, Site } from '../scheduler/ports.ts';
import { type ApproverOptions, type ApproverReport, approveGates } from './approve.ts';

const { ocp, sts, ingress } = GATE_LABELS;
const STS = { sts: true, product: 'rosa' };

const PARTS = {
  versions: {
    releases: ['4.12.1', '4.12.2', '4.13.1', '4.14.1'].map((version) => ({ version, at: 'day -40' })),
  },
  gates: [
    { id: 'ocp-13', version: '4.13', label: ocp },
    { id: 'sts-13', version: '4.13', label: sts, sts_only: true },
    { id: 'ingress-14', version: '4.14', label: ingress },
    { id: 'ocp-14', version: '4.14', label: ocp },
  ],
};

/** A cluster on 4.12 in the channel of a later minor, whose gates are ahead of it. */
function cluster(name: string, approvals?: string, more: object = {}, minor = '4.13') {
  const labels = approvals === undefined ? {} : { 'version-gate-approvals': approvals };
  return member(name, labels, { version: '4.12.1', channel: `stable-${minor}`, ...more });
}

const worldOf = (...clusters: GivenOrganization['clusters']): World => upgradeWorld([{ id: 'org-1', clusters }], PARTS);

/** Over one minor to the next, which the simulated versions never offer. */
function withLeap({ items, problems }: Listed<ClusterRow>): Listed<ClusterRow> {
  const leaping = ({ channel, version }: ClusterRow) => ({
    ...version,
    availableUpgrades: [...version.availableUpgrades, ...(channel === 'stable-4.14' ? ['4.14.1'] : [])],
  });
  return { items: items.map((row) => ({ ...row, version: leaping(row) })), problems };
}

interface Given extends Partial<ApproverOptions> {
  readonly intercept?: Intercept;
  readonly site?: Partial<Site>;
}

async function approve(world: World, { intercept, site: more, ...options }: Given = {}) {
  const calls: WorldCall[] = [];
  const api = worldApi(world, (call, act) => {
    calls.push(call);
    const answer = intercept === undefined ? act() : intercept(call, act);
    return call.name === 'listClusters' ? withLeap(answer as Listed<ClusterRow>) : answer;
  });
  const site: Site = {
    name: 'test',
    connect: async () => api,
    serves: (orgId) => ({ orgId: orgId as OrgId, healthChecks: [] }),
    health: new Map(),
    ...more,
  };
  const report = await approveGates({
    ...{ sites: [site], reading: { strict: true }, stsRolesKept: false, dryRun: false, mayWrite: () => true },
    signal: new AbortController().signal,
    ...options,
  });
  return { report, calls, outcomes: outcomesIn(report), agreed: agreedIn(world) };
}

const outcomesIn = ({ clusters }: ApproverReport): string[] =>
  clusters.flatMap(({ name, gates }) => gates.map(({ gate, outcome }) => `${name} ${gate.id} ${outcome}`));

const agreedIn = (world: World): string[] =>
  [...world.state.agreements.all()].map(({ clusterId, gateId }) => `${clusterId} ${gateId}`).sort();

const failing =
  (name: WorldCall['name'], clusterId: string): Intercept =>
  (call, act) => {
    if (call.name === name && call.args[0] === clusterId) throw new Error('out of order');
    return act();
  };

describe('the example of the reference', () => {
  const organization = (): World =>
    upgradeWorld(
      [
        {
          id: 'org-1',
          aus: { 'version-gate-approvals': sts },
          clusters: [
            cluster('a'),
            cluster('b', `${ocp},${sts}`, STS),
            cluster('c', ingress, {}, '4.14'),
            cluster('d', undefined, {}, '4.12'),
          ],
        },
      ],
      PARTS,
    );

  it('agrees to what is allowed; the roles of STS are not kept from here', async () => {
    const { outcomes, agreed } = await approve(organization());
    expect(outcomes).toEqual(expect.arrayContaining(['a ocp-13 not-allowed', 'b sts-13 not-supported']));
    expect(agreed).toEqual(['b-id ocp-13', 'c-id ingress-14']);
  });

  it('agrees to gates of STS too where somebody keeps the roles', async () => {
    const { agreed } = await approve(organization(), { stsRolesKept: true });
    expect(agreed).toEqual(['b-id ocp-13', 'b-id sts-13', 'c-id ingress-14']);
  });

  it('reads agreements only where gates are ahead', async () => {
    const { calls } = await approve(organization());
    const read = calls.filter(({ name }) => name === 'listAgreements').map(({ args }) => args[0]);
    expect(new Set(read)).toEqual(new Set(['a-id', 'b-id', 'c-id']));
  });
});

describe('a pass', () => {
  it('agrees once: the next one finds nothing to do', async () => {
    const world = worldOf(cluster('a'));
    expect((await approve(world)).outcomes).toEqual(['a ocp-13 agreed']);
    const again = await approve(world);
    expect([again.outcomes, again.calls.some(({ name }) => name === 'agreeToGate')]).toEqual([[], false]);
  });

  it.each([
    { given: 'in a dry run', options: { dryRun: true }, outcome: 'would-agree' },
    { given: 'where another replica acts', options: { mayWrite: () => false }, outcome: 'skipped' },
  ])('writes nothing $given', async ({ options, outcome }) => {
    const { outcomes, calls, agreed } = await approve(worldOf(cluster('a')), options);
    expect([outcomes, agreed]).toEqual([[`a ocp-13 ${outcome}`], []]);
    expect(calls.map(({ name }) => name)).not.toContain('agreeToGate');
  });

  it.each([
    { given: 'has no label and no organization with one', change: { aus: {} }, agreed: [] },
    { given: 'is not ready', change: { state: 'hibernating' }, agreed: [] },
    { given: 'is archived', change: { status: 'Archived' }, agreed: [] },
    { given: 'is labelled', change: {}, agreed: ['a-id ocp-13'] },
  ])('for a cluster that $given agrees to $agreed', async ({ change, agreed }) => {
    expect((await approve(worldOf({ ...cluster('a'), ...change }))).agreed).toEqual(agreed);
  });

  it('looks after all clusters of an organization that has a label', async () => {
    const world = upgradeWorld(
      [{ id: 'org-1', aus: { 'sector-deps.s': '' }, clusters: [{ ...cluster('a'), aus: {} }] }],
      PARTS,
    );
    expect((await approve(world)).agreed).toEqual(['a-id ocp-13']);
  });

  it('looks after clusters that a file names with what it allows, and no others of it', async () => {
    const bare = (name: string) => ({ ...cluster(name, undefined, {}, '4.14'), aus: {} });
    const declared = declaredIn({
      'org-1': { upgradePolicyClusters: [entry('a', {}, { versionGateApprovals: [ingress] }), entry('b')] },
    });
    const { agreed } = await approve(worldOf(bare('a'), bare('b'), bare('c')), { site: { declared } });
    expect(agreed).toEqual(['a-id ingress-14']);
  });

  it('leaves organizations alone that are not served', async () => {
    const { agreed, calls } = await approve(worldOf(cluster('a')), { site: { serves: () => undefined } });
    expect([agreed, calls.map(({ name }) => name)]).toEqual([[], ['listLabels', 'listSubscriptions']]);
  });

  it('takes an agreement that somebody else made meanwhile for one', async () => {
    const world = worldOf(cluster('a'));
    const { outcomes } = await approve(world, {
      intercept: (call, act) => {
        if (call.name === 'agreeToGate') world.createAgreement('a-id', { version_gate: { id: 'ocp-13' } });
        return act();
      },
    });
    expect(outcomes).toEqual(['a ocp-13 agreed']);
  });
});

describe('what goes wrong stays where it is', () => {
  const world = (): World => worldOf(cluster('a', ocp, {}, '4.14'), cluster('b', ocp, {}, '4.14'));
  const OF_B = ['b-id ocp-13', 'b-id ocp-14'];

  it('with a cluster whose agreements cannot be read', async () => {
    const { report, agreed } = await approve(world(), { intercept: failing('listAgreements', 'a-id') });
    expect(agreed).toEqual(expect.arrayContaining(OF_B));
    expect(agreed).toHaveLength(2);
    expect(report.clusters.map(({ name, faults }) => [name, faults.map(({ message }) => message)])).toEqual([
      ['a', ['cluster a: out of order']],
      ['b', []],
    ]);
  });

  it('with a cluster one of whose agreements cannot be read', async () => {
    const { agreed } = await approve(world(), {
      intercept: (call, act) => {
        if (call.name !== 'listAgreements' || call.args[0] !== 'a-id') return act();
        return { ...(act() as Listed<string>), problems: [{ id: 'x', known: {}, message: 'no gate' }] };
      },
    });
    expect(agreed).toEqual(OF_B);
  });

  it('with a gate that cannot be agreed to', async () => {
    const { outcomes } = await approve(world(), {
      intercept: (call, act) => {
        if (call.name === 'agreeToGate' && call.args.join() === 'a-id,ocp-13') throw new Error('out of order');
        return act();
      },
    });
    expect(outcomes.filter((each) => each.startsWith('a ') && each.includes('ocp'))).toEqual([
      'a ocp-13 failed',
      'a ocp-14 agreed',
    ]);
  });

  it('with a cluster that is deleted before it is agreed: no failure of the service', async () => {
    const there = world();
    const { outcomes } = await approve(there, {
      intercept: (call, act) => {
        if (call.name === 'agreeToGate' && call.args.join() === 'a-id,ocp-13') there.removeCluster('a');
        return act();
      },
    });
    expect(outcomes.filter((each) => each.startsWith('a ocp'))).toEqual(['a ocp-13 refused', 'a ocp-14 refused']);
  });

  it('with a cluster a label of which cannot be read: nobody knows what it allows', async () => {
    const { report, agreed } = await approve(world(), {
      intercept: (call, act) => {
        if (call.name !== 'listLabels') return act();
        const problem = { id: 'x', known: { subscription_id: 'a-sub' }, message: 'value: expected text' };
        return { ...(act() as Listed<unknown>), problems: [problem] };
      },
    });
    expect(agreed).toEqual(OF_B);
    expect(report.clusters[0]?.faults).toMatchObject([{ code: 'OCM_RECORD_UNREADABLE' }]);
  });

  it('with an organization a label of which cannot be read', async () => {
    const two = upgradeWorld(
      [
        { id: 'org-1', clusters: [cluster('a')] },
        { id: 'org-2', clusters: [cluster('b')] },
      ],
      PARTS,
    );
    const { report, agreed } = await approve(two, {
      intercept: (call, act) => {
        if (call.name !== 'listLabels') return act();
        const problem = { id: 'x', known: { organization_id: 'org-1' }, message: 'value: expected text' };
        return { ...(act() as Listed<unknown>), problems: [problem] };
      },
    });
    expect([agreed, report.organizations.map(({ orgId }) => orgId)]).toEqual([['b-id ocp-13'], ['org-1']]);
  });

  it('with an organization whose own login fails', async () => {
    const two = upgradeWorld(
      [
        { id: 'org-1', clusters: [cluster('a')] },
        { id: 'org-2', clusters: [cluster('b')] },
      ],
      PARTS,
    );
    const connect = () => Promise.reject(new Error('no secret'));
    const serves = (orgId: string) => ({
      orgId: orgId as OrgId,
      healthChecks: [],
      ...(orgId === 'org-1' ? { connect } : {}),
    });
    const { report, agreed } = await approve(two, { site: { serves } });
    expect([agreed, report.clusters[0]?.faults[0]?.message]).toEqual([['b-id ocp-13'], 'cluster a: no secret']);
  });

  it('with an OCM that cannot be reached', async () => {
    const { report } = await approve(world(), { site: { connect: () => Promise.reject(new Error('down')) } });
    expect(report).toMatchObject({ environments: [{ name: 'test', fault: { message: 'down' } }], clusters: [] });
  });
});
