import { deepEqual, type Fields, fieldsAt, type KubeObject } from './objects.ts';
import type { FieldError } from './status.ts';

/** Fields of a spec that a server never lets change. */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['selector'],
  ReplicaSet: ['selector'],
  Job: ['completions', 'selector', 'template'],
};

/** All others of a StatefulSet are fixed. */
const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

/** Changes that a server refuses whatever they are, so that a client has to recreate the object. */
export function immutableChanges(object: KubeObject, old: KubeObject): FieldError[] {
  const spec = fieldsAt(object, 'spec');
  const before = fieldsAt(old, 'spec');
  return [
    ...(object.metadata.uid === old.metadata.uid ? [] : [immutable('metadata.uid', object.metadata.uid)]),
    ...(FIXED[object.kind] ?? [])
      .filter((field) => !deepEqual(spec[field], before[field]))
      .map((field) => immutable(`spec.${field}`, spec[field])),
    ...(object.kind === 'StatefulSet' && !deepEqual(fixedOf(spec), fixedOf(before)) ? [statefulSetChange()] : []),
  ];
}

function fixedOf(spec: Fields): Fields {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !CHANGEABLE.includes(field)));
}

function immutable(field: string, value: unknown): FieldError {
  return {
    reason: 'FieldValueInvalid',
    field,
    body: `Invalid value: ${JSON.stringify(value ?? null)}: field is immutable`,
  };
}

function statefulSetChange(): FieldError {
  const names = CHANGEABLE.map((name) => `'${name}'`);
  const fields = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return {
    reason: 'FieldValueForbidden',
    field: 'spec',
    body: `Forbidden: updates to statefulset spec for fields other than ${fields} are forbidden`,
  };
}
