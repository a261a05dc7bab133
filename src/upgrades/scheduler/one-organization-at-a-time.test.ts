import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { member, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { memoryStateStore } from '../../base/index.ts';
import type { OrgId } from '../../instance/index.ts';
import { worldApi } from '../../sim/index.ts';
import { DEFAULT_RULES } from '../engine/rules.ts';
import { isSkipped, type OrganizationOutcome } from './plan-organization.ts';
import type { Site } from './ports.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const NAMES = 'abcdefghijkl';

function setUp(): { readonly scheduler: Scheduler; readonly sites: readonly Site[] } {
  const world = upgradeWorld(
    [...NAMES].map((name) => ({
      id: `org-${name}`,
      clusters: Array.from({ length: 50 }, (_, index) => member(`${name}${index}`)),
    })),
  );
  const api = worldApi(world);
  const site: Site = {
    name: 'test',
    connect: async () => api,
    serves: (orgId) => ({ orgId: orgId as OrgId, healthChecks: [] }),
    health: new Map(),
  };
  const clock = { now: () => world.now() };
  const store = memoryStateStore();
  // What a weak reference refers to lives until the end of a turn of the event loop.
  const read: typeof store.read = async (key) => turn().then(() => store.read(key));
  const options = { integration: 'aus', store: { ...store, read }, rules: DEFAULT_RULES, clock };
  return { scheduler: createScheduler(options), sites: [site] };
}

type Keep = (outcome: OrganizationOutcome) => void;

it.each([
  {
    given: 'a pass',
    run: (keep: Keep) => {
      const { scheduler, sites } = setUp();
      return scheduler.pass({ sites }, {}, ({ outcome }) => keep(outcome));
    },
  },
  {
    given: 'a plan, which can be applied afterwards',
    run: async (keep: Keep) => {
      const { scheduler, sites } = setUp();
      const { apply } = await scheduler.plan({ sites }, 'decision', keep);
      const { organizations } = await apply();
      expect(organizations.flatMap(({ results }) => results)).toHaveLength(NAMES.length * 50);
    },
  },
])('$given holds facts and verdicts of the organizations whose turn it is, not of the fleet', async ({ run }) => {
  const facts: WeakRef<object>[] = [];
  let held = Number.NaN;
  await run((outcome) => {
    if (!isSkipped(outcome)) facts.push(new WeakRef(outcome.facts));
    if (facts.length < NAMES.length) return;
    collectGarbage();
    held = facts.filter((each) => each.deref() !== undefined).length;
  });
  // Four are decided on at once.
  expect(held).toBeLessThanOrEqual(4);
});
