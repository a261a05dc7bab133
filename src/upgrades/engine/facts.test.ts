import { describe, expect, it } from 'vitest';
import { cluster } from '../../../test/support/upgrade-facts.ts';
import type { OrgSpec } from '../policies/org-spec.ts';
import { orgFacts } from './facts.ts';
import { EMPTY_LEDGER } from './ledger.ts';

const { policy, ...state } = cluster('a');
const key = { id: state.id, uuid: state.uuid, name: state.name };
const AROUND = { policies: [], gates: [], agreements: new Map(), ledger: EMPTY_LEDGER, inherited: [] };

function join(clusters: OrgSpec['clusters'], states = [state]) {
  const spec = {
    orgId: 'o1' as OrgSpec['orgId'],
    blockedVersions: ['rc'],
    freezes: [],
    sectors: [],
    inherit: [],
    clusters,
    problems: [],
  };
  return orgFacts(spec, states, AROUND);
}

describe('facts of an organization', () => {
  it.each([
    { given: 'ready', states: [state], clusters: [{ ...state, policy }], held: [] },
    {
      given: 'hibernating',
      states: [{ ...state, state: 'hibernating' }],
      clusters: [],
      held: [{ ...state, state: 'hibernating', known: policy, held: 'it is hibernating' }],
    },
    { given: 'not there', states: [], clusters: [], held: [] },
  ])('have a cluster that is $given', ({ states, clusters, held }) => {
    expect(join([{ ...key, policy }], states)).toMatchObject({ clusters, held, blockedVersions: ['rc'] });
  });

  it('hold a cluster whose policy could not be read', () => {
    expect(join([{ ...key, known: { sector: 's' }, held: 'bad label' }]).held).toEqual([
      { ...state, known: { sector: 's' }, held: 'bad label' },
    ]);
  });
});
