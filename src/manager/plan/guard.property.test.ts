import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import type { DesiredNamespace, KubeObject } from '../desired/desired-namespace.ts';
import { planFleet } from './fleet-plan.ts';
import type { LiveCluster } from './observe.ts';
import type { PlanItem } from './plan-item.ts';
import { recentRemovals, withRemovals } from './recent-removals.ts';

type State = 'on' | 'off' | 'gone';

/** What is wanted of every object, so many minutes after the pass before. */
interface Step {
  readonly minutes: number;
  readonly wanted: readonly State[];
}

const PLACES = ['c1/prod', 'c2/prod', 'c3/stage', 'c4/stage'].map((text) => {
  const [cluster = '', environment = ''] = text.split('/');
  return { cluster, environment };
});
const OBJECTS = 16;
const HOUR = 60;
const MINUTE_MS = 60_000;
const OPTIONS = { revision: 'r', scope: {}, caller: 'me', instance: 'mine' };
const placeOf = (at: number) => PLACES[at % PLACES.length] as (typeof PLACES)[number];

const deployment = (at: number, state: State): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: `x${at}` },
  spec: { replicas: state === 'on' ? 1 : 0 },
});

const desiredBy = (states: readonly State[]): DesiredNamespace[] =>
  PLACES.map((place) => ({
    ...place,
    namespace: 'n',
    file: '',
    objects: states.flatMap((state, at) => (placeOf(at) === place && state !== 'gone' ? [deployment(at, state)] : [])),
  }));

function liveOf(world: ReadonlyMap<number, KubeObject>): LiveCluster[] {
  return PLACES.map((place) => {
    const objects = [...world].flatMap(([at, object]) => (placeOf(at) === place ? [object] : []));
    return { cluster: place.cluster, namespaces: [{ ...place, namespace: 'n', objects }], elsewhere: [], failures: [] };
  });
}

const isOn = (object: KubeObject | undefined): boolean =>
  (object?.['spec'] as { replicas: number } | undefined)?.replicas === 1;

/** The objects that ran within the last hour and do not any more must never be too many, in no scope. */
function checkLost(world: ReadonlyMap<number, KubeObject>, ran: ReadonlyMap<number, number>, now: number): void {
  const isLost = (at: number): boolean => !isOn(world.get(at)) && now - (ran.get(at) ?? -HOUR) < HOUR;
  const all = Array.from({ length: OBJECTS }, (_, at) => at);
  const scopes = [
    all,
    ...Map.groupBy(all, (at) => placeOf(at).cluster).values(),
    ...Map.groupBy(all, (at) => placeOf(at).environment).values(),
  ];
  for (const scope of scopes) {
    const lost = scope.filter(isLost).length;
    const objects = scope.filter((at) => world.has(at) || isLost(at)).length;
    expect(lost).toBeLessThanOrEqual(Math.max(3, Math.floor(objects * 0.3)));
  }
}

const state = fc.oneof({ weight: 3, arbitrary: fc.constant('on' as const) }, fc.constantFrom<State>('off', 'gone'));
const step: fc.Arbitrary<Step> = fc.record({
  minutes: fc.nat({ max: 40 }),
  wanted: fc.array(state, { minLength: OBJECTS, maxLength: OBJECTS }),
});

/** The passes one after the other; after each, what is there and when each object ran last. */
function runPasses(steps: readonly Step[], check: typeof checkLost): void {
  const world = new Map<number, KubeObject>();
  const ran = new Map<number, number>();
  let record: string | undefined;
  let now = 0;
  for (const { minutes, wanted } of steps) {
    now += minutes;
    for (const [at, object] of world) if (isOn(object)) ran.set(at, now);
    const recent = recentRemovals(record, now * MINUTE_MS);
    const plan = planFleet(desiredBy(wanted), liveOf(world), { ...OPTIONS, recent });
    record = withRemovals(record, plan.removals, now * MINUTE_MS);
    for (const item of plan.items) carryOut(world, item);
    check(world, ran, now);
  }
}

function carryOut(world: Map<number, KubeObject>, item: PlanItem): void {
  const at = Number(item.name.slice(1));
  if (item.action === 'delete') world.delete(at);
  if ('object' in item) world.set(at, item.object);
}

it('S6: in no sequence of passes, with restarts between them, more is lost within an hour than is allowed', () => {
  const first: Step = { minutes: 0, wanted: Array.from({ length: OBJECTS }, () => 'on') };
  holds(
    fc.property(fc.array(step, { maxLength: 6 }), (steps) => runPasses([first, ...steps], checkLost)),
    { numRuns: 100 },
  );
});
