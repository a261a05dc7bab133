import { expect, it } from 'vitest';
import { oncePer } from './once.ts';

it('computes once for each object, also when the value is undefined', () => {
  const seen: number[] = [];
  const of = oncePer(({ id }: { readonly id: number }) => {
    seen.push(id);
    return id === 1 ? undefined : id;
  });
  const [one, two] = [{ id: 1 }, { id: 2 }];
  expect([of(one), of(one), of(two), of({ id: 2 })]).toEqual([undefined, undefined, 2, 2]);
  expect(seen).toEqual([1, 2, 2]);
});
