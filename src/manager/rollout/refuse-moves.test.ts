import { describe, expect, it } from 'vitest';
import type { ImageChoice } from '../plan/image-choice.ts';
import type { PlanItem } from '../plan/plan-item.ts';
import { imageWrites, type SavedPlan, savedPlan } from '../plan/saved-plan.ts';
import { choiceKey } from './choices.ts';
import { refuseMoves } from './refuse-moves.ts';

const [OLD, NEW, NEWER] = ['repo:1', 'repo:2', 'repo:3'];
const PLACE = { cluster: 'c', namespace: 'n' };
const NAME = { ...PLACE, kind: 'Deployment', name: 'd' };

const workload = (image: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: { template: { spec: { containers: [{ name: 'int', image }] } } },
});
const live = [{ cluster: 'c', namespaces: [{ ...PLACE, objects: [workload(OLD)] }], elsewhere: [], failures: [] }];
const update = (image: string): PlanItem => ({
  ...{ ...NAME, action: 'update', object: workload(image), seen: { fingerprint: '' }, differences: [], force: false },
});

interface Given {
  readonly item?: PlanItem;
  readonly choice?: ImageChoice;
  readonly declared?: string;
  readonly decidedOn?: string;
  readonly version?: string;
}

function outcome({ item = update(NEW), choice, declared = NEW, decidedOn, version }: Given): string {
  const plan = { revision: 'r', scope: {}, items: [item], failures: [], breaches: [], removals: [], blind: [] };
  const saved: SavedPlan = savedPlan(plan, [item], [], new Date(0), decidedOn);
  try {
    refuseMoves('plan.json', saved, imageWrites([item], live), {
      choices: new Map(choice === undefined ? [] : [[choiceKey(NAME), choice]]),
      namespaces: [{ ...PLACE, file: '', environment: 'e', objects: [workload(declared)] }],
      ...(version === undefined ? {} : { version }),
    });
    return 'approved';
  } catch (thrown) {
    return (thrown as Error).message.replace(/.*Z; |\. Nothing.*/g, '');
  }
}

const hold: ImageChoice = { kind: 'hold', target: NEW, reason: 'wave rest: not open' };
const back: ImageChoice = { kind: 'write', image: NEWER, from: OLD, reason: 'repo:1 failed' };

describe('A4: a saved plan, as rollouts decide now', () => {
  it.each<Given & { given: string; told: string }>([
    { given: 'a move that is still open', told: 'approved' },
    {
      given: 'a move that is held',
      choice: hold,
      told: 'c/n Deployment d does not get repo:2 now: wave rest: not open',
    },
    {
      given: 'a return to another image',
      choice: back,
      told: 'c/n Deployment d does not get repo:2 now: repo:1 failed',
    },
    { given: 'the same return', choice: { ...back, image: NEW }, told: 'approved' },
    {
      given: 'another target',
      declared: NEWER,
      told: 'c/n Deployment d does not get repo:2 now: repo:3 is declared now',
    },
    { given: 'a held object that keeps its image', item: update(OLD), choice: hold, told: 'approved' },
    { given: 'the same version', decidedOn: '7', version: '7', told: 'approved' },
    { given: 'another version', decidedOn: '7', version: '8', told: 'the record of rollouts changed since then' },
    { given: 'a record that is gone', decidedOn: '7', told: 'the record of rollouts changed since then' },
    { given: 'a first record', version: '1', told: 'the record of rollouts changed since then' },
    { given: 'no record yet', decidedOn: 'absent', version: 'absent', told: 'approved' },
  ])('with $given is: $told', ({ given: _, told, ...more }) => {
    expect(outcome(more)).toBe(told);
  });
});
