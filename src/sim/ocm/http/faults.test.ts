import { describe, expect, it } from 'vitest';
import { type Fault, Faults } from './faults.ts';

const LABELS = '/api/accounts_mgmt/v1/labels';
const effect = { kind: 'status', status: 503 } as const;

function often(
  fault: Omit<Fault, 'effect'>,
  times: number,
  method = 'GET',
  path = LABELS,
  environment = 'prod',
): number {
  const faults = new Faults(1);
  faults.add({ ...fault, effect });
  return Array.from({ length: times }, () => faults.pick(environment, method, path)).filter(
    (each) => each !== undefined,
  ).length;
}

describe('a fault', () => {
  it.each([
    { fault: {}, happens: 1 },
    { fault: { times: 3 }, happens: 3 },
    { fault: { path: '*/labels', times: 2 }, happens: 2 },
    { fault: { path: LABELS }, happens: 1 },
    { fault: { path: '*/label' }, happens: 0 },
    { fault: { path: 'labels' }, happens: 0 },
    { fault: { path: '*/accounts.mgmt/*' }, happens: 0 },
    { fault: { method: 'get' }, happens: 1 },
    { fault: { method: 'POST' }, happens: 0 },
    { fault: { environment: 'prod' }, happens: 1 },
    { fault: { environment: 'stage' }, happens: 0 },
    { fault: { probability: 1 }, happens: 10 },
    { fault: { probability: 1, times: 4 }, happens: 4 },
    { fault: { probability: 0 }, happens: 0 },
  ])('$fault happens $happens times in ten', ({ fault, happens }) => {
    expect(often(fault, 10)).toBe(happens);
  });

  it('with a probability happens about so often, and the same for the same seed', () => {
    const happened = often({ probability: 0.3 }, 1_000);
    expect(happened).toBeGreaterThan(250);
    expect(happened).toBeLessThan(350);
    expect(often({ probability: 0.3 }, 1_000)).toBe(happened);
  });

  it('that comes first wins until it is used up, and can be taken away', () => {
    const faults = new Faults(1);
    faults.add({ effect });
    const remove = faults.add({ effect: { kind: 'garbage' }, times: 5 });
    const kinds = [1, 2].map(() => faults.pick('e', 'GET', '/')?.kind);
    expect(kinds).toEqual(['status', 'garbage']);
    remove();
    expect(faults.pick('e', 'GET', '/')).toBeUndefined();
    expect(faults.list()).toEqual([]);
  });

  it.each([
    { effect: { kind: 'status', status: 200 } },
    { effect: { kind: 'explosion' } },
    { effect: { kind: 'garbage' }, tims: 3 },
    {},
  ])('%j cannot be used', (fault) => {
    expect(() => new Faults(1).add(fault as unknown as Fault)).toThrow('invalid fault');
  });
});
