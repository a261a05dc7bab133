import type { KubeObject } from '../desired/desired-namespace.ts';
import { isWorkload } from '../desired/identity.ts';
import { ANNOTATION } from './object-hash.ts';
import { type CallerNames, isCaller, isManaged } from './ownership.ts';
import { LABEL, labelValue } from './ownership-labels.ts';

/** A manager, as its objects name it. */
export interface ManagerIdentity {
  readonly caller: CallerNames;
  readonly instance?: string;
  /** Not compared when empty or absent: such a manager operates all environments. */
  readonly environment?: string;
}

/** The managers that run workloads in a namespace, seen from one of them. */
export interface Neighbours {
  /** Whether another manager's workloads are there. */
  readonly any: boolean;
  /** Whether another manager maintains this object: it wrote it last, and its workloads are still there. */
  maintains(joint: KubeObject): boolean;
}

/**
 * Whether an object belongs to its namespace rather than to a shard, as the Service does that all managers of a namespace
 * render. One of them maintains it, the one that it names; the others leave it alone until that one has left.
 */
export function isJoint({ kind }: Pick<KubeObject, 'kind'>): boolean {
  return kind === 'Service';
}

/**
 * @param becomesOwn whether this manager writes the object in this pass: it may still have another one's labels, or old ones
 * of an environment that was renamed.
 */
export function neighboursIn(
  objects: readonly KubeObject[],
  own: ManagerIdentity,
  becomesOwn: (object: KubeObject) => boolean = () => false,
): Neighbours {
  const others = objects.filter(
    (object) => isWorkload(object) && isManaged(object) && !isBy(object, own) && !becomesOwn(object),
  );
  return {
    any: others.length > 0,
    maintains: (joint) => !isBy(joint, own) && others.some((other) => isSameManager(other, joint)),
  };
}

function isBy(object: KubeObject, { caller, instance, environment }: ManagerIdentity): boolean {
  const [by, place, repository] = marksOf(object);
  return (
    (by === undefined || isCaller(caller, by)) &&
    isEqual(place, environment ? labelValue(environment) : undefined) &&
    isEqual(repository, instance === undefined ? undefined : labelValue(instance))
  );
}

/** Existing managers set no labels, so those say something only where both objects have them. */
function isSameManager(a: KubeObject, b: KubeObject): boolean {
  const marks = marksOf(b);
  return marksOf(a).every((mark, at) => isEqual(mark, marks[at]));
}

function isEqual(a: unknown, b: unknown): boolean {
  return a === undefined || b === undefined || a === b;
}

function marksOf({ metadata }: KubeObject): readonly unknown[] {
  const annotations = (metadata['annotations'] ?? {}) as Readonly<Record<string, unknown>>;
  const labels = (metadata['labels'] ?? {}) as Readonly<Record<string, unknown>>;
  return [annotations[ANNOTATION.caller], labels[LABEL.environment], labels[LABEL.instance]];
}

/** Whether the last manager of a namespace may delete an object that another one of the same data repository wrote. */
export function isOfRepository({ metadata }: KubeObject, instance: string | undefined): boolean {
  const labels = (metadata['labels'] ?? {}) as Readonly<Record<string, unknown>>;
  return instance !== undefined && labels[LABEL.instance] === labelValue(instance);
}
