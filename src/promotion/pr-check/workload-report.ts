import { isJson } from '../../base/index.ts';
import type { Instance, Problem } from '../../instance/index.ts';
import type { RenderTrouble, WorkloadReport } from './report.ts';
import {
  compareWorkloads,
  type RenderedNamespace,
  type RenderedObject,
  type RenderedSide,
  workloadKey,
} from './workloads.ts';

/** What an instance's managers would apply. */
export interface RenderedWorkloads {
  readonly namespaces: readonly RenderedNamespace[];
  readonly owners: RenderedSide['owners'];
  /** By `cluster/namespace`. */
  readonly failures: readonly { readonly target: string; readonly error: { readonly message: string } }[];
}

/** An object at base, and whether applying the head would delete or stop it. */
export interface GuardedObject {
  readonly cluster: string;
  readonly environment: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly goes: boolean;
}

/** Which limits of the manager the change exceeds, as text. */
export type Guard = (objects: readonly GuardedObject[]) => readonly string[];

interface CheckedSide {
  readonly instance: Instance;
  readonly problems: readonly Problem[];
}

interface SideWorkloads extends RenderedSide {
  readonly failures: RenderedWorkloads['failures'];
}

/** A side for comparison: namespaces that failed to render and integrations with errors do not count as removed. */
export function sideWorkloads(side: CheckedSide, rendered: RenderedWorkloads): SideWorkloads {
  const failed = new Set(rendered.failures.map(({ target }) => target));
  return { ...rendered, failed, wrong: wrongIntegrations(side) };
}

export function workloadReport(base: SideWorkloads, head: SideWorkloads, guard: Guard): WorkloadReport {
  return {
    difference: compareWorkloads(base, head),
    troubles: troublesOf(base.failures, head.failures),
    guard: guard(guardedObjects(base, head)).map((text) => `${text}; apply will need --allow-mass-deletion`),
  };
}

function wrongIntegrations({ instance, problems }: CheckedSide): ReadonlySet<string> {
  const files = new Set(problems.filter(({ severity }) => severity === 'error').map(({ file }) => file));
  const wrong = instance.integrations.filter(({ file }) => files.has(`data${file}`));
  return new Set(wrong.map(({ name }) => name));
}

function troublesOf(base: SideWorkloads['failures'], head: SideWorkloads['failures']): RenderTrouble[] {
  const before = new Set(base.map(({ target }) => target));
  const after = new Set(head.map(({ target }) => target));
  const gone = base.filter(({ target }) => !after.has(target));
  return [
    ...head.map(({ target, error }) => ({ message: error.message, known: before.has(target) })),
    ...gone.map(({ error }) => ({ message: `at base only: ${error.message}`, known: true })),
  ];
}

/** What applying the change would delete or stop, as seen by the manager's guard; objects with errors stay. */
function guardedObjects(base: SideWorkloads, head: SideWorkloads): GuardedObject[] {
  const kept = new Map(
    head.namespaces.flatMap((place) => place.objects.map((object) => [idOf(place, object), object] as const)),
  );
  const stays = (place: RenderedNamespace, object: RenderedObject): boolean => {
    const id = idOf(place, object);
    const after = kept.get(id);
    if (after !== undefined) return isStopped(object) || !isStopped(after);
    const owner = base.owners.get(id)?.integration;
    return head.failed.has(`${place.cluster}/${place.namespace}`) || (owner !== undefined && head.wrong.has(owner));
  };
  return base.namespaces.flatMap((place) =>
    place.objects.map((object): GuardedObject => {
      const { cluster, environment, namespace } = place;
      const goes = !stays(place, object);
      return { cluster, environment, namespace, kind: object.kind, name: object.metadata.name, goes };
    }),
  );
}

function isStopped({ spec }: RenderedObject): boolean {
  return isJson(spec) && (spec['replicas'] === 0 || spec['suspend'] === true);
}

function idOf({ cluster, namespace }: RenderedNamespace, object: RenderedNamespace['objects'][number]): string {
  return workloadKey(cluster, namespace, object.kind, object.metadata.name);
}
