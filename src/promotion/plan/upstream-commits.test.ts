import { describe, expect, it } from 'vitest';
import { handMadeSnapshot } from '../../../test/support/hand-made-snapshot.ts';
import { defined } from '../../base/index.ts';
import type { Relation } from '../ports.ts';
import { authorsToNotify, type Range, rollbackNotes } from './upstream-commits.ts';

const range = (relation: Relation, from = 'a'): Range => ({
  ...{ from: from.repeat(40), to: 'f'.repeat(40), relation, commits: [], total: 0, targets: [`target ${from}`] },
});
const CLONE = { wholeClone: '/src/clone', whenUnknown: 'fetch it' };

describe('a promotion', () => {
  it.each([
    { given: 'forward', ranges: [range('ahead')], rules: [] },
    { given: 'to where it is', ranges: [range('identical')], rules: [] },
  ])('$given is allowed', ({ ranges, rules }) => {
    expect(rollbackNotes(ranges, false).map(({ rule }) => rule)).toEqual(rules);
  });

  it('of tags, of which none is older than another, is allowed', () => {
    const notes = rollbackNotes([range('unknown')], false, { hasNoCommits: true });
    expect(notes.map(({ rule }) => rule)).toEqual(['history-unknown']);
  });

  it.each([
    { given: 'back', ranges: [range('behind')], code: 'PROMOTION_ROLLBACK', says: 'fffffff is older than aaaaaaa' },
    { given: 'aside', ranges: [range('diverged')], code: 'PROMOTION_ROLLBACK', says: 'have diverged' },
    {
      given: 'with a clone that has none of the old commits',
      ranges: [range('unknown'), range('unknown', 'b')],
      code: 'UPSTREAM_CLONE',
      says: '/src/clone has none of the currently promoted commits (aaaaaaa, bbbbbbb)',
    },
  ])('$given must be asked for', ({ ranges, code, says }) => {
    expect(() => rollbackNotes(ranges, false, CLONE)).toThrow(says);
    expect(() => rollbackNotes(ranges, false, CLONE)).toThrow(expect.objectContaining({ code }));
    expect(rollbackNotes(ranges, true, CLONE)).toHaveLength(ranges.length);
  });

  it('whose history is not known says what to do about it', () => {
    expect(rollbackNotes([range('unknown')], true, CLONE)[0]?.hint).toBe('fetch it');
    expect(rollbackNotes([range('unknown')], true)[0]?.hint).toContain('--upstream-clone');
  });

  it.each([
    { given: 'nothing of', ranges: [range('unknown')], history: {}, hint: '--upstream-clone' },
    { given: 'only a part of', ranges: [range('unknown'), range('ahead', 'b')], history: CLONE, hint: 'fetch it' },
  ])('of which $given the history is known needs the same flag as an older one', ({ ranges, history, hint }) => {
    const refusal = expect.objectContaining({ code: 'HISTORY_UNKNOWN', hint: expect.stringContaining(hint) });
    expect(() => rollbackNotes(ranges, false, history)).toThrow(refusal);
    expect(rollbackNotes(ranges, true, history).map(({ rule }) => rule)).toEqual(['history-unknown']);
  });
});

const user = (name: string, username: string, github: string) => ({
  $schema: '/access/user-1.yml',
  ...{ name, org_username: username, github_username: github },
});
const SNAPSHOT = handMadeSnapshot({
  '/users/mara.yml': user('Mara Okafor', 'mokafor', 'Mara-O'),
  '/users/jonas.yml': user('Jonas Lindqvist', 'jlindqvist', ''),
  '/users/nobody.yml': user('Nobody', '', 'nobody'),
});

const by = (name: string, email: string, login?: string) => ({
  ...{ sha: 'a'.repeat(40), author: { name, email }, date: new Date(0), subject: 's' },
  ...defined({ login }),
});
const people = (commits: readonly ReturnType<typeof by>[], caller = {}): string[] =>
  authorsToNotify(commits, SNAPSHOT, caller).map(
    ({ name, username, commits: own }) => `${name}|${username ?? ''}|${own}`,
  );

describe('the people to notify', () => {
  it.each([
    { given: 'an account at the forge', commit: by('M', 'm@home.example', 'mara-o'), person: 'Mara Okafor|mokafor|1' },
    {
      given: 'a hidden address',
      commit: by('M', '123+Mara-O@users.noreply.github.com'),
      person: 'Mara Okafor|mokafor|1',
    },
    { given: 'an address', commit: by('J', 'JLindqvist@example.com'), person: 'Jonas Lindqvist|jlindqvist|1' },
    { given: 'a name', commit: by('jonas lindqvist', 'x@home.example'), person: 'Jonas Lindqvist|jlindqvist|1' },
    { given: 'nothing', commit: by('Some One', 'some@one.example', 'some'), person: 'Some One||1' },
    { given: 'an account of a user without a name', commit: by('N', 'n@x.example', 'nobody'), person: 'N||1' },
  ])('are known by $given', ({ commit, person }) => {
    expect(people([commit])).toEqual([person]);
  });

  it('are each there once, those with most commits first', () => {
    const commits = [by('Z', 'z@x.example'), by('M', 'm@x.example', 'Mara-O'), by('Mara Okafor', 'other@x.example')];
    expect(people(commits)).toEqual(['Mara Okafor|mokafor|2', 'Z||1']);
  });

  it.each([
    { given: 'the address', caller: { email: 'Z@X.example', name: 'other' }, left: [] },
    { given: 'the name, without an address', caller: { name: 'Z' }, left: [] },
    {
      given: 'not the name alone, where there is an address',
      caller: { name: 'Z', email: 'y@x.example' },
      left: ['Z||1'],
    },
    { given: 'nothing', caller: {}, left: ['Z||1'] },
  ])('are not the caller, who is known by $given', ({ caller, left }) => {
    expect(people([by('Z', 'z@x.example')], caller)).toEqual(left);
  });
});
