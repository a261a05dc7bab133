import { describe, expect, it } from 'vitest';
import { CLASSIC, create, HOSTED, manual, refusal } from '../../../../test/support/sim-ocm-requests.ts';
import { minute, smallWorld } from '../../../../test/support/sim-ocm-small-fleet.ts';
import type { World } from './world.ts';

describe('version gates', () => {
  const nextMinor = (after: number) => manual('4.19.1', after);
  const ready = (): World => {
    const world = smallWorld();
    world.advanceTo(new Date(minute(11 * 1440)));
    for (const id of ['c1', 'h1']) world.patchCluster(id, { channel: 'stable-4.19' });
    return world;
  };
  const at = 11 * 1440;

  it.each([
    { target: CLASSIC, missing: ['gate-ocp'] },
    { target: HOSTED, missing: ['gate-ocp', 'gate-sts'] },
  ])('of $target.clusterId that are missing are $missing', ({ target, missing }) => {
    const world = ready();
    const error = refusal(() => world.createPolicy(target, nextMinor(at + 10)));
    expect(error?.message).toBe('There are missing version gate agreements for this cluster. See details.');
    expect(error?.details).toMatchObject(
      missing.map((id) => ({ kind: 'VersionGate', id, version_raw_id_prefix: '4.19' })),
    );
  });

  it('are asked for neither within a minor nor for a fix of a vulnerability', () => {
    const world = ready();
    create(world, CLASSIC, manual('4.18.6', at + 10));
    create(world, HOSTED, { ...nextMinor(at + 10), upgrade_type: 'ControlPlaneCVE' });
  });

  it('open a little after they were agreed to', () => {
    const world = ready();
    const agreement = world.createAgreement('c1', { version_gate: { id: 'gate-ocp' } });
    expect(agreement.version_gate).toMatchObject({ id: 'gate-ocp', label: 'api.openshift.com/gate-ocp' });
    expect(refusal(() => world.createPolicy(CLASSIC, nextMinor(at + 10)))?.status).toBe(400);
    world.advanceTo(new Date(minute(at + 1)));
    create(world, CLASSIC, nextMinor(at + 10));
    expect(world.listAgreements('c1').items).toEqual([agreement]);
  });

  it.each([
    { given: 'agreed to twice', before: ['gate-ocp'], body: { version_gate: { id: 'gate-ocp' } }, status: 409 },
    { given: 'unknown', before: [], body: { version_gate: { id: 'none' } }, status: 404 },
    { given: 'not named', before: [], body: {}, status: 400 },
  ])('that are $given are refused', ({ before, body, status }) => {
    const world = ready();
    for (const id of before) world.createAgreement('c1', { version_gate: { id } });
    expect(refusal(() => world.createAgreement('c1', body))?.status).toBe(status);
  });

  it('that are behind a cluster have no effect', () => {
    const world = ready();
    world.createAgreement('c1', { version_gate: { id: 'gate-ocp' } });
    world.advanceTo(new Date(minute(at + 2)));
    create(world, CLASSIC, nextMinor(at + 10));
    world.advanceTo(new Date(minute(at + 200)));
    expect(world.getCluster('c1').version.raw_id).toBe('4.19.1');
    expect(refusal(() => world.createAgreement('c1', { version_gate: { id: 'gate-sts' } }))?.status).toBe(400);
  });

  it('are not asked for again within the minor', () => {
    const world = ready();
    world.createAgreement('c1', { version_gate: { id: 'gate-ocp' } });
    world.advanceTo(new Date(minute(at + 2)));
    create(world, CLASSIC, nextMinor(at + 10));
    world.advanceTo(new Date(minute(at + 200)));
    world.deleteAgreement('c1', world.listAgreements('c1').items[0]?.id ?? '');
    world.releaseVersion('4.19.2');
    create(world, CLASSIC, manual('4.19.2', at + 210));
  });

  it('with a condition are for the clusters that fit', () => {
    const gates = [{ id: 'g', version: '4.19', label: 'x', condition: "hypershift.enabled = 'false'" }];
    const world = smallWorld({ gates });
    world.advanceTo(new Date(minute(at)));
    for (const id of ['c1', 'h1']) world.patchCluster(id, { channel: 'stable-4.19' });
    expect(refusal(() => world.createPolicy(CLASSIC, nextMinor(at + 10)))?.details).toHaveLength(1);
    create(world, HOSTED, nextMinor(at + 10));
  });

  it('can be taken back', () => {
    const world = ready();
    const { id } = world.createAgreement('c1', { version_gate: { id: 'gate-ocp' } });
    expect(world.getAgreement('c1', id).id).toBe(id);
    world.deleteAgreement('c1', id);
    expect(world.listAgreements('c1').total).toBe(0);
  });
});
