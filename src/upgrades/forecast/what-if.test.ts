import { describe, expect, it } from 'vitest';
import { plannedIn, quietWorld } from '../../../test/support/forecast-fleet.ts';
import { member, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { defined } from '../../base/index.ts';
import { instantOf, MICROS } from '../../gates/index.ts';
import { DEFAULT_RULES } from '../engine/rules.ts';
import { forecast } from './forecast.ts';
import { movesBetween } from './request.ts';
import { applyWhatIf } from './what-if.ts';
import type { WhatIf } from './what-if-file.ts';

const NOTHING: WhatIf = { clusters: {}, organizations: {}, blocks: [], releases: [] };

describe('what-if', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('a change that concerns nobody moves nothing (seed %i)', async (seed) => {
    const world = quietWorld(seed);
    const planned = await plannedIn(world);
    const other = applyWhatIf(planned, { ...NOTHING, blocks: ['no-such-version'] }, DEFAULT_RULES);
    const options = { from: instantOf(world.now().getTime()), days: 20, every: MICROS.hour, rules: DEFAULT_RULES };
    const [before, after] = [forecast(planned, options), forecast(other, options)];
    expect(before.clusters.flatMap(({ upgrades }) => upgrades).length).toBeGreaterThan(0);
    expect(movesBetween(before, after)).toEqual([]);
  });

  it('freezes an organization, or a cluster', async () => {
    const freeze = '2026-12-20T00:00:00Z/2027-01-03T00:00:00Z';
    const planned = await plannedIn(upgradeWorld([{ id: 'org-1', clusters: [member('alpha'), member('beta')] }]));
    const change = {
      ...NOTHING,
      clusters: { alpha: { freeze } },
      organizations: { 'org-1': { freeze: `${freeze}=all` } },
    };
    const [organization] = applyWhatIf(planned, change, DEFAULT_RULES);
    expect(organization?.facts.freezes).toEqual([`${freeze}=all`]);
    expect(organization?.facts.clusters.map(({ policy }) => policy.freezes)).toEqual([[freeze], undefined]);
  });

  it.each([
    { change: 'a label that is put right', given: { 'soak-days': 'few' }, labels: { 'soak-days': '0' }, served: true },
    { change: 'a label that is taken away', given: {}, labels: { workloads: null }, served: false },
    { change: 'nothing', given: { 'soak-days': 'few' }, labels: undefined, served: false },
  ])('after $change the cluster is served: $served', async ({ given, labels, served }) => {
    const clusters = [member('alpha', given), member('beta')];
    const planned = await plannedIn(upgradeWorld([{ id: 'org-1', clusters }]));
    const change = { ...NOTHING, clusters: { beta: {}, ...defined({ alpha: labels }) } };
    const [organization] = applyWhatIf(planned, change, DEFAULT_RULES);
    expect(organization?.facts.clusters.some(({ name }) => name === 'alpha')).toBe(served);
    expect(organization?.facts.held.some(({ name }) => name === 'alpha')).toBe(!served);
  });

  it.each<{ given: string; change: Partial<WhatIf>; code: string; says: string }>([
    { given: 'a cluster nobody has', change: { clusters: { alpa: {} } }, code: 'UNKNOWN', says: 'cluster alpa' },
    { given: 'an organization nobody has', change: { organizations: { x: {} } }, code: 'UNKNOWN', says: 'zation x' },
    { given: 'a name of two', change: { clusters: { twin: {} } }, code: 'AMBIGUOUS', says: 'which matches 2' },
    {
      given: 'a name that every object has',
      change: { clusters: { constructor: {} } },
      code: 'UNKNOWN',
      says: 'constr',
    },
    {
      given: 'a typing mistake in a label',
      change: { clusters: { alpha: { 'soak-day': '0' } } },
      ...{ code: 'UNKNOWN', says: 'unknown label soak-day for clusters' },
    },
    {
      given: 'a typing mistake in a label of an organization',
      change: { organizations: { 'org-1': { 'sector-dep.a': 'b' } } },
      ...{ code: 'UNKNOWN', says: 'unknown label sector-dep.a for organizations' },
    },
    {
      given: 'a label without effect',
      change: { organizations: { 'org-1': { 'version-data.inherit': 'org-2' } } },
      ...{ code: 'UNKNOWN', says: 'has no effect on a forecast' },
    },
    {
      given: 'a schedule',
      change: { clusters: { alpha: { schedule: 'soon' } } },
      code: 'INVALID',
      says: 'cluster alpha',
    },
    {
      given: 'a sector that nobody declares',
      change: { clusters: { alpha: { sector: 'x' } } },
      ...{ code: 'INVALID', says: 'sector x is not declared' },
    },
    { given: 'a pattern', change: { blocks: ['('] }, code: 'INVALID', says: 'is not a valid regular expression' },
    {
      given: 'a circle of sectors',
      change: { organizations: { 'org-1': { 'sector-deps.a': 'b', 'sector-deps.b': 'a' } } },
      ...{ code: 'INVALID', says: 'dependency cycle' },
    },
    {
      given: 'a held cluster that stays wrong',
      change: { clusters: { broken: { schedule: '* * * * *' } } },
      ...{ code: 'INVALID', says: 'cluster broken' },
    },
  ])('refuses $given', async ({ change, code, says }) => {
    const twin = (id: string) => ({ ...member('twin'), id, uuid: `${id}-uuid`, subscription: `${id}-sub` });
    const clusters = [member('alpha'), member('broken', { 'soak-days': 'few' }), twin('t1')];
    const world = upgradeWorld([
      { id: 'org-1', clusters },
      { id: 'org-2', clusters: [twin('t2')] },
    ]);
    const planned = await plannedIn(world);
    expect(() => applyWhatIf(planned, { ...NOTHING, ...change }, DEFAULT_RULES)).toThrow(
      expect.objectContaining({ code: `WHAT_IF_${code}`, message: expect.stringContaining(says) }),
    );
  });

  it('takes full keys and all names of a cluster together, and leaves reasons of others as they were', async () => {
    const clusters = [member('alpha'), member('broken', { 'soak-days': 'few' })];
    const planned = await plannedIn(upgradeWorld([{ id: 'org-1', clusters }]));
    const labels = { alpha: { 'soak-days': '3' }, 'alpha-id': { 'sre-capabilities.aus.mutexes': 'm' } };
    const [organization] = applyWhatIf(planned, { ...NOTHING, clusters: labels }, DEFAULT_RULES);
    expect(organization?.facts.clusters[0]?.policy).toMatchObject({ soakDays: 3, mutexes: ['m'] });
    expect(organization?.facts.held[0]?.held).toBe(planned[0]?.facts.held[0]?.held);
  });
});
