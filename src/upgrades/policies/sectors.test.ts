import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { sectorFaults } from './sectors.ts';

describe('sectors', () => {
  it('may be layered, however many ways there are', () => {
    const layers = 60;
    const sectors = Array.from({ length: layers }, (_, layer) =>
      ['x', 'y'].map((side) => ({
        name: `${side}${layer}`,
        dependencies: layer === 0 ? [] : [`x${layer - 1}`, `y${layer - 1}`],
      })),
    ).flat();
    expect(sectorFaults(sectors)).toEqual([]);
  });

  it('depend only on declared ones', () => {
    const sectors = [
      { name: 'stage', dependencies: [] },
      { name: 'prod', dependencies: ['stagee', 'zzzzzz'] },
    ];
    expect(sectorFaults(sectors).map(({ key, message, hint }) => [key, message, hint])).toEqual([
      ['sectors.prod', 'sector prod depends on stagee, which is not declared', 'did you mean stage?'],
      ['sectors.prod', 'sector prod depends on zzzzzz, which is not declared', 'declare zzzzzz, or remove it'],
    ]);
  });

  it('are in a circle exactly when they cannot be put in order', () => {
    const names = ['a', 'b', 'c', 'd'];
    const sectors = fc.tuple(
      ...names.map((name) => fc.subarray(names).map((dependencies) => ({ name, dependencies }))),
    );
    holds(
      fc.property(sectors, (given) => {
        const left = new Map(given.map(({ name, dependencies }) => [name, dependencies]));
        for (let round = 0; round < names.length; round += 1) {
          for (const [name, dependencies] of left) if (!dependencies.some((each) => left.has(each))) left.delete(name);
        }
        expect(sectorFaults(given).length > 0).toBe(left.size > 0);
      }),
    );
  });
});
