import { describe, expect, it } from 'vitest';
import { until } from './until.ts';

describe('until', () => {
  it('gives back what the condition gives, once it is truthy', async () => {
    let looks = 0;
    const value = await until(() => (++looks < 3 ? undefined : looks), {
      timeoutSeconds: 10,
      what: 'three',
      everyMs: 1,
    });
    expect(value).toBe(3);
  });

  it('takes an error for not yet', async () => {
    let looks = 0;
    const condition = async (): Promise<string> => {
      if (++looks < 3) throw new Error('not there');
      return 'there';
    };
    expect(await until(condition, { timeoutSeconds: 10, what: 'it is there', everyMs: 1 })).toBe('there');
  });

  it('says what was waited for, and the last error, when the time is over', async () => {
    const options = { timeoutSeconds: 0.01, what: 'a pod is ready', everyMs: 1 };
    await expect(until(() => false, options)).rejects.toThrow('waited 0.01 s in vain until a pod is ready');
    const refused = new Error('connection refused');
    const failing = until(() => Promise.reject(refused), options);
    await expect(failing).rejects.toMatchObject({ message: /a pod is ready: connection refused$/, cause: refused });
  });
});
