import { beforeAll, describe, expect, it } from 'vitest';
import { decideLikeIncumbent, incumbentMissing, incumbentPython } from '../support/incumbent.ts';
import { type IncumbentFleet, incumbentFleets } from '../support/incumbent-fleets.ts';
import { decideLikeEchelon, type SpokenUpgrade } from '../support/incumbent-plans.ts';

const FLEETS = 300;
const SEED = 14;

const missing = incumbentMissing();

describe.skipIf(missing !== undefined)(`the published scheduler${missing === undefined ? '' : `: ${missing}`}`, () => {
  const fleets = incumbentFleets(SEED, FLEETS);
  /** By fleet and pass. */
  let theirs: readonly (readonly SpokenUpgrade[])[][] = [];
  beforeAll(async () => {
    theirs = decideLikeIncumbent(await incumbentPython(), fleets) as SpokenUpgrade[][][];
  });

  /** That release deletes upgrades to blocked versions, whoever scheduled them: see docs/differences.md. */
  const different = (seen: (fleet: IncumbentFleet) => IncumbentFleet = (fleet) => fleet) =>
    fleets.flatMap((fleet, number) =>
      decideLikeEchelon(seen(fleet)).flatMap((ours, pass) => {
        const created = (theirs[number]?.[pass] ?? []).filter(isCreated);
        return JSON.stringify(ours) === JSON.stringify(created) ? [] : [{ number, pass, ours, theirs: created }];
      }),
    );

  it(`decides the same as --rules qontract on ${FLEETS} fleets, in six passes each`, () => {
    const found = different().slice(0, 2);
    expect(found.map((each) => ({ ...each, fleet: fleets[each.number] }))).toEqual([]);
    const decisions = theirs.flat(2);
    const created = decisions.filter(isCreated);
    expect(created.length).toBeGreaterThan(2000);
    expect(created.filter(({ pool }) => pool !== null).length).toBeGreaterThan(500);
    expect(decisions.length - created.length).toBeGreaterThan(50);
  });

  /** So that each of these is known to decide something in these fleets. */
  it.each([
    { what: 'inherited history', without: (fleet: IncumbentFleet) => ({ ...fleet, sources: [] }) },
    { what: 'soak between the passes', without: everywhere({ healthy: false }) },
    { what: 'scheduled upgrades', without: everywhere({ current: null }) },
    { what: 'hosted control planes', without: everywhere({ hosted: false }) },
    { what: 'STS, and so its gates', without: everywhere({ sts: false }) },
    { what: 'agreements to gates', without: everywhere({ agreed: [] }) },
  ])('decides otherwise without $what', ({ without }) => {
    expect(different(without).length).toBeGreaterThan(0);
  });
});

function isCreated({ action }: SpokenUpgrade): boolean {
  return action === 'create';
}

type ClusterInPass = IncumbentFleet['passes'][number]['clusters'][number];

function everywhere(change: Partial<ClusterInPass>): (fleet: IncumbentFleet) => IncumbentFleet {
  return (fleet) => ({
    ...fleet,
    passes: fleet.passes.map(({ now, clusters }) => ({
      now,
      clusters: clusters.map((each) => ({ ...each, ...change })),
    })),
  });
}
