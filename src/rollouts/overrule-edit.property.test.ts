import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { holds } from '../../test/support/property.ts';
import { instantOf, parseInstant } from '../gates/index.ts';
import { requireRollouts } from './file/read-rollouts.ts';
import { OVERRULE_ACTIONS } from './file/rollout-file.ts';
import { addOverrule, newOverrule, rolloutsIn } from './overrule-edit.ts';

const NOW = instantOf(Date.UTC(2026, 10, 16, 10, 0, 0, 123));

const older = fc.record({
  style: fc.constantFrom('block', 'flow', 'padded'),
  reason: fc.constantFrom('INC-1', "'it''s'", '"a # b"', '"é 🦊"'),
});

/** How a file of rollouts looks. */
const looks = fc.record({
  eol: fc.constantFrom('\n', '\r\n'),
  bom: fc.boolean(),
  marker: fc.boolean(),
  end: fc.boolean(),
  finalBreak: fc.boolean(),
  indent: fc.constantFrom(0, 2, 3),
  gap: fc.constantFrom(1, 3),
  comments: fc.boolean(),
  place: fc.constantFrom('first', 'last'),
  list: fc.constantFrom('none', 'empty', 'block', 'flow'),
  scalar: fc.constantFrom('plain', '|', '|-', '>-'),
  older: fc.array(older, { minLength: 1, maxLength: 3 }),
});

type Looks = typeof looks extends fc.Arbitrary<infer T> ? T : never;

function textOf(look: Looks): string {
  const comment = look.comments ? ' # 🐙 c: d' : '';
  const dash = `${' '.repeat(look.indent)}-${' '.repeat(look.gap)}`;
  const below = ' '.repeat(dash.length);
  const query = look.scalar === 'plain' ? [`${below}promql: up`] : [`${below}promql: ${look.scalar}`, `${below}  up`];
  const tracks = [
    `tracks:${comment}`,
    ...['one', '"two #"'].flatMap((name) => [
      `${dash}name: ${name}${comment}`,
      `${below}match: {}`,
      `${below}waves: [{ name: all }]${comment}`,
      `${below}health: { queries: [q] }`,
      ...(look.comments ? [`${below}# below`, '', '# between'] : []),
    ]),
    'queries:',
    `${dash}name: q`,
    `${below}expect: { max: 0 }${comment}`,
    ...query,
  ];
  const list = listOf(look, dash, comment);
  const lines = [
    ...(look.marker ? ['---'] : []),
    ...(look.place === 'first' ? [...list, ...tracks] : [...tracks, ...list]),
    ...(look.comments ? ['# the end'] : []),
    ...(look.end ? ['...'] : []),
  ];
  return `${look.bom ? '\ufeff' : ''}${lines.join(look.eol)}${look.finalBreak ? look.eol : ''}`;
}

function listOf(look: Looks, dash: string, comment: string): string[] {
  if (look.list === 'none') return [];
  if (look.list === 'empty') return [`overrules: []${comment}`];
  const flow = look.older.map(({ style, reason }) => {
    const inner = `track: one, image: '1234567', action: reject, at: "2026-11-16T09:00:00Z", reason: ${reason}`;
    return style === 'padded' ? `{ ${inner} }` : `{${inner}}`;
  });
  if (look.list === 'flow') return [`overrules: [${flow.join(', ')}]${comment}`];
  const items = look.older.flatMap(({ style, reason }, index) => {
    const below = ' '.repeat(dash.length);
    if (style !== 'block') return [`${dash}${flow[index]}${comment}`];
    const lines = ['action: reject', "image: '1234567'", 'track: one', 'at: 2026-11-16T09:00:00Z'];
    return [`${dash}reason: ${reason}${comment}`, ...lines.map((line) => `${below}${line}`)];
  });
  return [`overrules:${comment}`, ...items];
}

const request = fc.record({
  track: fc.constantFrom('one', 'two #'),
  action: fc.constantFrom(...OVERRULE_ACTIONS),
  image: fc.constantFrom('d90b2ac', '1234567', '12345e7', 'true', 'quay.io/a/b:c', `v1@sha256:${'a'.repeat(64)}`),
  reason: fc.oneof(
    fc.constantFrom('INC-123', 'a: b', 'a #b', '[x', "it's", 'yes', '1.5', 'a, b', '\u0085', 'a\nb', 'a\r\nb'),
    fc
      .string({ unit: 'binary', minLength: 1, maxLength: 8 })
      .filter((text) => text.trim() !== '' && text.isWellFormed()),
  ),
});

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** The lengths of what two texts begin and end with alike. */
function alike(a: string, b: string): number {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return start + end;
}

it('an overrule changes no other byte, and the file read back has exactly one more', () => {
  holds(
    fc.property(looks, request, (look, asked) => {
      const before = textOf(look);
      const file = rolloutsIn('r.yml', encode(before));
      const ends = asked.action === 'pause' || asked.action === 'expedite';
      const digest = asked.action === 'accept-shadow' ? { digest: 'sha256:0123456789ab' } : {};
      const overrule = newOverrule(file, { ...asked, ...digest, ...(ends ? { for: '4h' } : {}) }, NOW);
      const after = decode(addOverrule('r.yml', encode(before), overrule));

      const kept = before.replace('overrules: []', 'overrules:');
      expect(alike(kept, after)).toBe(kept.length);
      expect(after.replaceAll('\r\n', '').includes('\n')).toBe(look.eol === '\n');

      const { overrules, ...rest } = requireRollouts(after.replace(/^\ufeff/, ''), 'r.yml');
      const { overrules: old, ...others } = file;
      expect(rest).toEqual(others);
      expect(overrules).toEqual([
        ...old,
        { ...asked, ...digest, at: NOW, ...(ends ? { until: parseInstant('2026-11-16T14:00:01Z') } : {}) },
      ]);
    }),
    { numRuns: 300 },
  );
});
