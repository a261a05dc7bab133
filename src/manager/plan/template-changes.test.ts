import { describe, expect, it } from 'vitest';
import type { PlanItem } from './plan-item.ts';
import { takeOverOf, withoutTemplateChanges } from './template-changes.ts';

interface Change {
  readonly kind?: string;
  readonly action?: string;
  readonly paths?: readonly string[];
  readonly from?: readonly string[] | null;
}

function item({ kind = 'Deployment', action = 'update', paths = [], from = ['oc'] }: Change = {}): PlanItem {
  const name = { cluster: 'c', namespace: 'n', kind, name: 'x' };
  const differences = paths.map((path) => ({ path }));
  return { ...name, action, differences, ...(from === null ? {} : { takeOver: from }) } as unknown as PlanItem;
}

const IMAGE = 'spec.template.spec.containers[int].image';
const LABEL = 'spec.template.metadata.labels.app';
const CRON = 'spec.jobTemplate.spec.template.spec.containers[int].image';
const QUIET = ['metadata.labels.echelon/instance', 'spec.replicas', 'spec.template.metadata.annotations.echelon/shard'];

describe('workloads that are taken over', () => {
  it.each([
    { given: 'nothing', items: [], is: undefined },
    { given: 'an update of our own', items: [item({ paths: [IMAGE], from: null })], is: undefined },
    { given: 'a Service', items: [item({ kind: 'Service', paths: ['spec.ports'] })], is: undefined },
    { given: 'metadata', items: [item({ paths: QUIET })], is: { workloads: 1, templates: 0, fields: [] } },
    {
      given: 'templates',
      items: [
        item({ paths: [IMAGE, ...QUIET] }),
        item({ paths: [LABEL, IMAGE] }),
        item(),
        item({ kind: 'CronJob', paths: [CRON] }),
      ],
      is: {
        workloads: 4,
        templates: 3,
        fields: [
          { path: 'spec.containers[int].image', objects: 3 },
          { path: 'metadata.labels.app', objects: 1 },
        ],
      },
    },
    {
      given: 'a template as a whole',
      items: [item({ paths: ['spec.template'] })],
      is: { workloads: 1, templates: 1, fields: [{ path: 'all', objects: 1 }] },
    },
  ])('are counted with the fields of their pod templates: $given', ({ items, is }) => {
    expect(takeOverOf(items, false)).toEqual(is === undefined ? undefined : { ...is, adoptTemplates: false });
  });

  it.each([
    { given: 'a changed template', change: { paths: [IMAGE] }, consent: false, action: 'withhold' },
    { given: 'a changed template with consent', change: { paths: [IMAGE] }, consent: true, action: 'update' },
    {
      given: 'a changed template of a CronJob',
      change: { kind: 'CronJob', paths: [CRON] },
      consent: false,
      action: 'withhold',
    },
    { given: 'metadata and identity', change: { paths: QUIET }, consent: false, action: 'update' },
    { given: 'our own template', change: { paths: [IMAGE], from: null }, consent: false, action: 'update' },
    { given: 'an adopted object', change: { action: 'adopt', paths: [IMAGE] }, consent: false, action: 'adopt' },
    { given: 'a Service', change: { kind: 'Service', paths: ['spec.ports'] }, consent: false, action: 'update' },
  ])('wait for consent with $given: $action', ({ change, consent, action }) => {
    expect(withoutTemplateChanges([item(change)], consent).map((one) => one.action)).toEqual([action]);
  });

  it('say which fields would change, and how to consent', () => {
    const [one] = withoutTemplateChanges([item({ paths: [IMAGE, LABEL, `${LABEL}2`, `${LABEL}3`] })], false);
    expect(one).toMatchObject({
      withholds: 'update',
      reason:
        'taking it over from oc would change its pod template: spec.containers[int].image, metadata.labels.app, metadata.labels.app2 and 1 more field',
      hint: expect.stringContaining('--adopt-templates'),
    });
  });
});
