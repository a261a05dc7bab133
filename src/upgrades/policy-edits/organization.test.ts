import { describe, expect, it } from 'vitest';
import { PREFIX } from '../policies/label-keys.ts';
import { parseOrganizationLabels } from '../policies/labels.ts';
import {
  editSectors,
  ownSectors,
  parseDependencies,
  parseLimit,
  type SectorEdit,
  sectorLabels,
} from './organization.ts';

const NOTHING: SectorEdit = { add: [], remove: [], replace: false };
const labels = (given: Record<string, string>) =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [PREFIX + key, value]));

describe('editSectors', () => {
  const current = [{ name: 'b', dependencies: ['a'], maxParallelUpgrades: '1' }];
  it.each([
    { given: 'nothing', edit: {}, after: current },
    {
      given: 'one more dependency',
      edit: { add: [{ name: 'b', dependencies: ['a', 'z'] }] },
      after: [{ ...current[0], dependencies: ['a', 'z'] }],
    },
    {
      given: 'another limit',
      edit: { add: [{ name: 'b', maxParallelUpgrades: '50%' }] },
      after: [{ ...current[0], maxParallelUpgrades: '50%' }],
    },
    {
      given: 'the last dependency',
      edit: { remove: [{ name: 'b', dependencies: ['a'] }] },
      after: [{ name: 'b', maxParallelUpgrades: '1' }],
    },
    { given: 'the sector', edit: { remove: [{ name: 'b' }] }, after: [] },
    { given: 'a sector that is not there', edit: { remove: [{ name: 'x', dependencies: ['a'] }] }, after: current },
    { given: 'all', edit: { add: [{ name: 'c' }], replace: true }, after: [{ name: 'c' }] },
  ])('$given', ({ edit, after }) => {
    expect(editSectors(current, { ...NOTHING, ...edit })).toEqual(after);
  });
});

describe('sectorLabels', () => {
  it.each([
    { given: 'a lone sector', sectors: [{ name: 'a' }], current: {}, after: { 'sector-deps.a': '' } },
    {
      given: 'one that another declares',
      sectors: [
        { name: 'a', maxParallelUpgrades: '1' },
        { name: 'b', dependencies: ['a'] },
      ],
      current: {},
      after: { 'sector-deps.b': 'a', 'sector-max-parallel-upgrades.a': '1' },
    },
    {
      given: 'one that another declares, with a label of its own',
      sectors: [{ name: 'a' }, { name: 'b', dependencies: ['a'] }],
      current: { 'sector-deps.a': '' },
      after: { 'sector-deps.a': '', 'sector-deps.b': 'a' },
    },
  ])('$given', ({ sectors, current, after }) => {
    const made = sectorLabels(sectors, labels(current));
    expect(made).toEqual(labels(after));
    expect(parseOrganizationLabels(made, { strict: true }).faults).toEqual([]);
    expect(ownSectors(made)).toEqual(sectors);
  });
});

describe('flags', () => {
  it.each([
    { text: 'A=B,C', sector: { name: 'A', dependencies: ['B', 'C'] } },
    { text: ' A = B ', sector: { name: 'A', dependencies: ['B'] } },
    { text: 'A=', sector: { name: 'A' } },
    { text: 'A', sector: { name: 'A' } },
  ])('--add-dep $text', ({ text, sector }) => {
    expect(parseDependencies(text)).toEqual(sector);
  });

  it.each([
    { text: 'A=2', sector: { name: 'A', maxParallelUpgrades: '2' } },
    { text: 'A=50%', sector: { name: 'A', maxParallelUpgrades: '50%' } },
    { text: '=2', sector: undefined },
    { text: 'A', sector: undefined },
  ])('--sector-max-parallel-upgrades $text', ({ text, sector }) => {
    expect(parseLimit(text)).toEqual(sector);
  });
});
