import type { KubeObject } from '../desired/desired-namespace.ts';
import { ANNOTATION } from './object-hash.ts';
import { LABEL, labelValue } from './ownership-labels.ts';

/** Who owns an object, from this manager's point of view. */
export type Owner = 'ours' | 'another-manager' | 'unmanaged';

interface Ownership {
  readonly owner: Owner;
  /** Human-readable. */
  readonly reason: string;
}

/** The upstreams whose objects a manager owns. */
export type CallerNames = string | readonly string[];

export function isCaller(names: CallerNames, name: unknown): boolean {
  return typeof names === 'string' ? name === names : names.some((one) => one === name);
}

const OURS: Ownership = { owner: 'ours', reason: 'it is ours' };
const MANAGER = 'integrations-manager';
const MAJOR = '0';

/**
 * A manager owns an object whose annotations name it, with a compatible version and a hash; it is ours when the caller is
 * one of ours and no other data repository has labelled it. The Service of a namespace belongs to all of its managers.
 */
export function ownershipOf(object: KubeObject, callers: CallerNames, instance?: string): Ownership {
  const annotations = (object.metadata['annotations'] ?? {}) as Readonly<Record<string, string | undefined>>;
  const integration = annotations[ANNOTATION.integration];
  if (integration !== MANAGER) {
    return {
      owner: 'unmanaged',
      reason: integration === undefined ? unowned(object) : `it belongs to the integration ${integration}`,
    };
  }
  if (annotations[ANNOTATION.version]?.split('.')[0] !== MAJOR || annotations[ANNOTATION.sha256sum] === undefined) {
    return { owner: 'unmanaged', reason: 'its annotations are from an incompatible manager version' };
  }
  if (object.kind === 'Service') return OURS;
  const elsewhere = labelsIn(object)[LABEL.instance];
  if (instance !== undefined && elsewhere !== undefined && elsewhere !== labelValue(instance)) {
    return {
      owner: 'unmanaged',
      reason: `it is declared by another data repository (${LABEL.instance}: ${elsewhere})`,
    };
  }
  const other = annotations[ANNOTATION.caller];
  if (other === undefined || isCaller(callers, other)) return OURS;
  return { owner: 'another-manager', reason: `it belongs to the manager of ${other}` };
}

/** Whether any manager wrote the object. */
export function isManaged({ metadata }: KubeObject): boolean {
  const annotations = (metadata['annotations'] ?? {}) as Readonly<Record<string, unknown>>;
  return annotations[ANNOTATION.integration] === MANAGER;
}

export function ownerOf(object: KubeObject, callers: CallerNames): Owner {
  return ownershipOf(object, callers).owner;
}

/** Only objects that are certainly ours are deleted. */
export function mayDelete(object: KubeObject, callers: CallerNames): boolean {
  const annotations = (object.metadata['annotations'] ?? {}) as Readonly<Record<string, string | undefined>>;
  const other = annotations[ANNOTATION.caller];
  return ownerOf(object, callers) === 'ours' && (other === undefined || isCaller(callers, other));
}

/** Names the tool that deployed it, if its labels say so. */
function unowned(object: KubeObject): string {
  const tool = labelsIn(object)['app.kubernetes.io/managed-by'];
  return tool === undefined ? 'it exists and is not owned by a manager' : `it exists and was deployed by ${tool}`;
}

function labelsIn({ metadata }: KubeObject): Readonly<Record<string, string | undefined>> {
  return (metadata['labels'] ?? {}) as Readonly<Record<string, string | undefined>>;
}
