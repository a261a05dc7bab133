import { defined } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { ANNOTATION, objectHash } from './object-hash.ts';
import { labelsOf, type OwnershipLabels } from './ownership-labels.ts';
import type { OwnedOptions } from './plan-options.ts';

/** Labels each rendered object once, so that a pass over an unchanged instance only compares. */
const OWNED = new WeakMap<KubeObject, { readonly key: string; readonly object: KubeObject }>();

export function owned(object: KubeObject, { caller, instance, environment }: OwnedOptions): KubeObject {
  const key = JSON.stringify([caller, instance, environment]);
  const known = OWNED.get(object);
  if (known?.key === key) return known.object;
  const labelled = withOwnership(object, caller, { environment, ...defined({ instance }) });
  OWNED.set(object, { key, object: labelled });
  return labelled;
}

/** The object with its ownership labels and annotations; the hash excludes them, as in existing fleets. */
function withOwnership(object: KubeObject, caller: string, ownership: OwnershipLabels): KubeObject {
  const annotations = (object.metadata['annotations'] ?? {}) as Readonly<Record<string, string>>;
  const labels = (object.metadata['labels'] ?? {}) as Readonly<Record<string, string>>;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...labels, ...labelsOf(ownership) },
      annotations: {
        ...annotations,
        [ANNOTATION.integration]: 'integrations-manager',
        [ANNOTATION.version]: '0.1.0',
        [ANNOTATION.sha256sum]: objectHash(object),
        [ANNOTATION.caller]: caller,
      },
    },
  };
}
