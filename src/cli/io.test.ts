import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Io } from './io.ts';
import { askUser, type ConsentQuestion, consent } from './io.ts';

const REFUSAL = { message: '2 files would be changed, and nobody is here to ask', hint: 'use --yes' };

function asked(question: Partial<ConsentQuestion>, around: { readonly answer?: string; readonly CI?: string }) {
  const said: string[] = [];
  const questions: string[] = [];
  const output = { isTTY: true, write: (text: string) => void said.push(text) };
  const { answer, CI } = around;
  const ask = async (text: string): Promise<string> => {
    questions.push(text);
    return answer ?? '';
  };
  const io: Io = {
    stdout: output,
    stderr: output,
    env: { CI },
    cwd: '/',
    signal: new AbortController().signal,
    ...(answer === undefined ? {} : { ask }),
  };
  const result = consent(io, { question: 'Change 2 files', yes: undefined, unattended: REFUSAL, ...question });
  return { result, said, questions };
}

describe('consent', () => {
  it.each([
    { given: '--yes', question: { yes: true }, around: { answer: 'no' }, agreed: true, questions: 0 },
    {
      given: 'CI and an answer of no',
      question: {},
      around: { CI: 'true', answer: 'no' },
      agreed: false,
      questions: 1,
    },
    { given: 'an answer of yes', question: {}, around: { answer: ' YES\n' }, agreed: true, questions: 1 },
    { given: 'an answer of y', question: {}, around: { answer: 'y' }, agreed: false, questions: 1 },
    { given: 'no answer', question: {}, around: { answer: '' }, agreed: false, questions: 1 },
    {
      given: 'no terminal where that is enough',
      question: { unattended: 'proceed' as const },
      around: {},
      agreed: true,
      questions: 0,
    },
  ])('with $given is $agreed', async ({ question, around, agreed, questions }) => {
    const run = asked(question, around);
    expect(await run.result).toBe(agreed);
    expect(run.questions).toEqual(Array(questions).fill('Change 2 files? Only "yes" is accepted: '));
    expect(run.said).toEqual(agreed ? [] : ['nothing was changed\n']);
  });

  it.each(['', 'true', 'false', '0', '1'])('is refused without a terminal, with CI=%s too', async (CI) => {
    await expect(asked({}, { CI }).result).rejects.toMatchObject({ code: 'CONSENT_MISSING', ...REFUSAL });
  });
});

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
