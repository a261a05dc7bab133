import * as z from 'zod';
import { EchelonError } from '../../../base/index.ts';
import { fleetChange } from '../fleet/expand-events.ts';
import type { FleetChange } from '../fleet/fleet.ts';
import { CLUSTER_STATES, HEALTH_STATES, SUBSCRIPTION_STATUSES } from '../model.ts';
import type { World } from '../world/world.ts';

const labels = z.record(z.string(), z.union([z.string(), z.null()]));

const event = z.strictObject({
  environment: z.string().exactOptional(),
  cluster: z.string().exactOptional(),
  organization: z.string().exactOptional(),
  health: z.enum(HEALTH_STATES).exactOptional(),
  state: z.enum(CLUSTER_STATES).exactOptional(),
  status: z.enum(SUBSCRIPTION_STATUSES).exactOptional(),
  labels: labels.exactOptional(),
  aus: labels.exactOptional(),
  remove: z.literal(true).exactOptional(),
  release: z.string().exactOptional(),
  withdraw: z.string().exactOptional(),
});

type Event = z.infer<typeof event>;
type Owner = FleetChange['owner'];

interface Place {
  readonly world: World;
  readonly owner: Owner;
}

/** What the events of a fleet file, now; and releases, which need not be in the fleet. Nothing unless all of it can. */
export function makeHappen(worlds: ReadonlyMap<string, World>, body: unknown): void {
  const given = event.parse(body);
  const { release, withdraw, environment, cluster: _, organization: __, ...change } = given;
  const chosen = [...worlds.values()].filter((world) => environment === undefined || world.environment === environment);
  if (chosen.length === 0) throw invalid(`unknown environment ${environment}`);
  const place = placeOf(chosen, given);
  if (place === undefined && Object.keys(change).length > 0)
    throw invalid('an event needs either a cluster or an organization');
  if (place === undefined && release === undefined && withdraw === undefined)
    throw invalid('the event changes nothing');
  for (const world of chosen) {
    if (release !== undefined) world.releaseVersion(release);
    if (withdraw !== undefined) world.withdrawVersion(withdraw);
  }
  place?.world.apply(fleetChange(change, place.owner));
}

function placeOf(worlds: readonly World[], { cluster, organization, ...change }: Event): Place | undefined {
  if (cluster !== undefined && organization !== undefined)
    throw invalid('an event needs either a cluster or an organization');
  if (cluster !== undefined) return findCluster(worlds, cluster);
  if (organization === undefined) return undefined;
  if ((change.health ?? change.state ?? change.status ?? change.remove) !== undefined)
    throw invalid('only labels of an organization can change');
  return findOrganization(worlds, organization);
}

function findCluster(worlds: readonly World[], reference: string): Place {
  const failures: unknown[] = [];
  for (const world of worlds) {
    try {
      return { world, owner: { type: 'Cluster', id: world.cluster(reference).id } };
    } catch (thrown) {
      failures.push(thrown);
    }
  }
  throw failures[0];
}

/** By id or by name. */
function findOrganization(worlds: readonly World[], reference: string): Place {
  const found = worlds.flatMap((world) =>
    [...world.state.organizations.all()]
      .filter(({ id, name }) => id === reference || name === reference)
      .map(({ id }): Place => ({ world, owner: { type: 'Organization', id } })),
  );
  const [first, ...others] = found;
  if (first === undefined) throw invalid(`unknown organization ${reference}`);
  if (others.length > 0) throw invalid(`${reference} is ambiguous (${found.length} matches); use its id`);
  return first;
}

function invalid(message: string): EchelonError {
  return new EchelonError({
    code: 'SIM_EVENT_INVALID',
    message,
    hint: 'name a cluster, an organization or a release of the fleet; list them with: GET /_sim/state',
  });
}
