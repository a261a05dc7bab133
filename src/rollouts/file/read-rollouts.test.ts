import { describe, expect, it } from 'vitest';
import { MICROS, parseInstant } from '../../gates/index.ts';
import { durationText, parseDuration } from './duration.ts';
import { promqlOf, queryAnswer, queryText } from './queries.ts';
import { readRollouts, requireRollouts } from './read-rollouts.ts';
import { wavesOf } from './waves.ts';

const DESIGN = `tracks:
- name: terraform-production
  match: { environments: [app-interface-production], integrations: [terraform-*] }
  waves:
  - { name: canary, shards: [terraform-resources/payments-ci, app-sre-stage], soak: 4h }
  - { name: early, percent: 20, soak: 1d, maxParallel: 3 }
  - { name: rest }
  window: "* 8-16 * * 1-4"
  health: { maxRestarts: 1, progressDeadline: 10m, queries: [reconcile-errors] }
  onFailure: rollback
  supersede: restart
queries:
- name: reconcile-errors
  promql: max(qontract_reconcile_last_run_status{namespace="$namespace",pod=~"$pods"})
  expect: { max: 0 }
freezes:
- { name: quarter-end, from: 2026-12-20T00:00:00Z, until: 2027-01-03T00:00:00Z, match: { environments: [app-interface-production] }, reason: quarter end }
overrules:
- { track: terraform-production, image: 19e1349, action: expedite, at: 2026-11-16T10:00:00Z, until: 2026-11-16T18:00:00Z, reason: "INC-123" }
`;

describe('rollouts.yml', () => {
  it('is read as it is written, with defaults', () => {
    const { tracks, queries, freezes, overrules } = requireRollouts(DESIGN, 'rollouts.yml');
    expect(tracks[0]?.waves).toEqual([
      {
        name: 'canary',
        shards: ['terraform-resources/payments-ci', 'app-sre-stage'],
        soak: 4 * MICROS.hour,
        maxParallel: 10,
      },
      { name: 'early', percent: 20, soak: MICROS.day, maxParallel: 3 },
      { name: 'rest', soak: MICROS.hour, maxParallel: 10 },
    ]);
    expect(tracks[0]?.health.progressDeadline).toBe(10 * MICROS.minute);
    expect(queries[0]?.expect).toEqual({ max: 0 });
    expect(freezes[0]?.from).toBe(parseInstant('2026-12-20T00:00:00Z'));
    expect(overrules[0]).toMatchObject({ image: '19e1349', until: parseInstant('2026-11-16T18:00:00Z') });
  });

  it.each([
    { given: 'nothing', from: DESIGN, to: '', at: '1:1', says: /the file is empty \(add tracks/ },
    { given: 'a list', from: DESIGN, to: '- x\n', at: '1:1', says: /a list/ },
    { given: 'broken YAML', from: '  onFailure: rollback', to: '  onFailure: [', at: '11:', says: /./ },
    {
      given: 'a key twice',
      from: '  supersede: restart',
      to: '  supersede: restart\n  supersede: queue',
      at: '12:3',
      says: /duplicate key/,
    },
    {
      given: 'a mistyped field',
      from: 'onFailure: rollback',
      to: 'onfailure: rollback',
      at: '10:3',
      says: /unknown field onfailure \(did you mean onFailure\?/,
    },
    {
      given: 'a mistyped field of a wave',
      from: 'maxParallel: 3',
      to: 'maxparalel: 3',
      at: '6:43',
      says: /did you mean maxParallel\?/,
    },
    { given: 'a mistyped choice', from: 'rollback', to: 'rolback', at: '10:14', says: /did you mean rollback\?/ },
    { given: 'a bad duration', from: 'soak: 4h', to: 'soak: 4 hours', at: '5:85', says: /"4 hours" is not a duration/ },
    { given: 'a soak that is a number', from: 'soak: 4h', to: 'soak: 4', at: '5:85', says: /soak must be text/ },
    { given: 'a bad window', from: '* 8-16 * * 1-4', to: '* 8-26 * * 1-4', at: '8:12', says: /not a valid window/ },
    { given: 'a window that never opens', from: '* 8-16 * * 1-4', to: '* 8 30 2 *', at: '8:12', says: /never opens/ },
    { given: 'no queries', from: ', queries: [reconcile-errors]', to: '', at: '9:', says: /queries is missing/ },
    {
      given: 'a mistyped query',
      from: 'queries: [reconcile-errors]',
      to: 'queries: [reconcile-error]',
      at: '9:62',
      says: /no query reconcile-error \(did you mean reconcile-errors\?/,
    },
    {
      given: 'a mistyped track',
      from: 'track: terraform-production',
      to: 'track: terraform-prod',
      at: '19:',
      says: /did you mean terraform-production\?/,
    },
    { given: 'two waves of one name', from: 'name: early', to: 'name: canary', at: '6:13', says: /two of wave canary/ },
    {
      given: 'a freeze that ends first',
      from: 'until: 2027-01-03',
      to: 'until: 2026-01-03',
      at: '17:',
      says: /ends before it begins/,
    },
    {
      given: 'an expedite without end',
      from: ', until: 2026-11-16T18:00:00Z, reason: "INC',
      to: ', reason: "INC',
      at: '19:',
      says: /expedite needs an end/,
    },
    { given: 'no reason', from: ', reason: "INC-123"', to: '', at: '19:', says: /reason is missing/ },
    { given: 'a share above all', from: 'percent: 20', to: 'percent: 120', at: '6:', says: /percent/ },
    {
      given: 'a time that is none',
      from: 'at: 2026-11-16T10:00:00Z',
      to: 'at: tomorrow',
      at: '19:',
      says: /"tomorrow" is not a time/,
    },
  ])('with $given is refused at its place', ({ from, to, at, says }) => {
    expect(DESIGN).toContain(from);
    const { file, problems } = readRollouts(DESIGN.replace(from, to), 'resources/echelon/rollouts.yml');
    expect(file).toBeUndefined();
    const told = problems.map(({ line, column, message, hint }) => `${line}:${column}: ${message} (${hint})`);
    expect(told.find((text) => says.test(text)) ?? told).toEqual(expect.stringMatching(new RegExp(`^${at}`)));
    expect(() => requireRollouts(DESIGN.replace(from, to), 'rollouts.yml')).toThrow(/^rollouts\.yml:\d+:\d+: /);
  });
});

describe('a shadow', () => {
  const read = (track: object, overrule?: object) => {
    const usual = { name: 't', match: {}, waves: [{ name: 'w' }], health: { queries: [] } };
    const decided = { track: 't', at: '2026-11-16T10:00:00Z', reason: 'r', ...overrule };
    const overrules = overrule === undefined ? [] : [decided];
    return readRollouts(JSON.stringify({ tracks: [{ ...usual, ...track }], overrules }), 'rollouts.yml');
  };
  const digest = 'sha256:0123456789ab';

  it('is declared for a track or a wave, and a difference is accepted by its digest', () => {
    const waves = [{ name: 'w', shadow: { maxDifferences: 2 } }];
    const { file, problems } = read({ shadow: { maxDifferences: 0 }, waves }, { action: 'accept-shadow', digest });
    expect(problems).toEqual([]);
    expect(file?.tracks[0]).toMatchObject({ shadow: { maxDifferences: 0 }, waves });
    expect(file?.overrules[0]).toMatchObject({ action: 'accept-shadow', digest });
  });

  it.each([
    { given: 'no number', track: { shadow: {} }, says: /maxDifferences is missing/ },
    { given: 'a negative number', track: { shadow: { maxDifferences: -1 } }, says: /maxDifferences/ },
    { given: 'a typo', track: { shadow: { maxDiferences: 0 } }, says: /did you mean maxDifferences\?/ },
    { given: 'no digest', overrule: { action: 'accept-shadow' }, says: /accept-shadow needs a digest/ },
    { given: 'a short digest', overrule: { action: 'accept-shadow', digest: 'sha256:0123' }, says: /12 to 64 hexa/ },
    { given: 'a digest of a number', overrule: { action: 'accept-shadow', digest: 123456789012 }, says: /digest/ },
    { given: 'a digest of a reject', overrule: { action: 'reject', image: 'i', digest }, says: /reject has no digest/ },
    {
      given: 'an end',
      overrule: { action: 'accept-shadow', digest, until: '2027-01-01T00:00:00Z' },
      says: /accept-shadow has no end/,
    },
  ])('with $given is refused', ({ track = {}, overrule, says }) => {
    const { file, problems } = read(track, overrule);
    expect(file).toBeUndefined();
    expect(problems.map(({ message, hint }) => `${message} (${hint})`).join()).toMatch(says);
  });
});

describe('F2: waves', () => {
  const shards = ['p/a', 'p/b', 'p/c', 'p/d-0', 'p/d-1', 'q/a', 'q/e', 'q/f', 'q/g', 'q/h'].map((id) => {
    const [integration = '', shard = ''] = id.split('/');
    return { id, integration, shard, ...(shard.startsWith('d-') ? { parent: 'd' } : {}) };
  });
  const waves = (...given: object[]): string[][] =>
    wavesOf({ waves: given.map((wave) => ({ name: 'w', soak: 0, maxParallel: 1, ...wave })) }, shards).map((wave) =>
      wave.map(({ id }) => id).sort(),
    );

  it.each([
    { given: 'ids', listed: ['p/a'], selected: ['p/a'] },
    { given: 'names of shards', listed: ['a'], selected: ['p/a', 'q/a'] },
    { given: 'a shard with sub-shards', listed: ['d'], selected: ['p/d-0', 'p/d-1'] },
    { given: 'the id of a shard with sub-shards', listed: ['p/d'], selected: ['p/d-0', 'p/d-1'] },
    { given: 'one sub-shard', listed: ['d-1'], selected: ['p/d-1'] },
    { given: 'unknown names', listed: ['nobody'], selected: [] },
  ])('take $given', ({ listed, selected }) => {
    expect(waves({ shards: listed })).toEqual([selected]);
  });

  it('take a share of all, rounded up, from those that are left; the rest takes all', () => {
    const [canary, early, rest] = waves({ shards: ['p/a'] }, { percent: 21 }, {});
    expect([canary?.length, early?.length, rest?.length]).toEqual([1, 3, 6]);
    expect([...(canary ?? []), ...(early ?? []), ...(rest ?? [])].sort()).toEqual(shards.map(({ id }) => id).sort());
    expect(waves({ percent: 0.1 })[0]).toHaveLength(1);
  });

  it('do not depend on the order of shards', () => {
    const track = { waves: [{ name: 'w', percent: 50, soak: 0, maxParallel: 1 }] };
    expect(wavesOf(track, shards.toReversed())).toEqual(wavesOf(track, shards));
  });
});

describe('F4: a query', () => {
  const query = { name: 'q', promql: 'x{pod=~"$pods",i="$integration"}', expect: { min: 0, max: 1 } };

  it.each([
    { samples: [0.5], answer: 'expected' },
    { samples: [2], answer: 'wrong' },
    { samples: [-1], answer: 'wrong' },
    { samples: [], answer: 'unknown' },
    { samples: [0, 0], answer: 'unknown' },
    { samples: [Number.NaN], answer: 'unknown' },
    { samples: [Number.POSITIVE_INFINITY], answer: 'unknown' },
  ])('with the samples $samples is $answer', ({ samples, answer }) => {
    expect(queryAnswer(query, samples)).toBe(answer);
  });

  it.each([
    { samples: [3], expect: { max: 0 }, text: '3, expected at most 0' },
    { samples: [0], expect: { min: 1 }, text: '0, expected at least 1' },
    { samples: [7], expect: { min: 1, max: 2 }, text: '7, expected at least 1 and at most 2' },
    { samples: [Number.NaN], expect: { max: 0 }, text: 'NaN, expected at most 0' },
    { samples: [], expect: { max: 0 }, text: 'no sample, expected one' },
    { samples: [0, 0], expect: { max: 0 }, text: '2 samples, expected one' },
  ])('that gives $samples says: $text', ({ samples, expect: expected, text }) => {
    expect(queryText({ name: 'q', promql: 'x', expect: expected }, samples)).toBe(text);
  });

  it('is asked with names that cannot leave their text, and not without pods', () => {
    const subject = { integration: 'a"b', shard: 's', cluster: 'c', namespace: 'n', image: 'i' };
    expect(promqlOf(query, { ...subject, pods: ['p.1', 'p-2'] })).toBe('x{pod=~"p\\\\.1|p-2",i="a\\"b"}');
    expect(promqlOf(query, { ...subject, pods: [] })).toBeUndefined();
  });
});

describe('a duration', () => {
  it.each([
    { text: '90m', micros: 90 * MICROS.minute, shown: '1h 30m' },
    { text: '1d12h', micros: 36 * MICROS.hour, shown: '1d 12h' },
    { text: '0s', micros: 0, shown: '0s' },
  ])('$text is read, and shown as $shown', ({ text, micros, shown }) => {
    expect([parseDuration(text), durationText(micros)]).toEqual([micros, shown]);
  });

  it.each(['', '4', 'h', '4 h', '-4h', '4H', '1.5h'])('is not "%s"', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});
