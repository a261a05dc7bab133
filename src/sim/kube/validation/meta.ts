import { deepEqual, type ObjectMeta } from '../objects.ts';
import type { Resource } from '../resources.ts';
import type { FieldError } from '../status.ts';
import { IMMUTABLE, invalidValue, required } from './field-errors.ts';
import {
  checkAnnotations,
  checkLabel1035,
  checkLabelName,
  checkLabels,
  checkQualifiedName,
  checkSubdomain,
  type NameCheck,
} from './names.ts';

const NAME_CHECKS: Readonly<Record<string, NameCheck>> = {
  Namespace: checkLabelName,
  Service: checkLabel1035,
  StatefulSet: checkLabelName,
};

export function checkMeta(resource: Resource, metadata: ObjectMeta): FieldError[] {
  const { name, generateName = '', labels = {}, annotations = {}, finalizers = [] } = metadata;
  const checkName = NAME_CHECKS[resource.kind] ?? checkSubdomain;
  const nameErrors =
    name === '' || name === undefined
      ? [required('metadata.name', 'name or generateName is required')]
      : checkName('metadata.name', name);
  return [
    ...checkName('metadata.generateName', generateName.replace(/-$/, 'a')).filter(() => generateName !== ''),
    ...nameErrors,
    ...checkLabels('metadata.labels', labels),
    ...checkAnnotations('metadata.annotations', annotations),
    ...finalizers.flatMap(checkFinalizer),
    ...checkOwners(metadata),
  ];
}

const OWN_FINALIZERS = ['foregroundDeletion', 'orphan', 'kubernetes'];

function checkFinalizer(finalizer: string, i: number): FieldError[] {
  const field = `metadata.finalizers[${i}]`;
  const isQualified = finalizer.includes('/') || OWN_FINALIZERS.includes(finalizer);
  return [
    ...checkQualifiedName('metadata.finalizers', finalizer),
    ...(isQualified
      ? []
      : [invalidValue(field, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')]),
  ];
}

function checkOwners({ ownerReferences = [] }: ObjectMeta): FieldError[] {
  return ownerReferences.flatMap((owner, i) => {
    const field = 'metadata.ownerReferences';
    return [
      ...(owner.apiVersion === '' ? [invalidValue(`${field}.apiVersion`, '', 'version must not be empty')] : []),
      ...(owner.kind === '' ? [invalidValue(`${field}.kind`, '', 'must not be empty')] : []),
      ...(owner.name === '' ? [invalidValue(`${field}.name`, '', 'must not be empty')] : []),
      ...(owner.uid === '' ? [invalidValue(`${field}.uid`, '', 'must not be empty')] : []),
      ...(owner.controller === true && ownerReferences.slice(0, i).some(({ controller }) => controller === true)
        ? [invalidValue(field, ownerReferences, 'Only one reference can have Controller set to true')]
        : []),
    ];
  });
}

export function checkMetaUpdate(resource: Resource, metadata: ObjectMeta, old: ObjectMeta): FieldError[] {
  const errors = checkMeta(resource, metadata);
  for (const field of ['name', 'namespace', 'uid', 'creationTimestamp'] as const) {
    if (metadata[field] !== old[field]) errors.push(invalidValue(`metadata.${field}`, metadata[field], IMMUTABLE));
  }
  if (old.deletionTimestamp !== undefined && !deepEqual(added(metadata.finalizers, old.finalizers), []))
    errors.push({
      type: 'Forbidden',
      field: 'metadata.finalizers',
      body: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${added(
        metadata.finalizers,
        old.finalizers,
      )
        .map((each) => JSON.stringify(each))
        .join(', ')}}`,
    });
  return errors;
}

function added(now: readonly string[] = [], before: readonly string[] = []): string[] {
  return now.filter((finalizer) => !before.includes(finalizer));
}
