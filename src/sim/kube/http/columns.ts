import { type Fields, fieldsAt, type KubeObject, listAt, valueAt } from '../objects.ts';

export interface Column {
  readonly name: string;
  readonly type?: 'string' | 'integer';
  readonly format?: string;
  /** Only with `-o wide`. */
  readonly wide?: true;
  readonly cell: (object: KubeObject, now: Date) => unknown;
}

const NONE = '<none>';

function numberAt(object: unknown, ...path: readonly string[]): number {
  const value = valueAt(object, ...path);
  return typeof value === 'number' ? value : 0;
}

function textAt(object: unknown, ...path: readonly string[]): string {
  const value = valueAt(object, ...path);
  return value === undefined || value === null || value === '' ? NONE : String(value);
}

function integer(name: string, ...path: readonly string[]): Column {
  return { name, type: 'integer', cell: (object) => numberAt(object, ...path) };
}

function text(name: string, ...path: readonly string[]): Column {
  return { name, cell: (object) => textAt(object, ...path) };
}

function selectorText(object: KubeObject, ...path: readonly string[]): string {
  const labels = Object.entries(fieldsAt(object, ...path));
  return labels.length === 0 ? NONE : labels.map(([key, value]) => `${key}=${String(value)}`).join(',');
}

function ofContainers(name: string, field: string, ...path: readonly string[]): Column {
  return {
    name,
    wide: true,
    cell: (object) =>
      (listAt(object, ...path, 'containers') as Fields[]).map((container) => container[field]).join(','),
  };
}

const TEMPLATE = ['spec', 'template', 'spec'];

function wide(column: Column): Column {
  return { ...column, wide: true };
}

const readyOf = (ready: string, wanted: readonly string[]): Column => ({
  name: 'Ready',
  cell: (object) => `${numberAt(object, 'status', ready)}/${numberAt(object, ...wanted)}`,
});

const selector: Column = {
  name: 'Selector',
  wide: true,
  cell: (object) => selectorText(object, 'spec', 'selector', 'matchLabels'),
};

const WORKLOAD_DETAILS = [
  ofContainers('Containers', 'name', ...TEMPLATE),
  ofContainers('Images', 'image', ...TEMPLATE),
];

/** Columns between Name and Age, and those of `-o wide`. */
export const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  Namespace: [text('Status', 'status', 'phase')],
  ConfigMap: [
    {
      name: 'Data',
      cell: (object) => Object.keys({ ...fieldsAt(object, 'data'), ...fieldsAt(object, 'binaryData') }).length,
    },
  ],
  Secret: [
    text('Type', 'type'),
    { name: 'Data', type: 'integer', cell: (object) => Object.keys(fieldsAt(object, 'data')).length },
  ],
  ServiceAccount: [{ name: 'Secrets', type: 'integer', cell: (object) => listAt(object, 'secrets').length }],
  Service: [
    text('Type', 'spec', 'type'),
    text('Cluster-IP', 'spec', 'clusterIP'),
    { name: 'External-IP', cell: (object) => textAt(object, 'spec', 'externalName') },
    { name: 'Port(s)', cell: servicePorts },
    { name: 'Selector', wide: true, cell: (object) => selectorText(object, 'spec', 'selector') },
  ],
  Pod: [
    { name: 'Ready', cell: readyContainers },
    { name: 'Status', cell: podStatus },
    { name: 'Restarts', cell: (object) => String(restarts(object)) },
    wide(text('IP', 'status', 'podIP')),
    wide(text('Node', 'spec', 'nodeName')),
    wide(text('Nominated Node', 'status', 'nominatedNodeName')),
    wide({ name: 'Readiness Gates', cell: () => NONE }),
  ],
  Event: [
    {
      name: 'Last Seen',
      cell: (object, now) =>
        ageText(String(valueAt(object, 'lastTimestamp') ?? object.metadata.creationTimestamp), now),
    },
    text('Type', 'type'),
    text('Reason', 'reason'),
    {
      name: 'Object',
      cell: (object) =>
        `${textAt(object, 'involvedObject', 'kind').toLowerCase()}/${textAt(object, 'involvedObject', 'name')}`,
    },
    text('Message', 'message'),
  ],
  Deployment: [
    readyOf('readyReplicas', ['spec', 'replicas']),
    { ...integer('Up-to-date', 'status', 'updatedReplicas'), type: 'string' },
    { ...integer('Available', 'status', 'availableReplicas'), type: 'string' },
    ...WORKLOAD_DETAILS,
    selector,
  ],
  ReplicaSet: [
    integer('Desired', 'spec', 'replicas'),
    integer('Current', 'status', 'replicas'),
    integer('Ready', 'status', 'readyReplicas'),
    ...WORKLOAD_DETAILS,
    selector,
  ],
  StatefulSet: [readyOf('readyReplicas', ['spec', 'replicas']), ...WORKLOAD_DETAILS],
  CronJob: [
    text('Schedule', 'spec', 'schedule'),
    text('Timezone', 'spec', 'timeZone'),
    { name: 'Suspend', cell: (object) => (valueAt(object, 'spec', 'suspend') === true ? 'True' : 'False') },
    { name: 'Active', type: 'integer', cell: (object) => listAt(object, 'status', 'active').length },
    {
      name: 'Last Schedule',
      cell: ({ status }, now) => sinceText(valueAt(status, 'lastScheduleTime'), now),
    },
    ofContainers('Containers', 'name', 'spec', 'jobTemplate', ...TEMPLATE),
    ofContainers('Images', 'image', 'spec', 'jobTemplate', ...TEMPLATE),
    { name: 'Selector', wide: true, cell: () => NONE },
  ],
  Job: [
    { name: 'Status', cell: jobStatus },
    {
      name: 'Completions',
      cell: (object) => `${numberAt(object, 'status', 'succeeded')}/${numberAt(object, 'spec', 'completions')}`,
    },
    {
      name: 'Duration',
      cell: jobDuration,
    },
    ...WORKLOAD_DETAILS,
    selector,
  ],
  Lease: [text('Holder', 'spec', 'holderIdentity')],
};

function servicePorts(object: KubeObject): string {
  const ports = listAt(object, 'spec', 'ports') as Fields[];
  if (ports.length === 0) return NONE;
  return ports
    .map(
      ({ port, nodePort, protocol }) =>
        `${String(port)}${nodePort === undefined ? '' : `:${String(nodePort)}`}/${String(protocol)}`,
    )
    .join(',');
}

function containerStatuses(object: KubeObject): Fields[] {
  return listAt(object, 'status', 'containerStatuses') as Fields[];
}

function readyContainers(object: KubeObject): string {
  const ready = containerStatuses(object).filter((status) => status['ready'] === true).length;
  return `${ready}/${listAt(object, 'spec', 'containers').length}`;
}

function restarts(object: KubeObject): number {
  return containerStatuses(object).reduce((sum, status) => sum + numberAt(status, 'restartCount'), 0);
}

function podStatus(object: KubeObject): string {
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const waiting = containerStatuses(object).map((status) => valueAt(status, 'state', 'waiting', 'reason'));
  const done = containerStatuses(object).map((status) => valueAt(status, 'state', 'terminated', 'reason'));
  return String([...waiting, ...done].find((reason) => reason !== undefined) ?? textAt(object, 'status', 'phase'));
}

function jobStatus(object: KubeObject): string {
  const conditions = (listAt(object, 'status', 'conditions') as Fields[])
    .filter(({ status }) => status === 'True')
    .map(({ type }) => type);
  if (conditions.includes('Complete')) return 'Complete';
  if (conditions.includes('Failed')) return 'Failed';
  return conditions.includes('Suspended') ? 'Suspended' : 'Running';
}

function sinceText(time: unknown, now: Date): string {
  return typeof time === 'string' ? ageText(time, now) : NONE;
}

function jobDuration(object: KubeObject, now: Date): string {
  const start = valueAt(object, 'status', 'startTime');
  const end = valueAt(object, 'status', 'completionTime');
  return typeof start === 'string' ? ageText(start, typeof end === 'string' ? new Date(end) : now) : '';
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** `45s`, `3m20s`, `5h`, `12d`: as short as kubectl prints it. */
export function ageText(since: string | undefined, now: Date): string {
  if (since === undefined || since === NONE) return '<unknown>';
  const seconds = Math.max(0, Math.floor((now.getTime() - Date.parse(since)) / 1000));
  const two = (big: number, bigUnit: string, small: number, smallUnit: string): string => {
    const rest = Math.floor((seconds % big) / small);
    return `${Math.floor(seconds / big)}${bigUnit}${rest === 0 ? '' : `${rest}${smallUnit}`}`;
  };
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return two(MINUTE, 'm', 1, 's');
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return two(HOUR, 'h', MINUTE, 'm');
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return two(DAY, 'd', HOUR, 'h');
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)}d`;
  return two(YEAR, 'y', DAY, 'd');
}
