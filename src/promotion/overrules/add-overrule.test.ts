import { describe, expect, it } from 'vitest';
import { addOverrule } from './add-overrule.ts';

const TRACK = `tracks: # in this order
- name: one
  match: {}
  waves: [{ name: all }]
  health: { queries: [] }
`;
const PAUSE = { track: 'one', action: 'pause', at: '2026-11-16T10:00:00Z', until: '2026-11-16T14:00:00Z', reason: 'r' };
const LINES = `- track: one
  action: pause
  at: '2026-11-16T10:00:00Z'
  until: '2026-11-16T14:00:00Z'
  reason: r
`;
const FLOW = "{ track: one, action: pause, at: '2026-11-16T10:00:00Z', until: '2026-11-16T14:00:00Z', reason: r }";

const added = (text: string, overrule = PAUSE): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    addOverrule('rollouts.yml', new TextEncoder().encode(text), overrule),
  );
const indented = (text: string): string => text.replaceAll(/^/gm, '  ').trimEnd();

describe('an overrule is added', () => {
  it.each([
    { given: 'no list yet', text: TRACK, after: `${TRACK}overrules:\n${LINES}` },
    { given: 'a byte order mark', text: `\ufeff${TRACK}`, after: `\ufeff${TRACK}overrules:\n${LINES}` },
    {
      given: 'a comment of the last track',
      text: `${TRACK}  # slow\n\n# vim: ft=yaml\n`,
      after: `${TRACK}  # slow\noverrules:\n${LINES}\n# vim: ft=yaml\n`,
    },
    { given: 'no final line break', text: TRACK.trimEnd(), after: `${TRACK}overrules:\n${LINES}`.trimEnd() },
    {
      given: 'Windows line ends',
      text: TRACK.replaceAll('\n', '\r\n'),
      after: `${TRACK}overrules:\n${LINES}`.replaceAll('\n', '\r\n'),
    },
    {
      given: 'lists that are indented',
      text: `tracks:\n${indented(TRACK.split('\n').slice(1).join('\n'))}\n`,
      after: `tracks:\n${indented(TRACK.split('\n').slice(1).join('\n'))}\noverrules:\n${indented(LINES)}\n`,
    },
    {
      given: 'a document with an end',
      text: `---\n${TRACK}... # end\n`,
      after: `---\n${TRACK}overrules:\n${LINES}... # end\n`,
    },
    {
      given: 'an empty list and a comment',
      text: `overrules: [] # none\n${TRACK}`,
      after: `overrules: # none\n${LINES}${TRACK}`,
    },
    {
      given: 'one in block style',
      text: `overrules:\n${LINES}  # why\n# tracks\n${TRACK}`,
      after: `overrules:\n${LINES}  # why\n${LINES}# tracks\n${TRACK}`,
    },
    {
      given: 'one in flow style',
      text: `${TRACK}overrules:\n-   ${FLOW} # why\n`,
      after: `${TRACK}overrules:\n-   ${FLOW} # why\n-   ${FLOW}\n`,
    },
    {
      given: 'a list in flow style',
      text: `overrules: [${FLOW}] # why\n${TRACK}`,
      after: `overrules: [${FLOW}, ${FLOW}] # why\n${TRACK}`,
    },
    {
      given: 'everything in flow style',
      text: '{tracks: [{name: one, match: {}, waves: [{name: a}], health: {queries: []}}]}\n',
      after: `{tracks: [{name: one, match: {}, waves: [{name: a}], health: {queries: []}}], overrules: [${FLOW.replace('{ ', '{').replace(' }', '}')}]}\n`,
    },
  ])('to $given', ({ text, after }) => {
    expect(added(text)).toBe(after);
  });

  it.each([
    { given: 'an alias', text: `${TRACK.replace('match: {}', 'match: &m {}')}overrules: *m\n`, says: /overrules/ },
    { given: 'a file that is not valid', text: TRACK.replace('name: one', 'nam: one'), says: /unknown field nam/ },
    { given: 'two documents', text: `${TRACK}---\n${TRACK}`, says: /document/ },
    { given: 'no mapping', text: '- a\n', says: /./ },
    { given: 'a list under an anchor in use', text: `overrules: &a []\nfreezes: *a\n${TRACK}`, says: /anchor &a/ },
  ])('never to $given', ({ text, says }) => {
    expect(() => added(text)).toThrow(says);
  });

  it.each(['yes', 'a: b # c', "it's", '"', '- x', 'ü 😀', 'two\nlines', '{', '12', '2026-11-16'])(
    'with the reason %j as it is',
    (reason) => {
      for (const text of [TRACK, `${TRACK}overrules:\n- ${FLOW}\n`]) {
        const after = added(text, { ...PAUSE, reason });
        expect(after.startsWith(text)).toBe(true);
      }
    },
  );
});
