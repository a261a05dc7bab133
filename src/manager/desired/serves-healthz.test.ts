import { describe, expect, it } from 'vitest';
import { fleetWith, managedOnce } from '../../../test/support/fleet.ts';
import { DEFAULT_UPSTREAM } from '../../instance/index.ts';
import { selectWorkloads } from './select.ts';
import { valuesOf } from './values.ts';

const OTHER = 'https://github.com/example/tools';

interface Row {
  readonly upstream?: string;
  readonly image?: string;
  /** In the integration file. */
  readonly own?: readonly string[];
  /** In a file of the user. */
  readonly given?: readonly string[];
  readonly probed: boolean;
}

const ROWS: readonly Row[] = [
  { probed: true },
  { upstream: DEFAULT_UPSTREAM, probed: true },
  { upstream: DEFAULT_UPSTREAM, image: 'registry.example.com/our-mirror', probed: true },
  { upstream: OTHER, probed: false },
  { upstream: OTHER, image: 'registry.example.com/tools', probed: false },
  { upstream: OTHER, image: 'registry.example.com/mirror/echelon', probed: true },
  { image: 'registry.example.com/mirror/qontract-reconcile', probed: true },
  { image: 'registry.example.com/not-qontract-reconcile', probed: false },
  { upstream: OTHER, own: ['/healthz'], probed: true },
  { upstream: OTHER, given: ['/healthz'], probed: true },
  { upstream: OTHER, own: [], given: ['/healthz'], probed: false },
  { upstream: DEFAULT_UPSTREAM, own: ['--account-name'], probed: false },
];

/** The values of one integration. */
function entryValues({ upstream, image, own, given }: Row, spec: object = {}) {
  const file = { ...managedOnce({ capabilities: own ?? null, spec: { ...spec } }), ...(upstream ? { upstream } : {}) };
  const capabilities = new Map(given === undefined ? [] : [['mine', given]]);
  const { groups } = selectWorkloads(fleetWith({ '/mine.yml': file }), { capabilities });
  const { integrations, cronjobs } = valuesOf(groups[0]!, {
    ...{ environment: {}, process: {}, flags: new Map() },
    ...(image === undefined ? {} : { image }),
  });
  return [...integrations, ...cronjobs][0]!;
}

describe('whether pods are probed', () => {
  it.each(ROWS)(
    'upstream $upstream, image $image, declared $own in its file and $given by the user: $probed',
    (row) => {
      expect('healthz' in entryValues(row)).toBe(!row.probed);
    },
  );

  it('is not asked of an integration on a schedule', () => {
    expect(entryValues({ upstream: OTHER, probed: false }, { cron: '0 8 * * *' })).not.toHaveProperty('healthz');
  });
});

describe('whether logs are shipped to CloudWatch', () => {
  it.each([
    { given: 'nothing', sources: {}, logs: undefined },
    { given: 'a secret', sources: { process: { CLOUDWATCH_SECRET: 'mine' } }, logs: undefined },
    { given: 'no secret in the environment', sources: { environment: { CLOUDWATCH_SECRET: '' } }, logs: false },
    { given: 'no secret in the process', sources: { process: { CLOUDWATCH_SECRET: '' } }, logs: false },
    { given: 'no secret by flag', sources: { flags: new Map([['CLOUDWATCH_SECRET', '']]) }, logs: false },
    {
      given: 'a secret by flag before none in the environment',
      sources: { environment: { CLOUDWATCH_SECRET: '' }, flags: new Map([['CLOUDWATCH_SECRET', 'mine']]) },
      logs: undefined,
    },
  ])('with $given', ({ sources, logs }) => {
    const spec = { logs: { slack: true } };
    const { groups } = selectWorkloads(fleetWith({ '/mine.yml': managedOnce({ spec }) }));
    const values = valuesOf(groups[0]!, { environment: {}, process: {}, flags: new Map(), ...sources });
    expect(values.integrations[0]?.logs).toEqual(logs === undefined ? spec.logs : { slack: true, cloudwatch: logs });
  });
});
