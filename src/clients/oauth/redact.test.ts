import { describe, expect, it } from 'vitest';
import { redacted } from './redact.ts';

describe('a text of a server is shown without', () => {
  it.each([
    {
      what: 'a secret',
      text: 'client xyz/1 is wrong, xyz/1',
      secrets: ['xyz/1'],
      shown: 'client [hidden] is wrong, [hidden]',
    },
    {
      what: 'a token',
      text: "token 'eyJhbGciOi.eyJzdWIiOi.c2ln-_' is old",
      secrets: [],
      shown: "token '[hidden]' is old",
    },
    { what: 'an unsigned token', text: 'eyJhbGciOi.eyJzdWIiOi.', secrets: [], shown: '[hidden]' },
    {
      what: 'a header',
      text: "Authorization header 'Bearer abc.def' is malformed",
      ...{ secrets: [], shown: "Authorization header 'Bearer [hidden]' is malformed" },
    },
    { what: 'a header of another kind', text: 'basic dTpw', secrets: [], shown: 'basic [hidden]' },
    { what: 'nothing when there is nothing to hide', text: 'no such cluster', secrets: [''], shown: 'no such cluster' },
  ])('$what', ({ text, secrets, shown }) => {
    expect(redacted(text, secrets)).toBe(shown);
  });
});
