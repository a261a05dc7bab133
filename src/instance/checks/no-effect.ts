import type { Managed } from '../domain/integration.ts';
import type { Instance } from '../domain/read-instance.ts';
import type { Finding } from '../problem.ts';

type Spec = Managed['spec'];

interface NoEffectRow {
  readonly when: (spec: Spec) => boolean;
  readonly fields: readonly (keyof Spec)[];
  readonly why: string;
}

const ROWS: readonly NoEffectRow[] = [
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
  return ROWS.filter(({ when }) => when(spec)).flatMap(({ fields, why }) =>
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
