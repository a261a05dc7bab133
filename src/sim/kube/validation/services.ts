import { type Fields, fieldsAt, type KubeObject, listAt } from '../objects.ts';
import type { FieldError } from '../status.ts';
import { PROTOCOLS } from './containers.ts';
import { duplicateValue, IMMUTABLE, invalidValue, required, unsupported } from './field-errors.ts';
import { checkLabelName, checkLabels, checkPortNumber, checkPortReference, checkSubdomain } from './names.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];

export function checkService(object: KubeObject): FieldError[] {
  const spec = fieldsAt(object, 'spec');
  const ports = listAt(spec, 'ports') as Fields[];
  const needsPorts = spec['clusterIP'] !== 'None' && spec['type'] !== 'ExternalName';
  const names = new Set<string>();
  const affinity = String(spec['sessionAffinity'] ?? '');
  const type = String(spec['type'] ?? '');
  return [
    ...(ports.length === 0 && needsPorts ? [required('spec.ports')] : []),
    ...(type === 'ExternalName' ? checkExternalName(spec['externalName']) : []),
    ...ports.flatMap((port, i) => checkPort(port, `spec.ports[${i}]`, ports.length > 1, names)),
    ...checkLabels('spec.selector', fieldsAt(spec, 'selector') as Record<string, string>),
    ...(AFFINITIES.includes(affinity) ? [] : [unsupported('spec.sessionAffinity', affinity, AFFINITIES)]),
    ...(TYPES.includes(type) ? [] : [unsupported('spec.type', type, TYPES)]),
    ...checkRepeatedPorts(ports),
  ];
}

function checkExternalName(name: unknown): FieldError[] {
  const text = String(name ?? '').replace(/\.$/, '');
  return text === '' ? [required('spec.externalName')] : checkSubdomain('spec.externalName', text);
}

function checkPort(port: Fields, path: string, needsName: boolean, names: Set<string>): FieldError[] {
  const name = String(port['name'] ?? '');
  const protocol = String(port['protocol'] ?? '');
  const isRepeated = name !== '' && names.has(name);
  names.add(name);
  return [
    ...(needsName && name === '' ? [required(`${path}.name`)] : []),
    ...(name === '' ? [] : checkLabelName(`${path}.name`, name)),
    ...(isRepeated ? [duplicateValue(`${path}.name`, name)] : []),
    ...checkPortNumber(`${path}.port`, Number(port['port'] ?? 0)),
    ...(PROTOCOLS.includes(protocol) ? [] : [unsupported(`${path}.protocol`, protocol, PROTOCOLS)]),
    ...checkPortReference(`${path}.targetPort`, port['targetPort']),
  ];
}

function checkRepeatedPorts(ports: readonly Fields[]): FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap(({ port, protocol }, i) => {
    const key = `${String(port)}/${String(protocol)}`;
    const isRepeated = seen.has(key);
    seen.add(key);
    const told = { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    return isRepeated ? [duplicateValue(`spec.ports[${i}]`, told)] : [];
  });
}

export function checkServiceUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const spec = fieldsAt(object, 'spec');
  const before = fieldsAt(old, 'spec');
  const isFixed = spec['type'] !== 'ExternalName' && before['type'] !== 'ExternalName';
  const [address] = listAt(spec, 'clusterIPs');
  return [
    ...(isFixed && address !== listAt(before, 'clusterIPs')[0]
      ? [invalidValue('spec.clusterIPs[0]', listAt(spec, 'clusterIPs'), 'may not change once set')]
      : []),
    ...(isFixed && spec['clusterIP'] !== before['clusterIP'] && address === listAt(before, 'clusterIPs')[0]
      ? [invalidValue('spec.clusterIP', spec['clusterIP'], IMMUTABLE)]
      : []),
    ...checkService(object),
  ];
}
