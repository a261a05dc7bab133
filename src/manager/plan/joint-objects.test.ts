import { describe, expect, it } from 'vitest';
import type { DesiredNamespace, KubeObject } from '../desired/desired-namespace.ts';
import { planNamespace } from './plan.ts';

interface Writer {
  readonly caller: string;
  readonly instance?: string;
  readonly environment?: string;
}

const object = (kind: string, name: string, metadata: object = {}): KubeObject => ({
  ...{ apiVersion: 'v1', kind, metadata: { name, ...metadata }, spec: { port: 80 } },
});

/** An object as a manager wrote it; existing managers set no labels. */
const by = ({ caller, instance, environment }: Writer, kind: string, name: string): KubeObject =>
  object(kind, name, {
    uid: `uid of ${name}`,
    labels: {
      ...(instance === undefined ? {} : { 'echelon/instance': instance }),
      ...(environment === undefined ? {} : { 'echelon/environment': environment }),
    },
    annotations: {
      'qontract.integration': 'integrations-manager',
      'qontract.integration_version': '0.1.0',
      'qontract.sha256sum': 'x',
      'qontract.caller_name': caller,
    },
  });

const ME = { caller: 'me', instance: 'repo', environment: 'prod' };
const OTHER = { ...ME, caller: 'other' };
const EXISTING = { caller: 'other' };
const service = (writer: Writer) => by(writer, 'Service', 'q');
const workload = (writer: Writer, kind = 'Deployment') => by(writer, kind, `of-${writer.caller}`);
const mine = object('Deployment', 'of-me');

function actionOn(name: string, live: readonly KubeObject[], wanted: readonly KubeObject[], scoped = false) {
  const place = { cluster: 'c', namespace: 'n' };
  const desired: DesiredNamespace = { ...place, file: '', environment: 'prod', objects: wanted };
  const scope = scoped ? { scope: { environment: 'prod' } } : {};
  const items = planNamespace(desired, { ...place, objects: live }, { caller: 'me', instance: 'repo', ...scope });
  return items.find((item) => item.name === name)?.action;
}

describe('the Service of a namespace that this manager declares', () => {
  it.each([
    { given: 'that is not there yet', live: [workload(OTHER)], is: 'create' },
    { given: 'that is its own', live: [service(ME), workload(OTHER)], is: 'update' },
    { given: 'that another manager maintains', live: [service(OTHER), workload(OTHER)], is: 'keep' },
    {
      given: 'that a manager of scheduled jobs maintains',
      live: [service(OTHER), workload(OTHER, 'CronJob')],
      is: 'keep',
    },
    { given: 'that an existing manager maintains', live: [service(EXISTING), workload(EXISTING)], is: 'keep' },
    { given: 'that an existing manager took from it', live: [service(OTHER), workload(EXISTING)], is: 'keep' },
    {
      given: 'of another data repository',
      live: [service({ ...ME, instance: 'x' }), by({ ...ME, instance: 'x' }, 'Deployment', 'd')],
      is: 'keep',
    },
    { given: 'whose manager has left', live: [service(OTHER), workload(ME)], is: 'update' },
    {
      given: 'whose manager has left, beside a third one',
      live: [service(OTHER), workload({ ...ME, caller: 'third' })],
      is: 'update',
    },
    {
      given: 'from before its environment was renamed',
      live: [service({ ...ME, environment: 'old' }), by({ ...ME, environment: 'old' }, 'Deployment', 'of-me')],
      is: 'update',
    },
    { given: 'that no manager wrote', live: [object('Service', 'q'), workload(OTHER)], is: 'conflict' },
  ])('$given: $is', ({ live, is }) => {
    expect(actionOn('q', live, [object('Service', 'q'), mine])).toBe(is);
  });

  it('of the manager of another environment is left to it', () => {
    const stage = { ...ME, environment: 'stage' };
    const live = [service(stage), by(stage, 'Deployment', 'd')];
    expect(actionOn('q', live, [object('Service', 'q'), mine], true)).toBe('keep');
  });
});

describe('the Service of a namespace that this manager has left', () => {
  it.each([
    { given: 'nothing else is there', live: [service(ME)], is: 'delete' },
    { given: 'its last workload goes too', live: [service(ME), workload(ME)], is: 'delete' },
    { given: 'another manager is there', live: [service(ME), workload(ME), workload(OTHER)], is: undefined },
    { given: 'an existing manager is there', live: [service(ME), workload(EXISTING)], is: undefined },
    {
      given: 'only scheduled jobs of another one are there',
      live: [service(ME), workload(OTHER, 'CronJob')],
      is: undefined,
    },
    { given: 'the manager that it names has left before', live: [service(OTHER), workload(ME)], is: 'delete' },
    {
      given: 'it names an existing manager that has no workload',
      live: [service(EXISTING), workload(ME)],
      is: undefined,
    },
    { given: 'it is of another data repository', live: [service({ ...OTHER, instance: 'x' })], is: undefined },
    { given: 'no manager wrote it', live: [object('Service', 'q')], is: undefined },
    {
      given: 'a workload that no manager wrote is there',
      live: [service(ME), object('Deployment', 'd')],
      is: 'delete',
    },
  ])('when $given: $is', ({ live, is }) => {
    expect(actionOn('q', live, [])).toBe(is);
  });
});
