import { inspect } from 'node:util';
import { expect } from 'vitest';
import { EchelonError } from '../../src/base/index.ts';

/** A part of every secret, token and role in these tests. */
export const SECRET = 'hunter2';

/** The fault that an act ends in. X1: no secret is in any text that it carries, down to its causes. */
export async function refusal(act: () => unknown): Promise<EchelonError> {
  const thrown = await settled(act);
  expect(inspect(thrown, { depth: 10, showHidden: true })).not.toContain(SECRET);
  if (thrown instanceof EchelonError) return thrown;
  throw thrown;
}

async function settled(act: () => unknown): Promise<unknown> {
  try {
    await act();
  } catch (thrown) {
    return thrown;
  }
  return new Error('nothing was refused');
}
