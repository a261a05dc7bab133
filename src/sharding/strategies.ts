import type { Instance } from '../instance/index.ts';

/** Something that gets a shard of its own. */
export interface ShardItem {
  /** By which people name it. */
  readonly name: string;
  /** Path of its datafile. */
  readonly file: string;
  /** Integrations that are switched off for it. */
  readonly disabledIntegrations: readonly string[];
}

/** A way to divide the work of an integration. Adding one is adding a row and its reader. */
export interface Strategy {
  readonly id: string;
  /** What an item is called in messages. */
  readonly what: string;
  /** The items of an instance, one shard each; undefined where the number of shards is given, not derived. */
  readonly items?: (instance: Instance) => readonly ShardItem[];
}

const neverDisabled = <T extends object>(item: T): T & { disabledIntegrations: readonly string[] } => ({
  ...item,
  disabledIntegrations: [],
});

export const STRATEGIES: readonly Strategy[] = [
  { id: 'static', what: 'shard' },
  { id: 'per-aws-account', what: 'AWS account', items: ({ accounts }) => accounts },
  { id: 'per-openshift-cluster', what: 'cluster', items: ({ clusters }) => clusters },
  // Organizations have a `disable` too; existing fleets run their shards all the same.
  {
    id: 'per-ocm-organization',
    what: 'OCM organization',
    items: ({ organizations }) => organizations.map(({ name, file }) => neverDisabled({ name, file })),
  },
  {
    id: 'per-ocm-environment',
    what: 'OCM environment',
    items: ({ ocmEnvironments }) => ocmEnvironments.map(({ name, file }) => neverDisabled({ name, file })),
  },
  {
    id: 'per-cloudflare-zone',
    what: 'Cloudflare zone',
    items: ({ zones }) => zones.map(({ identifier, file }) => neverDisabled({ name: identifier, file })),
  },
];

const ALIASES: Readonly<Record<string, string>> = { 'per-cloudflare-dns-zone': 'per-cloudflare-zone' };

/** The strategy of a name, older names included. */
export function strategyOf(name: string): Strategy | undefined {
  return STRATEGIES.find(({ id }) => id === (ALIASES[name] ?? name));
}
