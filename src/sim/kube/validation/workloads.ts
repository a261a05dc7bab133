import { deepEqual, type Fields, fieldsAt, isFields, type KubeObject, listAt } from '../objects.ts';
import { matchesLabelSelector } from '../selectors.ts';
import type { FieldError } from '../status.ts';
import { forbiddenField, IMMUTABLE, invalidValue, required, unsupported } from './field-errors.ts';
import { checkLabelName, checkLabels, checkQualifiedName } from './names.ts';
import { checkPodSpec, checkPodTemplate } from './pods.ts';

type Texts = Record<string, string>;

const NOT_NEGATIVE = 'must be greater than or equal to 0';

export function checkNonNegative(fields: Fields, path: string, ...names: readonly string[]): FieldError[] {
  return names
    .filter((name) => Number(fields[name] ?? 0) < 0)
    .map((name) => invalidValue(`${path}.${name}`, fields[name], NOT_NEGATIVE));
}

export function checkDeployment(object: KubeObject): FieldError[] {
  const spec = fieldsAt(object, 'spec');
  const { progressDeadlineSeconds: deadline, minReadySeconds: ready = 0 } = spec;
  return [
    ...checkNonNegative(spec, 'spec', 'replicas'),
    ...checkSelector(spec, 'deployment', 'invalid label selector'),
    ...checkReplicaTemplate(spec),
    ...checkStrategy(fieldsAt(spec, 'strategy')),
    ...checkNonNegative(spec, 'spec', 'minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'),
    ...(deadline !== undefined && Number(deadline) <= Number(ready)
      ? [invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')]
      : []),
  ];
}

export function checkReplicaSet(object: KubeObject): FieldError[] {
  const spec = fieldsAt(object, 'spec');
  return [
    ...checkNonNegative(spec, 'spec', 'replicas', 'minReadySeconds'),
    ...checkSelector(spec, 'replicaset', 'invalid label selector'),
    ...checkReplicaTemplate(spec),
  ];
}

export function checkStatefulSet(object: KubeObject): FieldError[] {
  const spec = fieldsAt(object, 'spec');
  const template = fieldsAt(spec, 'template');
  const claims = (listAt(spec, 'volumeClaimTemplates') as KubeObject[]).map(({ metadata }) => metadata.name);
  const labels = fieldsAt(template, 'metadata', 'labels') as Texts;
  return [
    ...checkManagement(spec),
    ...checkNonNegative(spec, 'spec', 'replicas', 'minReadySeconds'),
    ...checkServiceName(String(spec['serviceName'] ?? '')),
    ...checkSelector(spec, 'statefulset', ''),
    ...checkLabels('spec.template.labels', labels),
    ...checkPodSpec(fieldsAt(template, 'spec'), 'spec.template.spec', claims),
    ...checkLabels('spec.template.labels', labels),
    ...checkAlwaysRestarted(template),
  ];
}

function checkServiceName(name: string): FieldError[] {
  return name === '' ? [] : checkLabelName('spec.serviceName', name);
}

/** Whole structs are told in the words of the server. */
function withGoNames({ type, rollingUpdate }: Fields): Fields {
  return { Type: type, RollingUpdate: rollingUpdate ?? null };
}

function checkManagement(spec: Fields): FieldError[] {
  const policy = spec['podManagementPolicy'];
  const strategy = fieldsAt(spec, 'updateStrategy');
  return [
    ...(policy === 'OrderedReady' || policy === 'Parallel'
      ? []
      : [invalidValue('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")]),
    ...(strategy['type'] === 'RollingUpdate' || strategy['type'] === 'OnDelete'
      ? []
      : [invalidValue('spec.updateStrategy', withGoNames(strategy), "must be 'RollingUpdate' or 'OnDelete'")]),
    ...(strategy['type'] === 'OnDelete' && strategy['rollingUpdate'] !== undefined
      ? [
          invalidValue(
            'spec.updateStrategy.rollingUpdate',
            { Partition: fieldsAt(strategy, 'rollingUpdate')['partition'] ?? 0, MaxUnavailable: null },
            "only allowed for updateStrategy 'RollingUpdate'",
          ),
        ]
      : []),
  ];
}

function checkReplicaTemplate(spec: Fields): FieldError[] {
  const template = fieldsAt(spec, 'template');
  return [...checkPodTemplate(template, 'spec.template'), ...checkAlwaysRestarted(template)];
}

function checkAlwaysRestarted(template: Fields): FieldError[] {
  const spec = fieldsAt(template, 'spec');
  return [
    ...(spec['restartPolicy'] === 'Always'
      ? []
      : [unsupported('spec.template.spec.restartPolicy', spec['restartPolicy'], ['Always'])]),
  ];
}

/** The selector of a workload: there, not empty, and of its own pods. */
function checkSelector(spec: Fields, noun: string, invalid: string): FieldError[] {
  const { selector } = spec;
  const labels = fieldsAt(spec, 'template', 'metadata')['labels'];
  const mismatch = invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`');
  if (!isFields(selector)) return [required('spec.selector'), mismatch];
  const expressions = listAt(selector, 'matchExpressions') as Fields[];
  const isEmpty = expressions.length === 0 && Object.keys(fieldsAt(selector, 'matchLabels')).length === 0;
  const errors = [
    ...checkLabels('spec.selector.matchLabels', fieldsAt(selector, 'matchLabels') as Texts),
    ...expressions.flatMap((expression, i) => checkExpression(expression, `spec.selector.matchExpressions[${i}]`)),
    ...(isEmpty ? [invalidValue('spec.selector', selector, `empty selector is invalid for ${noun}`)] : []),
  ];
  if (expressions.some((expression) => checkExpression(expression, '').length > 0))
    return [...errors, invalidValue('spec.selector', selector, invalid)];
  if (isEmpty || matchesLabelSelector(selector, (labels ?? {}) as Texts)) return errors;
  return [...errors, mismatch];
}

function checkExpression({ key, operator, values }: Fields, path: string): FieldError[] {
  const given = Array.isArray(values) ? values.length : 0;
  const field = `${path}.values`;
  const errors: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (given === 0) errors.push(required(field, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (given > 0)
      errors.push(forbiddenField(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else errors.push(invalidValue(`${path}.operator`, operator, 'not a valid selector operator'));
  return [...errors, ...checkQualifiedName(`${path}.key`, String(key), 'a valid label key')];
}

function checkStrategy(strategy: Fields): FieldError[] {
  const path = 'spec.strategy';
  const { type, rollingUpdate } = strategy;
  if (type === 'Recreate') {
    const why = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate === undefined ? [] : [forbiddenField(`${path}.rollingUpdate`, why)];
  }
  if (type !== 'RollingUpdate') return [unsupported(path, withGoNames(strategy), ['Recreate', 'RollingUpdate'])];
  const { maxUnavailable, maxSurge } = fieldsAt(strategy, 'rollingUpdate');
  const field = `${path}.rollingUpdate.maxUnavailable`;
  return [
    ...checkShare(field, maxUnavailable),
    ...checkShare(`${path}.rollingUpdate.maxSurge`, maxSurge),
    ...(shareOf(maxUnavailable) === 0 && shareOf(maxSurge) === 0
      ? [invalidValue(field, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...(typeof maxUnavailable === 'string' && shareOf(maxUnavailable) > 100
      ? [invalidValue(field, maxUnavailable, 'must not be greater than 100%')]
      : []),
  ];
}

const PERCENT = /^[0-9]+%$/;

function shareOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && PERCENT.test(value) ? Number(value.slice(0, -1)) : 0;
}

function checkShare(field: string, value: unknown): FieldError[] {
  if (typeof value === 'number') return value < 0 ? [invalidValue(field, value, NOT_NEGATIVE)] : [];
  if (PERCENT.test(String(value))) return [];
  const why =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
  return [invalidValue(field, value, why)];
}

const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];
const NOT_CHANGEABLE =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

export function checkStatefulSetUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const fixed = (of: KubeObject): Fields =>
    Object.fromEntries(Object.entries(fieldsAt(of, 'spec')).filter(([name]) => !CHANGEABLE.includes(name)));
  return deepEqual(fixed(object), fixed(old)) ? [] : [forbiddenField('spec', NOT_CHANGEABLE)];
}

export function checkImmutable(object: Fields, old: Fields, path: string, ...names: readonly string[]): FieldError[] {
  return names
    .filter((name) => !deepEqual(object[name], old[name]))
    .map((name) => invalidValue(path === '' ? name : `${path}.${name}`, object[name], IMMUTABLE));
}
