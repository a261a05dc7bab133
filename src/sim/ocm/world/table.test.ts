import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../../test/support/property.ts';
import { Table } from './table.ts';

interface Entry {
  readonly id: string;
  readonly owner: string;
}

const table = (): Table<Entry, 'owner'> => new Table({ owner: ({ owner }) => owner });

describe('a table', () => {
  it('finds records by id and by index, in the order they were added', () => {
    const entries = table();
    entries.put({ id: 'b', owner: 'x' }, 1);
    entries.put({ id: 'a', owner: 'x' }, 2);
    entries.put({ id: 'b', owner: 'x' }, 3);
    expect(entries.by('owner', 'x').map(({ id }) => id)).toEqual(['b', 'a']);
    expect(entries.get('a')).toEqual({ id: 'a', owner: 'x' });
    expect(entries.by('owner', 'y')).toEqual([]);
  });

  it('moves a record whose key changes to its new place', () => {
    const entries = table();
    entries.put({ id: 'a', owner: 'x' }, 1);
    entries.put({ id: 'a', owner: 'y' }, 2);
    expect(entries.by('owner', 'x')).toEqual([]);
    expect(entries.by('owner', 'y')).toHaveLength(1);
  });

  it('has another revision after every change, and none for removing what is not there', () => {
    const entries = table();
    const seen = [entries.revision];
    entries.put({ id: 'a', owner: 'x' }, 1);
    seen.push(entries.revision);
    entries.remove('a', 2);
    seen.push(entries.revision);
    entries.remove('a', 3);
    expect(new Set(seen).size).toBe(3);
    expect(entries.revision).toBe(seen.at(-1));
  });

  it('can be read as it was at any moment', () => {
    const change = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      owner: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
      pause: fc.integer({ min: 0, max: 2 }),
    });
    holds(
      fc.property(fc.array(change, { maxLength: 30 }), fc.integer({ min: 0, max: 40 }), (changes, moment) => {
        const dated = changes.map((each, index) => ({ ...each, at: sum(changes.slice(0, index + 1)) }));
        const past = replayed(dated).asOf(moment);
        const expected = replayed(dated.filter(({ at }) => at <= moment));
        expect(new Set(past.all())).toEqual(new Set(expected.all()));
        expect(new Set(past.by('owner', 'x'))).toEqual(new Set(expected.by('owner', 'x')));
      }),
    );
  });
});

interface Change {
  readonly id: string;
  readonly owner: string | undefined;
  readonly at: number;
}

function replayed(changes: readonly Change[]): Table<Entry, 'owner'> {
  const entries = table();
  for (const { id, owner, at } of changes) {
    if (owner === undefined) entries.remove(id, at);
    else entries.put({ id, owner }, at);
  }
  return entries;
}

function sum(changes: readonly { readonly pause: number }[]): number {
  return changes.reduce((total, { pause }) => total + pause, 0);
}
