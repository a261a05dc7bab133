import { deepEqual, type Fields, fieldsAt, listAt } from '../objects.ts';
import type { FieldError } from '../status.ts';
import { checkContainers, checkInitContainers } from './containers.ts';
import { duplicateValue, forbiddenField, required, unsupported } from './field-errors.ts';
import { checkAnnotations, checkLabelName, checkLabels, checkSubdomain } from './names.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

type Texts = Record<string, string>;

/** A template of pods, without what the workload around it asks for. */
export function checkPodTemplate(template: Fields, path: string): FieldError[] {
  const metadata = fieldsAt(template, 'metadata');
  return [
    ...checkLabels(`${path}.labels`, fieldsAt(metadata, 'labels') as Texts),
    ...checkAnnotations(`${path}.annotations`, fieldsAt(metadata, 'annotations') as Texts),
    ...checkPodSpec(fieldsAt(template, 'spec'), `${path}.spec`),
  ];
}

export function checkPodSpec(spec: Fields, path: string, moreVolumes: readonly string[] = []): FieldError[] {
  const volumes = new Set(moreVolumes);
  const containers = listAt(spec, 'containers') as Fields[];
  const account = String(spec['serviceAccountName'] ?? '');
  return [
    ...checkVolumes(listAt(spec, 'volumes') as Fields[], `${path}.volumes`, volumes),
    ...checkContainers(containers, `${path}.containers`, volumes),
    ...checkInitContainers(listAt(spec, 'initContainers') as Fields[], `${path}.initContainers`, volumes, containers),
    ...among(spec, 'restartPolicy', path, RESTART_POLICIES),
    ...among(spec, 'dnsPolicy', path, DNS_POLICIES),
    ...checkLabels(`${path}.nodeSelector`, fieldsAt(spec, 'nodeSelector') as Texts),
    ...(account === '' ? [] : checkSubdomain(`${path}.serviceAccountName`, account)),
  ];
}

function among(spec: Fields, name: string, path: string, values: readonly string[]): FieldError[] {
  const value = String(spec[name] ?? '');
  return values.includes(value) ? [] : [unsupported(`${path}.${name}`, value, values)];
}

/** The order in which the server looks at them; all but the first are too many. */
const SOURCES = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];

/** Adds the names of the valid ones to the set. */
function checkVolumes(volumes: readonly Fields[], path: string, names: Set<string>): FieldError[] {
  return volumes.flatMap((volume, i) => {
    const at = `${path}[${i}]`;
    const name = String(volume['name'] ?? '');
    const [, ...more] = SOURCES.filter((source) => volume[source] !== undefined);
    const errors = [
      ...more.map((source) => forbiddenField(`${at}.${source}`, 'may not specify more than 1 volume type')),
      ...checkSource(volume, at),
      ...(name === '' ? [required(`${at}.name`)] : checkLabelName(`${at}.name`, name)),
      ...(names.has(name) ? [duplicateValue(`${at}.name`, name)] : []),
    ];
    if (errors.length === 0) names.add(name);
    return errors;
  });
}

const NEEDED: Readonly<Record<string, string>> = {
  hostPath: 'path',
  secret: 'secretName',
  configMap: 'name',
  persistentVolumeClaim: 'claimName',
};

function checkSource(volume: Fields, path: string): FieldError[] {
  const [first = ''] = SOURCES.filter((source) => volume[source] !== undefined);
  const needed = NEEDED[first];
  return needed !== undefined && (fieldsAt(volume, first)[needed] ?? '') === ''
    ? [required(`${path}.${first}.${needed}`)]
    : [];
}

const ONLY_THESE_CHANGE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Almost nothing of a pod can be changed. */
export function checkPodUpdate(object: Fields, old: Fields): FieldError[] {
  return deepEqual(fixedPart(fieldsAt(object, 'spec')), fixedPart(fieldsAt(old, 'spec')))
    ? []
    : [forbiddenField('spec', ONLY_THESE_CHANGE)];
}

function fixedPart({ activeDeadlineSeconds: _, tolerations: __, ...spec }: Fields): Fields {
  const withoutImage = ({ image: ___, ...container }: Fields): Fields => container;
  return {
    ...spec,
    containers: (listAt(spec, 'containers') as Fields[]).map(withoutImage),
    initContainers: (listAt(spec, 'initContainers') as Fields[]).map(withoutImage),
  };
}
