import type { Instance } from '../instance/index.ts';

/** An item with a shard of its own. */
export interface ShardItem {
  /** What the shard works on; shards are ordered by it. */
  readonly key: string;
  /** Its display name. */
  readonly name: string;
  /** Path of its datafile. */
  readonly file: string;
  /** Integrations disabled for it. */
  readonly disabledIntegrations: readonly string[];
  /** The suffix of the object name. */
  readonly suffix: string;
  /** The value of the strategy's flag. */
  readonly argument: string;
  /** How the values document refers to the shard of an override. */
  readonly reference: Readonly<Record<string, string>>;
}

/** How the work of an integration is divided into shards. To add one, add a row and its reader. */
export interface Strategy {
  readonly id: string;
  /** What an item is called in messages. */
  readonly what: string;
  /** The flag that passes a shard its item. */
  readonly flag?: string;
  /** The items of an instance, one shard each; undefined where the number of shards is set, not derived. */
  readonly items?: (instance: Instance) => readonly ShardItem[];
}

interface Named {
  readonly name: string;
  readonly file: string;
  readonly disabledIntegrations?: readonly string[];
}

/** Key, suffix and argument are the name itself. */
function byName({ name, file, disabledIntegrations = [] }: Named): ShardItem {
  return { key: name, name, file, disabledIntegrations, suffix: `-${name}`, argument: name, reference: { name } };
}

export const STRATEGIES: readonly Strategy[] = [
  { id: 'static', what: 'shard' },
  {
    id: 'per-aws-account',
    what: 'AWS account',
    flag: '--account-name',
    items: ({ accounts }) => accounts.map(byName),
  },
  {
    id: 'per-openshift-cluster',
    what: 'cluster',
    flag: '--cluster-name',
    items: ({ clusters }) => clusters.map(byName),
  },
  {
    id: 'per-ocm-organization',
    what: 'OCM organization',
    flag: '--org-id',
    // Organizations have a `disable` field too; existing fleets ignore it here.
    items: ({ organizations }) =>
      organizations.map(({ name, file, orgId }) => ({
        ...byName({ name, file }),
        key: orgId,
        suffix: `-${orgId.toLowerCase()}`,
        argument: orgId,
        reference: { name, orgId },
      })),
  },
  {
    id: 'per-ocm-environment',
    what: 'OCM environment',
    flag: '--ocm-env',
    items: ({ ocmEnvironments }) => ocmEnvironments.map(({ name, file }) => byName({ name, file })),
  },
  {
    id: 'per-cloudflare-zone',
    what: 'Cloudflare zone',
    flag: '--zone-name',
    items: ({ zones }) =>
      zones.map(({ identifier, file, accountName }) => {
        const key = accountName === undefined ? identifier : `${accountName}-${identifier}`;
        return { ...byName({ name: identifier, file }), key, suffix: `-${key}`, argument: identifier };
      }),
  },
];

const ALIASES: Readonly<Record<string, string>> = { 'per-cloudflare-dns-zone': 'per-cloudflare-zone' };

/** The strategy with this name or former name. */
export function strategyOf(name: string): Strategy | undefined {
  return STRATEGIES.find(({ id }) => id === (ALIASES[name] ?? name));
}
