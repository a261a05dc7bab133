import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { askUser } from './ask.ts';

function terminal(signal = new AbortController().signal) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  return { input, output, signal };
}

describe('a question', () => {
  it.each([
    { typed: 'yes\r', answer: 'yes' },
    { typed: '\r', answer: '' },
    { typed: '\u0003', answer: undefined },
    { typed: 'ye\u0003', answer: undefined },
    { typed: '\u0004', answer: undefined },
  ])('is answered with "$answer" by $typed', async ({ typed, answer }) => {
    const given = terminal();
    const asked = askUser('Go on? ', given);
    given.input.write(typed);
    expect(await asked).toBe(answer);
  });

  it('is answered with nothing by a signal', async () => {
    const stop = new AbortController();
    const asked = askUser('Go on? ', terminal(stop.signal));
    stop.abort(new Error('SIGTERM'));
    expect(await asked).toBeUndefined();
  });
});
