import { serverAddress } from '../../base/index.ts';
import type { Resources } from '../domain/fields.ts';
import type { Managed } from '../domain/integration.ts';
import { ALL_KINDS, type DatafileKind } from '../domain/kinds.ts';
import type { Instance } from '../domain/read-instance.ts';
import type { Finding, KeyPath } from '../problem.ts';
import { fileOf, type Snapshot } from '../snapshot.ts';

/** Two entries of one integration for one namespace, also under two cluster names, would fight over the same workloads. */
export function managedTwice(instance: Instance): Finding[] {
  return instance.integrations.flatMap((integration) => {
    const seen = new Set<string>();
    return integration.managed.flatMap((entry): Finding[] => {
      const { cluster, name } = entry.namespace;
      const target = `${serverAddress(cluster.serverUrl) ?? cluster.name}/${name}`;
      if (seen.has(target)) return [managedTwiceFinding(integration, entry, integration.file)];
      seen.add(target);
      return [];
    });
  });
}

/** The finding for the second entry; the first may be in another file. */
export function managedTwiceFinding(
  { name, file }: Pick<Instance['integrations'][number], 'name' | 'file'>,
  { namespace, keys }: Pick<Managed, 'namespace' | 'keys'>,
  firstFile: string,
): Finding {
  const elsewhere = firstFile === file ? '' : `, first in data${firstFile}`;
  return {
    rule: 'managed-twice',
    severity: 'error',
    path: file,
    keys: [...keys, 'namespace'],
    message: `${name} is managed twice in ${namespace.cluster.name}/${namespace.name}${elsewhere}`,
    hint: 'merge the two entries',
  };
}

interface NamedServer {
  readonly name: string;
  readonly serverUrl: string;
  readonly file: string;
  readonly keys: Finding['keys'];
}

/** Two cluster names for one API server, reported once for each further name. */
export function sameServer({ clusters, namespaces }: Instance): Finding[] {
  const named: NamedServer[] = [
    ...clusters.map(({ name, serverUrl, file }) => ({ name, serverUrl, file, keys: ['serverUrl'] })),
    ...namespaces
      .filter(({ lean }) => lean)
      .map(({ cluster, file }) => ({
        name: cluster.name,
        serverUrl: cluster.serverUrl,
        file,
        keys: ['cluster', 'serverUrl'],
      })),
  ];
  const first = new Map<string, NamedServer>();
  const known = new Set<string>();
  return named.flatMap((one): Finding[] => {
    const address = serverAddress(one.serverUrl);
    if (address === undefined || known.has(`${address} ${one.name}`)) return [];
    known.add(`${address} ${one.name}`);
    const earlier = first.get(address);
    if (earlier !== undefined) return [secondName(one, earlier)];
    first.set(address, one);
    return [];
  });
}

function secondName({ name, serverUrl, file, keys }: NamedServer, earlier: NamedServer): Finding {
  return {
    rule: 'same-server',
    severity: 'warning',
    path: file,
    keys,
    message: `cluster ${name} has the same API server as cluster ${earlier.name} in ${fileOf(earlier.file)}: ${serverUrl}`,
    hint: 'use one cluster name for it; until then the manager treats both as one cluster',
  };
}

/** The same name in two files, reported in each file after the first. Names used for lookups must be unique. */
export function duplicateNames(snapshot: Snapshot): Finding[] {
  const kinds = new Map<string | undefined, DatafileKind>(ALL_KINDS.map((kind) => [kind.schema, kind]));
  const first = new Map<string, string>();
  return [...snapshot.datafiles.values()].flatMap((file) => {
    const { unique = {}, uniqueWithin = () => '' } = kinds.get(file.schema) ?? {};
    const within = uniqueWithin(file.content);
    return Object.entries(unique).flatMap(([field, what]): Finding[] => {
      const value = file.content[field];
      if (within === undefined || typeof value !== 'string') return [];
      const key = JSON.stringify([what, within, value]);
      const earlier = first.get(key);
      if (earlier !== undefined) return [duplicate(file.path, field, `${what} ${value}`, earlier)];
      first.set(key, file.path);
      return [];
    });
  });
}

function duplicate(path: string, field: string, name: string, earlier: string): Finding {
  return {
    rule: 'duplicate-name',
    severity: 'error',
    path,
    keys: [field],
    message: `${name} is already defined in ${fileOf(earlier)}`,
    hint: field === 'name' ? 'rename or remove one of them' : `correct ${field} in one of them`,
  };
}

type Spec = Managed['spec'];

interface NoEffectRow {
  readonly when: (spec: Spec) => boolean;
  readonly fields: readonly (keyof Spec)[];
  readonly why: string;
}

const NO_EFFECT: readonly NoEffectRow[] = [
  {
    when: ({ cron }) => cron !== undefined,
    fields: ['cache', 'sleepDurationSecs', 'logs', 'fluentdResources', 'trigger'],
    why: 'the integration runs on a schedule',
  },
  {
    when: ({ cron }) => cron === undefined,
    fields: [
      'concurrencyPolicy',
      'restartPolicy',
      'successfulJobHistoryLimit',
      'failedJobHistoryLimit',
      'dashdotdb',
      'enablePushgateway',
    ],
    why: 'the integration runs in a loop: it has no cron',
  },
  { when: ({ cache }) => cache !== true, fields: ['storage', 'storageClassName'], why: 'cache is not set' },
];

/** Settings that are valid but have no effect, so their author is probably mistaken. */
export function settingsWithoutEffect(instance: Instance): Finding[] {
  return instance.integrations.flatMap(({ file, managed }) =>
    managed.flatMap((entry) => [...inSpec(file, entry), ...inSharding(file, entry)]),
  );
}

function inSharding(path: string, { sharding, namespace, keys }: Managed): Finding[] {
  const findings: Finding[] = [];
  const at = { rule: 'no-effect', severity: 'warning', path, at: 'key' } as const;
  if (sharding.strategy !== 'static' && sharding.shards !== undefined) {
    const message = `shards has no effect, since ${sharding.strategy} derives the number from the data`;
    findings.push({ ...at, keys: [...keys, 'sharding', 'shards'], message, hint: 'remove it' });
  }
  if (namespace.delete) {
    const message = `the namespace ${namespace.cluster.name}/${namespace.name} is marked for deletion`;
    findings.push({ ...at, keys: [...keys, 'namespace'], message, hint: 'remove the entry from managed' });
  }
  return findings;
}

function inSpec(path: string, { spec, keys }: Managed): Finding[] {
  return NO_EFFECT.filter(({ when }) => when(spec)).flatMap(({ fields, why }) =>
    fields
      .filter((field) => spec[field] !== undefined && spec[field] !== false)
      .map((field) => ({
        rule: 'no-effect',
        severity: 'warning',
        path,
        keys: [...keys, 'spec', field],
        at: 'key',
        message: `${field} has no effect, since ${why}`,
        hint: 'remove it',
      })),
  );
}

const PARTS = ['requests', 'limits'] as const;

/**
 * Resources with only requests or only limits. The JSON schemas accept them, but the types of a qontract-server require
 * both, so its query fails and the existing manager stops as a whole.
 */
export function partialResources(instance: Instance): Finding[] {
  return instance.integrations.flatMap(({ file, managed }) =>
    managed.flatMap((entry) =>
      written(entry).flatMap(({ resources, keys }) => partial(resources, file, [...entry.keys, ...keys])),
    ),
  );
}

interface WrittenResources {
  readonly resources: Resources | undefined;
  readonly keys: KeyPath;
}

function written({ spec, sharding }: Managed): WrittenResources[] {
  return [
    { resources: spec.resources, keys: ['spec', 'resources'] },
    { resources: spec.fluentdResources, keys: ['spec', 'fluentdResources'] },
    ...sharding.overrides.map(({ resources }, index) => ({
      resources,
      keys: ['sharding', 'shardSpecOverrides', index, 'resources'],
    })),
  ];
}

function partial(resources: Resources | undefined, path: string, keys: KeyPath): Finding[] {
  const [missing, other] = PARTS.filter((part) => resources?.[part] === undefined);
  if (resources === undefined || missing === undefined || other !== undefined) return [];
  return [
    {
      rule: 'resources-not-served',
      severity: 'warning',
      path,
      keys,
      at: 'key',
      message: `resources without ${missing}: a qontract-server requires both, and the existing manager stops`,
      hint: `add ${missing}`,
    },
  ];
}
