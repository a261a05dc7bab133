import { deepEqual, fieldsAt, type KubeObject } from '../objects.ts';
import type { FieldError } from '../status.ts';
import { forbiddenField, invalidValue, required, tooLong } from './field-errors.ts';
import { checkCronJob, checkCronJobUpdate, checkJob, checkJobUpdate } from './jobs.ts';
import { checkConfigKey } from './names.ts';
import { checkPodSpec, checkPodUpdate } from './pods.ts';
import { checkService, checkServiceUpdate } from './services.ts';
import {
  checkDeployment,
  checkImmutable,
  checkReplicaSet,
  checkStatefulSet,
  checkStatefulSetUpdate,
} from './workloads.ts';

export type CreateRule = (object: KubeObject) => FieldError[];
export type UpdateRule = (object: KubeObject, old: KubeObject) => FieldError[];

const DATA_LIMIT = 1024 * 1024;

function checkConfigMap(object: KubeObject): FieldError[] {
  const data = fieldsAt(object, 'data') as Record<string, string>;
  const binary = fieldsAt(object, 'binaryData') as Record<string, string>;
  const size = [...Object.values(data), ...Object.values(binary)].reduce((sum, value) => sum + value.length, 0);
  return [
    ...Object.keys(data).flatMap((key) => [
      ...checkConfigKey(`data[${key}]`, key),
      ...(Object.hasOwn(binary, key)
        ? [invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')]
        : []),
    ]),
    ...Object.keys(binary).flatMap((key) => checkConfigKey(`binaryData[${key}]`, key)),
    ...(size > DATA_LIMIT ? [tooLong('[]', DATA_LIMIT)] : []),
  ];
}

const NEEDED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

function checkSecret(object: KubeObject): FieldError[] {
  const data = fieldsAt(object, 'data') as Record<string, string>;
  const size = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value, 'base64'), 0);
  const needed = NEEDED_KEYS[String(object['type'])] ?? [];
  return [
    ...Object.keys(data).flatMap((key) => checkConfigKey(`data[${key}]`, key)),
    ...(size > DATA_LIMIT ? [tooLong('data', DATA_LIMIT)] : []),
    ...needed.filter((key) => !Object.hasOwn(data, key)).map((key) => required(`data[${key}]`)),
  ];
}

function checkFrozen(object: KubeObject, old: KubeObject): FieldError[] {
  if (old['immutable'] !== true) return [];
  return ['immutable', 'data', 'binaryData']
    .filter((field) => !deepEqual(object[field], old[field]))
    .map((field) => forbiddenField(field, 'field is immutable when `immutable` is set'));
}

function checkLease(object: KubeObject): FieldError[] {
  const spec = fieldsAt(object, 'spec');
  const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = spec;
  return [
    ...(seconds !== undefined && Number(seconds) <= 0
      ? [invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
      : []),
    ...(transitions !== undefined && Number(transitions) < 0
      ? [invalidValue('spec.leaseTransitions', transitions, 'must be greater than or equal to 0')]
      : []),
  ];
}

function checkEvent(object: KubeObject): FieldError[] {
  const { namespace = '' } = fieldsAt(object, 'involvedObject') as { namespace?: string };
  const own = object.metadata.namespace ?? '';
  const agrees = namespace === own || (namespace === '' && own === 'default');
  return agrees ? [] : [invalidValue('involvedObject.namespace', namespace, 'does not match event.namespace')];
}

const checkPod = (object: KubeObject): FieldError[] => checkPodSpec(fieldsAt(object, 'spec'), 'spec');

export const CREATE_RULES: Readonly<Record<string, CreateRule>> = {
  ConfigMap: checkConfigMap,
  Secret: checkSecret,
  Service: checkService,
  Pod: checkPod,
  Event: checkEvent,
  Deployment: checkDeployment,
  ReplicaSet: checkReplicaSet,
  StatefulSet: checkStatefulSet,
  CronJob: checkCronJob,
  Job: checkJob,
  Lease: checkLease,
};

function immutableSelector(object: KubeObject, old: KubeObject): FieldError[] {
  return checkImmutable(fieldsAt(object, 'spec'), fieldsAt(old, 'spec'), 'spec', 'selector');
}

export const UPDATE_RULES: Readonly<Record<string, UpdateRule>> = {
  ConfigMap: (object, old) => [...checkFrozen(object, old), ...checkConfigMap(object)],
  Secret: (object, old) => [
    ...checkImmutable(object, old, '', 'type'),
    ...checkFrozen(object, old),
    ...checkSecret(object),
  ],
  Service: checkServiceUpdate,
  Pod: (object, old) => [...checkPod(object), ...checkPodUpdate(object, old)],
  Deployment: (object, old) => [...checkDeployment(object), ...immutableSelector(object, old)],
  ReplicaSet: (object, old) => [...checkReplicaSet(object), ...immutableSelector(object, old)],
  StatefulSet: (object, old) => [...checkStatefulSet(object), ...checkStatefulSetUpdate(object, old)],
  CronJob: checkCronJobUpdate,
  Job: checkJobUpdate,
  Lease: checkLease,
};
