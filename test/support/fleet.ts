import type { Instance } from '../../src/instance/index.ts';
import { readInstance } from '../../src/instance/index.ts';
import {
  account,
  cluster,
  handMadeSnapshot,
  integration,
  leanNamespace,
  managedIn,
  ocmEnvironment,
  organization,
  ref,
  zone,
} from './hand-made-snapshot.ts';

type Content = Readonly<Record<string, unknown>>;

/** The flags of every strategy, that the work is divided, by either membership, and that pods can be probed. */
const EVERYTHING = [
  ...['--account-name', '--cluster-name', '--org-id', '--ocm-env', '--zone-name'],
  ...['SHARDS', 'SHARD_MEMBERSHIP', '/healthz'],
];

/** Accounts, clusters and organizations as the tests of the existing manager have them, and a few zones. */
export const FLEET: Readonly<Record<string, Content>> = {
  '/ns.yml': leanNamespace('ns'),
  '/aws/acc-1.yml': account('acc-1'),
  '/aws/acc-2.yml': account('acc-2', { disable: null }),
  '/aws/acc-3.yml': account('acc-3', { disable: { integrations: [] } }),
  '/aws/acc-4.yml': account('acc-4', { disable: { integrations: ['aws-integration'] } }),
  '/clusters/cluster-1.yml': cluster('cluster-1'),
  '/clusters/cluster-2.yml': cluster('cluster-2'),
  '/ocm/live.yml': ocmEnvironment('live'),
  '/orgs/1.yml': organization('org-1', '/ocm/live.yml', { orgId: 'org-id-A' }),
  '/orgs/2.yml': organization('org-2', '/ocm/live.yml', { orgId: 'org-id-B' }),
  '/orgs/3.yml': organization('org-3', '/ocm/live.yml', { orgId: 'org-id-C' }),
  '/cloudflare/main.yml': { $schema: '/cloudflare/account-1.yml', name: 'main' },
  '/zones/web.yml': zone('web', { account: ref('/cloudflare/main.yml') }),
  '/zones/lost.yml': zone('lost'),
};

export interface Entry {
  readonly name?: string;
  readonly spec?: Content;
  readonly sharding?: Content;
  /** Of the integration file; everything when absent, none declared when null. */
  readonly capabilities?: readonly string[] | null;
}

/** A file with one integration, managed once in `/ns.yml`. */
export function managedOnce({ name = 'mine', spec = {}, sharding, capabilities = EVERYTHING }: Entry): Content {
  const more = sharding === undefined ? {} : { sharding };
  return integration(name, {
    ...(capabilities === null ? {} : { capabilities }),
    managed: [managedIn('/ns.yml', { spec: { resources: {}, ...spec }, ...more })],
  });
}

/** The fleet, with more files or other ones in their place. */
export function fleetWith(files: Readonly<Record<string, Content>>): Instance {
  return readInstance(handMadeSnapshot({ ...FLEET, ...files }));
}
