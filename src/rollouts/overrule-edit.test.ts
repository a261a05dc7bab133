import { describe, expect, it } from 'vitest';
import { instantOf } from '../gates/index.ts';
import { requireRollouts } from './file/read-rollouts.ts';
import { addOverrule, newOverrule, type OverruleRequest } from './overrule-edit.ts';

const NOW = instantOf(Date.UTC(2026, 10, 16, 10));
const FILE = requireRollouts(
  'tracks: [{ name: terraform, match: {}, waves: [{ name: all }], health: { queries: [] } }]',
  'rollouts.yml',
);
const PAUSE: OverruleRequest = { track: 'terraform', action: 'pause', reason: 'INC-123', for: '4h' };
const { for: _, ...ENDLESS } = PAUSE;
const ACCEPT: OverruleRequest = { ...ENDLESS, action: 'accept-shadow', digest: 'sha256:0123456789ab' };

describe('an overrule that is asked for', () => {
  it.each([
    { given: '--for', request: PAUSE, until: '2026-11-16T14:00:00Z' },
    { given: '--until', request: { ...ENDLESS, until: '2026-11-17 08:00:00' }, until: '2026-11-17 08:00:00' },
    { given: '--until in a zone', request: { ...ENDLESS, until: '2026-11-16T11:00:01+01:00' } },
    { given: 'a digest', request: ACCEPT },
    { given: 'no end for a reject', request: { ...ENDLESS, action: 'reject' as const, image: '8c41f7e' } },
  ])('with $given', ({ request, until = request.until }) => {
    expect(newOverrule(FILE, request, NOW)).toEqual({
      ...{ track: 'terraform', action: request.action, at: '2026-11-16T10:00:00Z', reason: 'INC-123' },
      ...(until === undefined ? {} : { until }),
      ...('image' in request ? { image: request.image } : {}),
      ...('digest' in request ? { digest: request.digest } : {}),
    });
  });

  it.each<{ given: string; request: OverruleRequest; says: RegExp }>([
    { given: 'a mistyped track', request: { ...PAUSE, track: 'terrafrom' }, says: /no track terrafrom/ },
    { given: 'a pause for ever', request: ENDLESS, says: /pause needs an end/ },
    { given: 'an expedite for ever', request: { ...ENDLESS, action: 'expedite' }, says: /expedite needs an end/ },
    { given: 'two ends', request: { ...PAUSE, until: '2026-11-17T08:00:00Z' }, says: /two ends/ },
    { given: 'no duration', request: { ...PAUSE, for: 'a while' }, says: /--for a while is not valid/ },
    { given: 'no time at all', request: { ...PAUSE, for: '0h' }, says: /not in the future/ },
    { given: 'an end beyond all dates', request: { ...PAUSE, for: '999999d'.repeat(9) }, says: /is not valid/ },
    { given: 'a day', request: { ...ENDLESS, until: '2026-11-17' }, says: /--until 2026-11-17 is not valid/ },
    { given: 'now', request: { ...ENDLESS, until: '2026-11-16T10:00:00Z' }, says: /not in the future/ },
    { given: 'a blank reason', request: { ...PAUSE, reason: ' ' }, says: /--reason is empty/ },
    {
      given: 'a short digest',
      request: { ...ACCEPT, digest: 'sha256:01' },
      says: /--digest "sha256:01" is not the digest/,
    },
    { given: 'two images', request: { ...PAUSE, image: 'a b' }, says: /"a b" is not an image/ },
  ])('is refused with $given', ({ request, says }) => {
    expect(() => newOverrule(FILE, request, NOW)).toThrow(says);
  });

  it('suggests the track that was meant', () => {
    expect(() => newOverrule(FILE, { ...PAUSE, track: 'terrafrom' }, NOW)).toThrow(
      expect.objectContaining({ code: 'TRACK_UNKNOWN', hint: 'did you mean terraform?' }),
    );
  });
});

const TRACK = `tracks: # in this order
- name: one
  match: {}
  waves: [{ name: all }]
  health: { queries: [] }
`;
const WRITTEN = {
  track: 'one',
  action: 'pause',
  at: '2026-11-16T10:00:00Z',
  until: '2026-11-16T14:00:00Z',
  reason: 'r',
};
const LINES = `- track: one
  action: pause
  at: '2026-11-16T10:00:00Z'
  until: '2026-11-16T14:00:00Z'
  reason: r
`;
const FLOW = "{ track: one, action: pause, at: '2026-11-16T10:00:00Z', until: '2026-11-16T14:00:00Z', reason: r }";

const added = (text: string, overrule = WRITTEN): string =>
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
        const after = added(text, { ...WRITTEN, reason });
        expect(after.startsWith(text)).toBe(true);
      }
    },
  );
});
