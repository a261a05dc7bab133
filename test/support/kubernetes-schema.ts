import { validate as deployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as statefulSet } from 'kubernetes-models/_schemas/IoK8sApiAppsV1StatefulSet';
import { validate as cronJob } from 'kubernetes-models/_schemas/IoK8sApiBatchV1CronJob';
import { validate as namespace } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Namespace';
import { validate as secret } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Secret';
import { validate as service } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { validate as serviceAccount } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ServiceAccount';
import { validate as networkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy';
import { validate as disruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget';
import { validate as clusterRole } from 'kubernetes-models/_schemas/IoK8sApiRbacV1ClusterRole';
import { validate as clusterRoleBinding } from 'kubernetes-models/_schemas/IoK8sApiRbacV1ClusterRoleBinding';
import { validate as role } from 'kubernetes-models/_schemas/IoK8sApiRbacV1Role';
import { validate as roleBinding } from 'kubernetes-models/_schemas/IoK8sApiRbacV1RoleBinding';

interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: object;
}

/** A check compiled from the OpenAPI document that Kubernetes publishes. */
interface Validator {
  (data: unknown): boolean;
  readonly errors?: readonly SchemaError[] | null;
}

const VALIDATORS: Readonly<Record<string, Validator>> = {
  'apps/v1 Deployment': deployment as Validator,
  'apps/v1 StatefulSet': statefulSet as Validator,
  'batch/v1 CronJob': cronJob as Validator,
  'networking.k8s.io/v1 NetworkPolicy': networkPolicy as Validator,
  'policy/v1 PodDisruptionBudget': disruptionBudget as Validator,
  'rbac.authorization.k8s.io/v1 ClusterRole': clusterRole as Validator,
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding': clusterRoleBinding as Validator,
  'rbac.authorization.k8s.io/v1 Role': role as Validator,
  'rbac.authorization.k8s.io/v1 RoleBinding': roleBinding as Validator,
  'v1 Namespace': namespace as Validator,
  'v1 Secret': secret as Validator,
  'v1 Service': service as Validator,
  'v1 ServiceAccount': serviceAccount as Validator,
};

/** What Kubernetes would refuse in an object, as a strict server does: wrong types and fields that do not exist. */
export function schemaFaults(object: { readonly apiVersion: string; readonly kind: string }): string[] {
  const validate = VALIDATORS[`${object.apiVersion} ${object.kind}`];
  if (validate === undefined) return [`no schema for ${object.apiVersion} ${object.kind}`];
  const read = new Set<string>();
  const valid = validate(watched(object, '', read));
  const wrong = (valid ? [] : (validate.errors ?? [])).map(
    ({ instancePath, keyword, params }) => `${instancePath}: ${keyword} ${JSON.stringify(params)}`,
  );
  return [
    ...wrong,
    ...pathsOf(object)
      .filter((path) => !read.has(path))
      .map((path) => `${path}: no such field`),
  ];
}

/** The same data, noting what is read of it. A validator reads the fields that a type has, and no others. */
function watched<T extends object>(node: T, path: string, read: Set<string>): T {
  return new Proxy(node, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol') return value;
      read.add(`${path}/${key}`);
      return typeof value === 'object' && value !== null ? watched(value, `${path}/${key}`, read) : value;
    },
  });
}

/** Of every field and item; below one that is unknown nothing is told apart. */
function pathsOf(node: unknown, path = ''): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => [`${path}/${key}`, ...pathsOf(value, `${path}/${key}`)]);
}
