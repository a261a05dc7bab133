import { describe, expect, it } from 'vitest';
import { askedOnce, tokenConnection } from './connection.ts';

/** Answers when it is told to. */
function deferred<T>() {
  return Promise.withResolvers<T>();
}

describe('what is asked once', () => {
  it('is remembered until it is to be renewed', async () => {
    const asked: boolean[] = [];
    const ask = askedOnce(async (renew) => {
      asked.push(renew);
      return `t${asked.length}`;
    });
    expect([await ask(false), await ask(false), await ask(true), await ask(false)]).toEqual(['t1', 't1', 't2', 't2']);
    expect(asked).toEqual([false, true]);
  });

  it('is asked for all who wait at once', async () => {
    const answers = [deferred<string>(), deferred<string>()];
    let asked = 0;
    const ask = askedOnce(() => {
      asked += 1;
      return answers[asked - 1]?.promise ?? Promise.reject(new Error('asked too often'));
    });
    const first = [ask(false), ask(false), ask(true)];
    answers[0]?.resolve('t1');
    expect(await Promise.all(first)).toEqual(['t1', 't1', 't1']);
    const second = [ask(true), ask(true), ask(false)];
    answers[1]?.resolve('t2');
    expect(await Promise.all(second)).toEqual(['t2', 't2', 't2']);
    expect(asked).toBe(2);
  });

  it.each([
    { given: 'a rejection', fail: () => Promise.reject(new Error('sealed')) },
    {
      given: 'something thrown',
      fail: (): Promise<string> => {
        throw new Error('sealed');
      },
    },
  ])('is asked again after $given', async ({ fail }) => {
    let asked = 0;
    const ask = askedOnce((): Promise<string> => {
      asked += 1;
      return asked === 1 ? fail() : Promise.resolve('t');
    });
    await expect(ask(false)).rejects.toThrow('sealed');
    expect(await ask(false)).toBe('t');
  });

  it('is asked again after a renewal that failed', async () => {
    const answers = ['t1', undefined, 't3'];
    const ask = askedOnce(async () => {
      const answer = answers.shift();
      if (answer === undefined) throw new Error('sealed');
      return answer;
    });
    expect(await ask(false)).toBe('t1');
    await expect(ask(true)).rejects.toThrow('sealed');
    expect(await ask(false)).toBe('t3');
  });
});

it('a token goes with each request, and its place with the connection', async () => {
  const renewals: boolean[] = [];
  const connection = tokenConnection({
    name: 'prod',
    server: 'https://api.example.com',
    ca: 'authority',
    insecureSkipTlsVerify: true,
    token: async (renew) => {
      renewals.push(renew);
      return `t${renewals.length}`;
    },
  });
  expect(connection).toMatchObject({
    name: 'prod',
    server: 'https://api.example.com',
    ca: 'authority',
    insecureSkipTlsVerify: true,
  });
  expect(JSON.stringify(connection)).not.toContain('token');
  expect(await connection.credentials(false)).toEqual({ headers: { Authorization: 'Bearer t1' } });
  expect(await connection.credentials(true)).toEqual({ headers: { Authorization: 'Bearer t2' } });
  expect(renewals).toEqual([false, true]);
});
