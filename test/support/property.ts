import * as fc from 'fast-check';
import { expect } from 'vitest';

/**
 * Asserts a property with a seed of its own and prints it once, so that a run can be repeated:
 * `ECHELON_SEED=42 vitest run FILE`.
 */
export function holds<T>(property: fc.IProperty<T>, parameters: fc.Parameters<T> = {}): void {
  fc.assert(property, { ...parameters, seed: toldSeed() });
}

/** The same of a property that has to be waited for. */
export async function holdsAsync<T>(property: fc.IAsyncProperty<T>, parameters: fc.Parameters<T> = {}): Promise<void> {
  await fc.assert(property, { ...parameters, seed: toldSeed() });
}

/** The seed of a test, printed so that it can be repeated. */
export function toldSeed(): number {
  const seed = seedOf(process.env['ECHELON_SEED']);
  console.info(`ECHELON_SEED=${seed} for "${expect.getState().currentTestName}"`);
  return seed;
}

function seedOf(given: string | undefined): number {
  if (given === undefined || given === '') return Math.floor(Math.random() * 2 ** 31);
  const seed = Number(given);
  if (Number.isSafeInteger(seed)) return seed;
  throw new Error(`ECHELON_SEED is ${given}, which is not a whole number`);
}
