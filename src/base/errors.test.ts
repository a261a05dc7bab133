import { describe, expect, it } from 'vitest';
import { EchelonError } from './errors.ts';

const OPTIONS = { code: 'SHARD_UNKNOWN', message: 'a.yml:3: no shard x', hint: 'name a shard' };

describe('a fault for the user', () => {
  it('carries its code, message and hint, and is an error', () => {
    const error = new EchelonError(OPTIONS);
    expect(error).toBeInstanceOf(Error);
    expect({ ...error, message: error.message }).toEqual({ ...OPTIONS, name: 'EchelonError' });
    expect(String(error)).toBe('EchelonError: a.yml:3: no shard x');
  });

  it('has no cause unless one is given', () => {
    expect(Object.hasOwn(new EchelonError(OPTIONS), 'cause')).toBe(false);
  });

  it.each([{ cause: new Error('below') }, { cause: null }, { cause: 0 }])('keeps the cause $cause', ({ cause }) => {
    expect(new EchelonError({ ...OPTIONS, cause }).cause).toBe(cause);
  });

  it('does not show its cause in its message', () => {
    const error = new EchelonError({ ...OPTIONS, cause: new Error('the secret is hunter2') });
    expect(`${error}${JSON.stringify(error)}`).not.toContain('hunter2');
  });
});
