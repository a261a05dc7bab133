import { describe, expect, it } from 'vitest';
import { EchelonError } from '../../base/index.ts';
import type { ItemResult } from '../plan/execute.ts';
import type { FleetPlan } from '../plan/fleet-plan.ts';
import type { PlanItem } from '../plan/plan-item.ts';
import { appliedDocument, appliedText } from './applied.ts';
import { fleetObstacles, placeFailureText } from './obstacles.ts';
import { fleetPlanDocument, planRow, planSummaryText } from './plan-report.ts';
import { takeOverNotice } from './take-over-notice.ts';

const NAME = { cluster: 'c', namespace: 'n', kind: 'Deployment', name: 'x' };
const OBJECT = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' } };
const CREATE: PlanItem = { ...NAME, action: 'create', object: OBJECT };
const KEEP: PlanItem = { ...NAME, action: 'keep' };
const HOLD: PlanItem = { ...NAME, action: 'hold', target: 'i:2', reason: 'wave 2', waits: [] };
const conflict = (hint: string): PlanItem => ({ ...NAME, action: 'conflict', reason: 'foreign', hint });
const error = (message: string) => new EchelonError({ code: 'KUBE_DOWN', message, hint: 'start it' });

const plan = (more: Partial<FleetPlan>): FleetPlan => ({
  ...{ revision: 'r1', scope: {}, items: [], failures: [], breaches: [], removals: [], blind: [] },
  ...more,
});

describe('a plan', () => {
  it.each([
    { items: [], text: 'Plan: 0 to create, 0 to update, 0 to delete; 0 unchanged.' },
    { items: [CREATE, KEEP], text: 'Plan: 1 to create, 0 to update, 0 to delete; 1 unchanged.' },
    {
      items: [HOLD, conflict('a'), conflict('b')],
      text: 'Plan: 0 to create, 0 to update, 0 to delete; 0 unchanged, 1 held, 2 conflicts.',
    },
  ])('of $items.length items is summed up as "$text"', ({ items, text }) => {
    expect(planSummaryText(plan({ items }))).toBe(text);
  });

  it('is a document without what is unchanged, and without what only the manager remembers', () => {
    const made = plan({ items: [CREATE, KEEP], failures: [{ cluster: 'c', error: error('down') }] });
    const document = fleetPlanDocument(made);
    expect(document).toMatchObject({
      revision: 'r1',
      items: [{ action: 'create' }],
      failures: [{ cluster: 'c', code: 'KUBE_DOWN', message: 'down' }],
    });
    expect(document).not.toHaveProperty('removals');
    expect(planRow(CREATE)).toEqual(['create', 'c/n', 'Deployment x', 'does not exist']);
  });
});

describe('the obstacles of a plan', () => {
  it.each<{ given: string; more: Partial<FleetPlan>; any: boolean }>([
    { given: 'nothing', more: {}, any: false },
    { given: 'changes and holds', more: { items: [CREATE, HOLD] }, any: false },
    { given: 'a namespace that cannot be listed', more: { blind: ['c'] }, any: false },
    { given: 'a conflict', more: { items: [conflict('')] }, any: true },
    { given: 'a failure', more: { failures: [{ cluster: 'c', error: error('down') }] }, any: true },
  ])('with $given: $any', ({ more, any }) => {
    expect(fleetObstacles(plan(more)).any).toBe(any);
  });

  it('repeat no hint', () => {
    const items = [conflict('a'), conflict('b'), conflict('a')];
    expect(fleetObstacles(plan({ items })).conflictHints).toEqual(['a', 'b']);
  });

  it.each([
    { failure: { cluster: 'c', error: error('down') }, text: 'c: down' },
    { failure: { cluster: 'c', namespace: 'n', error: error('down') }, text: 'c/n: down' },
    { failure: { cluster: 'c', namespace: 'n', error: error('c: down') }, text: 'c: down' },
  ])('name the place once: $text', ({ failure, text }) => {
    expect(placeFailureText(failure)).toBe(text);
  });
});

describe('a takeover', () => {
  const fields = Array.from({ length: 9 }, (_, i) => ({ path: `f${i}`, objects: 9 - i }));

  it('that restarts nothing says so', () => {
    expect(takeOverNotice({ workloads: 1, templates: 0, fields: [], adoptTemplates: false })).toEqual([
      'Takeover: 1 workload of an existing manager; no pod template changes, no pod restarts.',
      '',
    ]);
  });

  it.each([
    { adoptTemplates: true, end: /^Their pods restart\.$/ },
    { adoptTemplates: false, end: /^Those are left alone: / },
  ])('shows eight fields and what happens to the pods ($adoptTemplates)', ({ adoptTemplates, end }) => {
    const lines = takeOverNotice({ workloads: 3, templates: 2, fields, adoptTemplates });
    expect(lines.slice(0, 2)).toEqual([
      'Takeover: 3 workloads of an existing manager; 2 pod templates change, by field and number of objects:',
      '  f0 (9)',
    ]);
    expect(lines.slice(8)).toEqual(['  f7 (2)', '  and 1 more field', expect.stringMatching(end), '']);
  });
});

it('what was applied is counted, and what was not as well', () => {
  const results: ItemResult[] = [
    { item: CREATE, outcome: 'done' },
    { item: CREATE, outcome: 'failed', error: error('down') },
    { item: CREATE, outcome: 'skipped' },
  ];
  expect(appliedText('r1', results.slice(0, 1))).toBe('Applied r1: 1 object written.');
  expect(appliedText('r1', results)).toBe('Applied r1: 1 object written, 1 failed, 1 not attempted.');
  expect(appliedDocument('r1', results)).toMatchObject({
    revision: 'r1',
    items: [{ outcome: 'done' }, { outcome: 'failed', code: 'KUBE_DOWN', message: 'down' }, { outcome: 'skipped' }],
  });
});
