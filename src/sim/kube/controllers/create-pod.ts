import { defined } from '../../../base/index.ts';
import { type Fields, fieldsAt, type KubeObject } from '../objects.ts';
import { PODS } from '../resources.ts';
import type { ControlContext } from './context.ts';
import { createObject, ownerOf } from './write-as.ts';

interface Particulars {
  /** Generated when left out. */
  readonly name?: string;
  /** On top of those of the template. */
  readonly labels?: Fields;
  readonly spec?: Fields;
}

/** A pod of the template of its controller. */
export function createPod(owner: KubeObject, context: ControlContext, { name, labels, spec }: Particulars = {}): void {
  const { namespace = '' } = owner.metadata;
  const template = fieldsAt(owner, 'spec', 'template');
  const { annotations } = fieldsAt(template, 'metadata');
  const metadata = {
    ...defined({ name }),
    generateName: `${owner.metadata.name}-`,
    namespace,
    labels: { ...fieldsAt(template, 'metadata', 'labels'), ...labels },
    ...defined({ annotations }),
    ownerReferences: [ownerOf(owner)],
  };
  createObject(PODS, namespace, { metadata, spec: { ...fieldsAt(template, 'spec'), ...spec } }, context);
}
