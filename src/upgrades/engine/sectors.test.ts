import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import type { SectorSpec } from '../policies/org-spec.ts';
import { type SectorMember, sectorFloors } from './sectors.ts';
import { compareVersions, type Version } from './versions.ts';

const CHAIN: readonly SectorSpec[] = [
  { name: 'dev', dependencies: [] },
  { name: 'stage', dependencies: ['dev'] },
  { name: 'prod', dependencies: ['stage'] },
];

function member(sector: string, version: string, ...workloads: string[]): SectorMember {
  return { name: `${sector}-${version}`, sector, version: version as Version, workloads };
}

describe('the cluster that no dependent may overtake', () => {
  it.each([
    { given: 'one dependency', members: [member('stage', '4.14.2', 'a')], behind: 'stage-4.14.2' },
    {
      given: 'two clusters there',
      members: [member('stage', '4.14.2', 'a'), member('stage', '4.14.10', 'a')],
      behind: 'stage-4.14.2',
    },
    { given: 'another workload there', members: [member('stage', '4.14.2', 'b')], behind: undefined },
    {
      given: 'a dependency to look through',
      members: [member('stage', '4.14.2', 'b'), member('dev', '4.14.3', 'a')],
      behind: 'dev-4.14.3',
    },
    {
      given: 'a dependency that hides another',
      members: [member('stage', '4.14.3', 'a'), member('dev', '4.14.1', 'a')],
      behind: 'stage-4.14.3',
    },
    { given: 'a peer', members: [member('prod', '4.14.1', 'a')], behind: undefined },
    { given: 'nobody', members: [], behind: undefined },
    {
      given: 'a cluster of unknown workloads',
      members: [{ name: 'x', sector: 'stage', version: '4.14.1' as Version }],
      behind: 'x',
    },
    {
      given: 'a cluster of unknown workloads before one that lags',
      members: [{ name: 'x', sector: 'stage', version: '4.15.1' as Version }, member('dev', '4.14.1', 'a')],
      behind: 'dev-4.14.1',
    },
    {
      given: 'a cluster of unknown workloads that lags beside a checkpoint',
      members: [{ name: 'x', sector: 'stage', version: '4.14.1' as Version }, member('stage', '4.15.0', 'a')],
      behind: 'x',
    },
  ])('with $given is $behind', ({ members, behind }) => {
    expect(sectorFloors(CHAIN, members)('prod', 'a')?.name).toBe(behind);
  });

  it('is the furthest behind of several dependencies', () => {
    const sectors = [...CHAIN, { name: 'late', dependencies: ['dev', 'stage'] }];
    const members = [member('stage', '4.14.3', 'a'), member('dev', '4.14.1', 'a')];
    expect(sectorFloors(sectors, members)('late', 'a')?.name).toBe('dev-4.14.1');
  });

  it('is found once per sector, however many ways lead there', () => {
    const layers = 40;
    const sectors = Array.from({ length: layers }, (_, layer) =>
      ['x', 'y'].map((side) => ({
        name: `${side}${layer}`,
        dependencies: layer === 0 ? [] : [`x${layer - 1}`, `y${layer - 1}`],
      })),
    ).flat();
    expect(sectorFloors(sectors, [member('x0', '4.14.1', 'a')])(`y${layers - 1}`, 'a')?.name).toBe('x0-4.14.1');
  });

  it('is the one that going through all ways finds', () => {
    const sectors = fc
      .tuple(fc.subarray(['s0']), fc.subarray(['s0', 's1']), fc.subarray(['s0', 's1', 's2']))
      .map((all) => [
        { name: 's0', dependencies: [] },
        ...all.map((dependencies, index) => ({ name: `s${index + 1}`, dependencies })),
      ]);
    const members = fc.array(
      fc
        .tuple(fc.nat(3), fc.nat(4), fc.subarray(['a', 'b'], { minLength: 1 }))
        .map(([sector, patch, workloads]) => member(`s${sector}`, `4.14.${patch}`, ...workloads)),
      { maxLength: 6 },
    );
    holds(
      fc.property(sectors, members, (declared, given) => {
        const found = sectorFloors(declared, given);
        for (const { name } of declared) {
          const versions = allWays(declared, given, name, 'a');
          expect(found(name, 'a')?.version).toBe(versions.sort(compareVersions)[0]);
        }
      }),
    );
  });
});

function allWays(
  sectors: readonly SectorSpec[],
  members: readonly SectorMember[],
  name: string,
  workload: string,
): Version[] {
  const { dependencies } = sectors.find((sector) => sector.name === name)!;
  return dependencies.flatMap((dependency) => {
    const there = members.filter(({ sector, workloads }) => sector === dependency && workloads?.includes(workload));
    return there.length > 0 ? there.map(({ version }) => version) : allWays(sectors, members, dependency, workload);
  });
}
