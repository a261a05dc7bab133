import { byText, defined } from '../../base/index.ts';
import { type DesiredNamespace, type KubeObject, objectKey } from '../desired/desired-namespace.ts';
import { firstImage, isWorkload } from '../desired/identity.ts';
import { chosenObject } from './chosen-image.ts';
import { differences, reportedDifference } from './differences.ts';
import type { ImageChoice } from './image-choice.ts';
import { isJoint, neighboursIn } from './joint-objects.ts';
import { keepsLiveParts } from './live-parts.ts';
import { ANNOTATION } from './object-hash.ts';
import { owned } from './owned-object.ts';
import { ownerOf, ownershipOf } from './ownership.ts';
import { compared, planChange } from './plan-change.ts';
import { KINDS, type ObjectName, type PlanItem } from './plan-item.ts';
import { callersOf, type LiveNamespace, type OwnedOptions, type Place, type PlanOptions } from './plan-options.ts';
import { planRemoval } from './plan-removal.ts';
import { versionOf } from './seen.ts';

/**
 * Plans how to bring a namespace from its live to its desired state. Pure; ordered by kind and name.
 *
 * @param all every object of the namespace, including those that are not this manager's concern.
 */
export function planNamespace(
  desired: DesiredNamespace,
  live: LiveNamespace,
  options: PlanOptions,
  all: readonly KubeObject[] = live.objects,
): PlanItem[] {
  const found = new Map(live.objects.map((object) => [objectKey(object), object]));
  const wanted = new Set(desired.objects.map(objectKey));
  const place = { cluster: desired.cluster, namespace: desired.namespace };
  const { instance, scope, adopt } = options;
  const own = { caller: callersOf(options), ...defined({ instance, environment: scope?.environment }) };
  const neighbours = neighboursIn(all, own, (object) => {
    const { owner } = ownershipOf(object, callersOf(options), instance);
    return wanted.has(objectKey(object)) && (owner === 'ours' || (adopt === true && owner === 'unmanaged'));
  });
  const labels = { ...options, environment: desired.environment, neighbours };
  const items = [
    ...desired.objects.map((object) => {
      const key = objectKey(object);
      const caller = sharedCaller(found.get(key), options) ?? desired.callers?.get(key);
      return planObject(place, object, found.get(key), caller === undefined ? labels : { ...labels, caller });
    }),
    ...live.objects
      .filter((object) => !wanted.has(objectKey(object)))
      .flatMap((object) => planRemoval(place, object, labels)),
  ];
  return items.toSorted((a, b) => byText(a.kind, b.kind) || byText(a.name, b.name));
}

/** An object that several upstreams share stays with the one that it has, as long as that is one of this manager's. */
function sharedCaller(live: KubeObject | undefined, { callers }: PlanOptions): string | undefined {
  if (callers === undefined || live === undefined || !isJoint(live)) return undefined;
  const annotations = (live.metadata['annotations'] ?? {}) as Readonly<Record<string, unknown>>;
  return callers.find((caller) => caller === annotations[ANNOTATION.caller]);
}

function planObject(place: Place, object: KubeObject, live: KubeObject | undefined, options: OwnedOptions): PlanItem {
  const name = { ...place, kind: object.kind, name: object.metadata.name };
  if (!isOperated(object.kind)) return unoperated(name);
  const choice = isWorkload(object) ? options.images?.(name) : undefined;
  if (choice !== undefined) return planChoice(name, object, live, choice, options);
  // The hash covers what is declared: live parts that are kept, such as a restart, do not change it.
  const labelled = owned(object, options);
  if (live === undefined) return { ...name, action: 'create', object: labelled };
  if (isJoint(live) && isKeptByAnother(live, options)) return { ...name, action: 'keep' };
  if (isStillEqual(labelled, live)) return { ...name, action: 'keep' };
  const item = planChange(name, labelled, live, options);
  if (item.action === 'keep') EQUAL.set(labelled, versionOf(live));
  return item;
}

/** Under a rollout: the workload stays, gets what may change meanwhile, or another image than the declared one. */
function planChoice(
  name: ObjectName,
  object: KubeObject,
  live: KubeObject | undefined,
  choice: ImageChoice,
  options: OwnedOptions,
): PlanItem {
  const labelled = owned(object, options);
  const image = live === undefined ? undefined : firstImage(live);
  const waits = live === undefined ? [] : differences(live, declaredOn(labelled, live)).map(reportedDifference);
  const target = choice.kind === 'hold' ? choice.target : (firstImage(object) ?? '');
  const left = (reason: string): PlanItem => ({
    ...name,
    action: 'hold',
    target,
    reason,
    waits,
    ...defined({ image }),
  });
  const chosen = chosenObject(live === undefined ? object : labelled, live, choice);
  if ('left' in chosen) return left(chosen.left);
  if (live === undefined) return { ...name, action: 'create', object: owned(chosen.object, options) };
  const item = compared(name, chosen.object, live, options);
  return item.action === 'keep' && choice.kind === 'hold' ? left(choice.reason) : item;
}

function declaredOn(labelled: KubeObject, live: KubeObject): KubeObject {
  const fitted = keepsLiveParts(labelled, live);
  return 'object' in fitted ? fitted.object : labelled;
}

/** The live version at which an object had its desired state: until the server changes the version, it still has it. */
const EQUAL = new WeakMap<KubeObject, ReturnType<typeof versionOf>>();

function isStillEqual(labelled: KubeObject, live: KubeObject): boolean {
  const { uid, resourceVersion } = versionOf(live);
  if (uid === undefined || resourceVersion === undefined) return false;
  const equal = EQUAL.get(labelled);
  return equal?.uid === uid && equal.resourceVersion === resourceVersion;
}

function isOperated(kind: string): boolean {
  return (KINDS as readonly string[]).includes(kind);
}

function unoperated(name: ObjectName): PlanItem {
  return {
    ...name,
    action: 'conflict',
    reason: `the manager does not support kind ${name.kind}`,
    hint: `remove it from the chart; supported kinds: ${KINDS.join(', ')}`,
  };
}

function isKeptByAnother(live: KubeObject, options: OwnedOptions): boolean {
  return ownerOf(live, callersOf(options)) === 'ours' && options.neighbours.maintains(live);
}
