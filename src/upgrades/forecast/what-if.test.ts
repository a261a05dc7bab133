import { describe, expect, it } from 'vitest';
import { plannedIn, quietWorld } from '../../../test/support/forecast-fleet.ts';
import { member, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { instantOf, MICROS } from '../engine/instant.ts';
import { DEFAULT_RULES } from '../engine/rules.ts';
import { movesBetween } from './compare.ts';
import { forecast } from './forecast.ts';
import { applyWhatIf, type WhatIf } from './what-if.ts';

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

  it.each([
    { change: 'a label that is put right', given: { 'soak-days': 'few' }, labels: { 'soak-days': '0' }, served: true },
    { change: 'a label that becomes wrong', given: {}, labels: { schedule: 'soon' }, served: false },
    { change: 'a label that is taken away', given: {}, labels: { workloads: null }, served: false },
    { change: 'nothing', given: { 'soak-days': 'few' }, labels: undefined, served: false },
  ])('after $change the cluster is served: $served', async ({ given, labels, served }) => {
    const clusters = [member('alpha', given), member('beta')];
    const planned = await plannedIn(upgradeWorld([{ id: 'org-1', clusters }]));
    const change = { ...NOTHING, clusters: { beta: {}, ...(labels === undefined ? {} : { alpha: labels }) } };
    const [organization] = applyWhatIf(planned, change, DEFAULT_RULES);
    expect(organization?.facts.clusters.some(({ name }) => name === 'alpha')).toBe(served);
    expect(organization?.facts.held.some(({ name }) => name === 'alpha')).toBe(!served);
  });

  it('refuses names that nobody has', async () => {
    const planned = await plannedIn(upgradeWorld([{ id: 'org-1', clusters: [member('alpha')] }]));
    expect(() => applyWhatIf(planned, { ...NOTHING, clusters: { alpa: {} } }, DEFAULT_RULES)).toThrow(/cluster alpa/);
    expect(() => applyWhatIf(planned, { ...NOTHING, organizations: { x: {} } }, DEFAULT_RULES)).toThrow(
      /organization x/,
    );
  });
});
