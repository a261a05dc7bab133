import { defined } from '../../../base/index.ts';
import type { FleetChange, FleetCluster, FleetEnvironment, FleetEvent, FleetOrganization } from './fleet.ts';
import { AUS_PREFIX } from './fleet.ts';
import type { RawEvent } from './shape.ts';
import { parseWhen } from './units.ts';

type Owner = FleetChange['owner'];
type RawChange = Omit<RawEvent, 'at'>;

/** Assigns every event to its environment. */
export function expandEvents(
  raw: readonly RawEvent[],
  environments: readonly FleetEnvironment[],
  start: number,
  problem: (path: string, text: string) => void,
): FleetEnvironment[] {
  const placed = raw.flatMap((event, index) => {
    const found = placeOf(event, environments);
    if (typeof found === 'string') {
      problem(`events[${index}]`, found);
      return [];
    }
    const expanded: FleetEvent = { at: parseWhen(event.at, start) ?? 0, ...fleetChange(event, found.owner) };
    return [{ environment: found.environment, event: expanded }];
  });
  return environments.map((environment) => ({
    ...environment,
    events: placed.filter((each) => each.environment === environment.name).map(({ event }) => event),
  }));
}

/** A change with full label keys. */
export function fleetChange({ health, state, status, labels, aus, remove }: RawChange, owner: Owner): FleetChange {
  const prefixed = Object.entries(aus ?? {}).map(([key, value]) => [AUS_PREFIX + key, value] as const);
  const all = { ...labels, ...Object.fromEntries(prefixed) };
  return {
    owner,
    ...defined({ health, state, status }),
    ...(Object.keys(all).length === 0 ? {} : { labels: all }),
    ...defined({ remove }),
  };
}

interface Found {
  readonly environment: string;
  readonly owner: Owner;
}

function placeOf(event: RawEvent, environments: readonly FleetEnvironment[]): Found | string {
  const named = event.cluster ?? event.organization;
  if (named === undefined || (event.cluster !== undefined && event.organization !== undefined))
    return 'an event needs either a cluster or an organization';
  if (event.organization !== undefined && (event.health ?? event.state ?? event.status ?? event.remove) !== undefined)
    return 'only labels of an organization can change';
  const found = environments
    .filter(({ name }) => event.environment === undefined || name === event.environment)
    .flatMap((environment) =>
      event.cluster === undefined ? organizationsNamed(environment, named) : clustersNamed(environment, named),
    );
  const [first, ...others] = found;
  if (first === undefined) return `unknown ${event.cluster === undefined ? 'organization' : 'cluster'} ${named}`;
  return others.length === 0 ? first : `${named} is ambiguous (${found.length} matches); use its id`;
}

function clustersNamed(environment: FleetEnvironment, named: string): Found[] {
  const fits = ({ name, id, uuid }: FleetCluster): boolean => name === named || id === named || uuid === named;
  return environment.organizations
    .flatMap(({ clusters }) => clusters)
    .filter(fits)
    .map(({ id }) => ({ environment: environment.name, owner: { type: 'Cluster', id } }));
}

function organizationsNamed(environment: FleetEnvironment, named: string): Found[] {
  const fits = ({ name, id }: FleetOrganization): boolean => name === named || id === named;
  return environment.organizations
    .filter(fits)
    .map(({ id }) => ({ environment: environment.name, owner: { type: 'Organization', id } }));
}
