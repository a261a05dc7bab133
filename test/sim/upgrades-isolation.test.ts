import { describe, expect, it } from 'vitest';
import { dice } from '../support/upgrade-simulation-dice.ts';
import {
  BAD_CLUSTER_LABELS,
  BAD_ORGANIZATION_LABELS,
  drawCluster,
  withLabels,
} from '../support/upgrade-simulation-fleet.ts';
import { calmScenario, decisionsFor, firstDifference, replaced } from '../support/upgrade-simulation-isolation.ts';
import type { AusLabels, Scenario } from '../support/upgrade-simulation-scenario.ts';
import { firstSeed, numberOf } from '../support/upgrade-simulation-suite.ts';

const FLEETS = Math.ceil(numberOf('ECHELON_FLEETS', 200) / 20);
const DAYS = 45;
const TIMEOUT_MS = 240_000;
const seed = firstSeed(0);
const seeds = Array.from({ length: FLEETS }, (_, index) => seed + index);

/** It shares nothing with others. */
const LONE: AusLabels = { workloads: 'wl-lone', 'soak-days': '0', schedule: '* * * * *' };

describe(`U6 in ${FLEETS} fleets of ${DAYS} days, from seed ${seed}: bad labels`, () => {
  it.each(seeds)(
    'change nothing for others (ECHELON_SEED=%i ECHELON_FLEETS=1)',
    async (each) => {
      const draw = dice(each, 'bad labels');
      const scenario = calmScenario(each, DAYS);
      const decided = await decisionsFor(scenario, 'org-1');
      const difference = async (changed: Scenario, except?: string): Promise<string | undefined> =>
        firstDifference(scenario, decided, await decisionsFor(changed, 'org-1', except));

      const spoilt = replaced(scenario, 'org-2', ({ aus, clusters, ...organization }) => ({
        ...organization,
        aus: { ...aus, ...draw.pick(BAD_ORGANIZATION_LABELS) },
        clusters: clusters.map((cluster) => withLabels(cluster, draw.chance(0.5) ? draw.pick(BAD_CLUSTER_LABELS) : {})),
      }));
      expect(await difference(spoilt), 'labels of another organization').toBeUndefined();
      const absent = replaced(scenario, 'org-2', () => undefined);
      expect(await difference(absent), 'no other organization').toBeUndefined();

      const lone = { ...drawCluster(draw, 'lone', ['* * * * *'], 1), aus: LONE };
      for (const labels of [{}, draw.pick(BAD_CLUSTER_LABELS)]) {
        const joined = replaced(scenario, 'org-1', ({ clusters, ...organization }) => ({
          ...organization,
          clusters: [...clusters, withLabels(lone, labels)],
        }));
        expect(await difference(joined, 'lone'), `a cluster with ${JSON.stringify(labels)}`).toBeUndefined();
      }
    },
    TIMEOUT_MS,
  );
});
