import { type Fields, fieldsAt, isFields, listAt } from '../objects.ts';
import { compareQuantities } from '../quantity.ts';
import type { FieldError } from '../status.ts';
import { absentValue, duplicateValue, forbiddenField, invalidValue, required, unsupported } from './field-errors.ts';
import { checkLabelName, checkPortName, checkPortNumber, checkPortReference } from './names.ts';

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
export const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'];
const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];

function text(fields: Fields, name: string): string {
  return String(fields[name] ?? '');
}

export function checkContainers(
  containers: readonly Fields[],
  path: string,
  volumes: ReadonlySet<string>,
): FieldError[] {
  if (containers.length === 0) return [required(path)];
  const names = new Set<string>();
  return containers.flatMap((container, i) => {
    const at = `${path}[${i}]`;
    const name = text(container, 'name');
    const isRepeated = names.has(name);
    names.add(name);
    return [
      ...checkContainer(container, at, volumes),
      ...(isRepeated ? [duplicateValue(`${at}.name`, name)] : []),
      ...PROBES.flatMap((probe) => checkProbe(container[probe], `${at}.${probe}`)),
    ];
  });
}

export function checkInitContainers(
  containers: readonly Fields[],
  path: string,
  volumes: ReadonlySet<string>,
  others: readonly Fields[],
): FieldError[] {
  const names = new Set(others.map((container) => text(container, 'name')));
  return containers.flatMap((container, i) => {
    const at = `${path}[${i}]`;
    const name = text(container, 'name');
    const isRepeated = names.has(name);
    if (name !== '') names.add(name);
    return [
      ...checkContainer(container, at, volumes),
      ...(isRepeated ? [duplicateValue(`${at}.name`, name)] : []),
      ...(container['restartPolicy'] === 'Always'
        ? PROBES.flatMap((probe) => checkProbe(container[probe], `${at}.${probe}`))
        : ['lifecycle', ...PROBES]
            .filter((field) => container[field] !== undefined)
            .map((field) =>
              forbiddenField(`${at}.${field}`, 'may not be set for init containers without restartPolicy=Always'),
            )),
    ];
  });
}

function checkContainer(container: Fields, path: string, volumes: ReadonlySet<string>): FieldError[] {
  const name = text(container, 'name');
  return [
    ...(name === '' ? [required(`${path}.name`)] : checkLabelName(`${path}.name`, name)),
    ...(text(container, 'image') === '' ? [required(`${path}.image`)] : []),
    ...among(container, 'terminationMessagePolicy', path, MESSAGE_POLICIES),
    ...checkPorts(listAt(container, 'ports') as Fields[], `${path}.ports`),
    ...checkEnv(listAt(container, 'env') as Fields[], `${path}.env`),
    ...checkMounts(listAt(container, 'volumeMounts') as Fields[], `${path}.volumeMounts`, volumes),
    ...among(container, 'imagePullPolicy', path, PULL_POLICIES),
    ...checkResources(fieldsAt(container, 'resources'), `${path}.resources`),
  ];
}

function among(fields: Fields, name: string, path: string, values: readonly string[]): FieldError[] {
  const value = text(fields, name);
  return values.includes(value) ? [] : [unsupported(`${path}.${name}`, value, values)];
}

function checkPorts(ports: readonly Fields[], path: string): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const at = `${path}[${i}]`;
    const name = text(port, 'name');
    const number = Number(port['containerPort'] ?? 0);
    const hostPort = Number(port['hostPort'] ?? 0);
    const nameErrors = name === '' ? [] : checkPortName(`${at}.name`, name);
    const isRepeated = nameErrors.length === 0 && name !== '' && names.has(name);
    names.add(name);
    return [
      ...nameErrors,
      ...(isRepeated ? [duplicateValue(`${at}.name`, name)] : []),
      ...(number === 0 ? [required(`${at}.containerPort`)] : checkPortNumber(`${at}.containerPort`, number)),
      ...(hostPort === 0 ? [] : checkPortNumber(`${at}.hostPort`, hostPort)),
      ...among(port, 'protocol', at, PROTOCOLS),
    ];
  });
}

function checkEnv(variables: readonly Fields[], path: string): FieldError[] {
  return variables.flatMap((variable, i) => {
    const name = text(variable, 'name');
    const field = `${path}[${i}].name`;
    const detail = "a valid environment variable name must consist only of printable ASCII characters other than '='";
    const isValid = /^[\x20-\x3c\x3e-\x7e]+$/.test(name);
    return [
      ...(name === '' ? [required(field)] : isValid ? [] : [invalidValue(field, name, detail)]),
      ...checkValueFrom(variable, `${path}[${i}].valueFrom`),
    ];
  });
}

function checkValueFrom({ value, valueFrom }: Fields, path: string): FieldError[] {
  if (!isFields(valueFrom)) return [];
  const count = SOURCES.filter((source) => valueFrom[source] !== undefined).length;
  if (count === 0)
    return [
      invalidValue(
        path,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ),
    ];
  if ((value ?? '') !== '') return [invalidValue(path, '', 'may not be specified when `value` is not empty')];
  return count > 1 ? [invalidValue(path, '', 'may not have more than one field specified at a time')] : [];
}

function checkMounts(mounts: readonly Fields[], path: string, volumes: ReadonlySet<string>): FieldError[] {
  const points = new Set<string>();
  return mounts.flatMap((mount, i) => {
    const at = `${path}[${i}]`;
    const name = text(mount, 'name');
    const point = text(mount, 'mountPath');
    const isRepeated = points.has(point);
    points.add(point);
    return [
      ...(name === '' ? [required(`${at}.name`)] : []),
      ...(volumes.has(name) ? [] : [absentValue(`${at}.name`, name)]),
      ...(point === '' ? [required(`${at}.mountPath`)] : []),
      ...(isRepeated ? [invalidValue(`${at}.mountPath`, point, 'must be unique')] : []),
    ];
  });
}

function checkResources(resources: Fields, path: string): FieldError[] {
  const limits = fieldsAt(resources, 'limits') as Record<string, string>;
  const requests = fieldsAt(resources, 'requests') as Record<string, string>;
  const negative = (quantities: Record<string, string>, field: string): FieldError[] =>
    Object.entries(quantities)
      .filter(([, quantity]) => quantity.startsWith('-'))
      .map(([name, quantity]) =>
        invalidValue(`${path}.${field}[${name}]`, quantity, 'must be greater than or equal to 0'),
      );
  const excessive = Object.entries(requests).flatMap(([name, quantity]) => {
    const limit = limits[name];
    return limit !== undefined && compareQuantities(quantity, limit) > 0
      ? [invalidValue(`${path}.requests`, quantity, `must be less than or equal to ${name} limit of ${limit}`)]
      : [];
  });
  return [...negative(limits, 'limits'), ...negative(requests, 'requests'), ...excessive];
}

const COUNTS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];

function checkProbe(probe: unknown, path: string): FieldError[] {
  if (!isFields(probe)) return [];
  const handlers = HANDLERS.filter((handler) => probe[handler] !== undefined);
  const [first, ...more] = handlers;
  return [
    ...(first === undefined
      ? [required(path, 'must specify a handler type')]
      : checkHandler(fieldsAt(probe, first), first, `${path}.${first}`)),
    ...more.map((handler) => forbiddenField(`${path}.${handler}`, 'may not specify more than 1 handler type')),
    ...COUNTS.filter((count) => Number(probe[count] ?? 0) < 0).map((count) =>
      invalidValue(`${path}.${count}`, probe[count], 'must be greater than or equal to 0'),
    ),
    ...(!path.endsWith('readinessProbe') && probe['successThreshold'] !== 1 && Number(probe['successThreshold']) >= 0
      ? [invalidValue(`${path}.successThreshold`, probe['successThreshold'], 'must be 1')]
      : []),
  ];
}

function checkHandler(handler: Fields, kind: string, path: string): FieldError[] {
  if (kind === 'exec') return listAt(handler, 'command').length === 0 ? [required(`${path}.command`)] : [];
  return checkPortReference(`${path}.port`, handler['port']);
}
