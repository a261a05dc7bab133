import { describe, expect, it } from 'vitest';
import { at, organization } from '../../../../test/support/upgrade-facts.ts';
import { contextOf } from '../context.ts';
import { EMPTY_LEDGER } from '../ledger.ts';
import { DEFAULT_RULES } from '../rules.ts';
import { blockedGate } from './blocked.ts';

function ask(ofOrganization: readonly string[], ofCluster: readonly string[] | undefined) {
  const facts = organization({ blockedVersions: ofOrganization });
  const context = contextOf(facts, EMPTY_LEDGER, at('2024-03-01T10:00:00Z'), DEFAULT_RULES);
  return blockedGate(ofCluster === undefined ? {} : { blockedVersions: ofCluster }, '4.14.19', context);
}

describe('the gate of blocks', () => {
  it.each([
    { given: 'nothing', organization: [], cluster: undefined, ok: true, reason: 'no block matches' },
    { given: 'other versions', organization: ['20$'], cluster: ['rc'], ok: true, reason: 'no block matches' },
    {
      given: 'the version, by the organization',
      organization: ['19$'],
      cluster: [],
      ok: false,
      reason: 'the block "19$" of the organization matches',
    },
    {
      given: 'the version, by the cluster',
      organization: [],
      cluster: ['14'],
      ok: false,
      reason: 'the block "14" of the cluster matches',
    },
    {
      given: 'a pattern with a backslash, shown as it was written,',
      organization: [String.raw`^4\.14\.19$`],
      cluster: [],
      ok: false,
      reason: String.raw`the block "^4\.14\.19$" of the organization matches`,
    },
    {
      given: 'everything',
      organization: [''],
      cluster: [],
      ok: false,
      reason: 'the block "" of the organization matches',
    },
  ])('with $given blocked is open: $ok', ({ organization: all, cluster, ok, reason }) => {
    expect(ask(all, cluster)).toMatchObject({ gate: 'blocked', ok, reason });
  });

  it.each([
    { all: ['['], cluster: [], fault: 'organization' },
    { all: [], cluster: ['['], fault: 'cluster' },
  ])('is closed by what is no pattern, of the $fault', ({ all, cluster, fault }) => {
    expect(ask(all, cluster)).toMatchObject({
      ok: false,
      fault,
      reason: expect.stringContaining('is not a valid pattern'),
    });
  });
});
