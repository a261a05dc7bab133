import type { DesiredNamespace, KubeObject } from '../desired/desired-namespace.ts';
import type { RenderScope } from '../desired/select.ts';
import type { ImageChoice } from './image-choice.ts';
import type { Neighbours } from './joint-objects.ts';
import type { CallerNames } from './ownership.ts';
import type { ObjectName } from './plan-item.ts';

/** The live objects of a namespace, from one list per kind. */
export interface LiveNamespace {
  readonly cluster: string;
  readonly namespace: string;
  readonly objects: readonly KubeObject[];
}

export interface PlanOptions {
  /** The upstream that this manager operates; it does not own other managers' objects. */
  readonly caller: string;
  /** Without one upstream in scope: those whose objects are this manager's too. */
  readonly callers?: readonly string[];
  /** What the instance declares of an object's integration, whichever its upstream; undefined if it declares none. */
  readonly declaredFor?: DeclaredFor;
  /** Identifies this data repository; see `OwnershipLabels`. */
  readonly instance?: string;
  readonly scope?: RenderScope;
  /** Take over objects with the same name that no manager owns. */
  readonly adopt?: boolean;
  /** Replace objects whose immutable fields must change. */
  readonly recreate?: boolean;
  /** Override fields that other managers hold. */
  readonly forceConflicts?: boolean;
  /** What rollouts say about workloads that do not simply get the declared image. */
  readonly images?: (name: ObjectName) => ImageChoice | undefined;
}

/** The upstream of the integration that an object of a namespace belongs to, as declared there. */
export type DeclaredFor = (object: KubeObject, namespace: string) => { readonly upstream?: string } | undefined;

export function callersOf({ caller, callers }: Pick<PlanOptions, 'caller' | 'callers'>): CallerNames {
  return callers ?? caller;
}

export type Place = Pick<ObjectName, 'cluster' | 'namespace'>;
export type OwnedOptions = PlanOptions & Pick<DesiredNamespace, 'environment'> & { readonly neighbours: Neighbours };
