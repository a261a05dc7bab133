import { atOnce, byText, defined, inTurns, type Steps, suggestions } from '../../base/index.ts';
import { writtenScalars } from '../locate.ts';
import type { Finding } from '../problem.ts';
import { bySchema, type InstanceSource, type LoadOptions, type Snapshot } from '../snapshot.ts';
import type { Account, Cluster, Zone } from './cluster.ts';
import type { Integration } from './integration.ts';
import { ALL_KINDS, type ObjectLists, type Objects } from './kinds.ts';
import type { Environment, Namespace, Settings } from './namespace.ts';
import type { OcmEnvironment, Organization } from './ocm.ts';
import { type ReadContext, unresolvedRef } from './reading.ts';
import type { SaasFile } from './saas-file.ts';

/** The contents of an instance as typed objects with resolved references, ordered by name. */
export interface Instance {
  readonly snapshot: Snapshot;
  readonly integrations: readonly Integration[];
  readonly environments: readonly Environment[];
  readonly namespaces: readonly Namespace[];
  readonly clusters: readonly Cluster[];
  readonly accounts: readonly Account[];
  readonly organizations: readonly Organization[];
  readonly ocmEnvironments: readonly OcmEnvironment[];
  readonly zones: readonly Zone[];
  readonly saasFiles: readonly SaasFile[];
  readonly settings?: Settings;
  /** Invalid data, which is left out, and deprecated spellings. */
  readonly findings: readonly Finding[];
}

/** Loads and reads the current state of a source, file by file, so that the process can answer meanwhile. */
export async function loadInstance(source: InstanceSource, options: LoadOptions): Promise<Instance> {
  return inTurns(instanceSteps(await source.load(options)));
}

/** Deterministic: the same snapshot gives the same instance. */
export function readInstance(snapshot: Snapshot): Instance {
  return atOnce(instanceSteps(snapshot));
}

/** The same, file by file, for a process that has to answer meanwhile. */
export function* instanceSteps(snapshot: Snapshot): Steps<Instance> {
  const lists = emptyLists();
  const context = readContext(snapshot, lists);
  for (const { schema, read } of ALL_KINDS) {
    if (read === undefined) continue;
    for (const file of bySchema(snapshot, schema)) {
      read(file, lists, context);
      yield;
    }
  }
  const [settings] = lists.settings.values();
  return {
    snapshot,
    integrations: sorted(lists.integrations),
    environments: sorted(lists.environments),
    namespaces: sorted(lists.namespaces),
    clusters: sorted(lists.clusters),
    accounts: sorted(lists.accounts),
    organizations: sorted(lists.organizations),
    ocmEnvironments: sorted(lists.ocmEnvironments),
    zones: [...lists.zones.values()].sort((a, b) => byText(a.identifier, b.identifier)),
    saasFiles: sorted(lists.saasFiles),
    ...defined({ settings }),
    findings: context.findings,
  };
}

function emptyLists(): ObjectLists {
  return {
    ocmEnvironments: new Map(),
    organizations: new Map(),
    products: new Map(),
    environments: new Map(),
    clusters: new Map(),
    namespaces: new Map(),
    settings: new Map(),
    integrations: new Map(),
    accounts: new Map(),
    zones: new Map(),
    saasFiles: new Map(),
  };
}

function readContext(snapshot: Snapshot, lists: ObjectLists): ReadContext<Objects> {
  const findings: Finding[] = [];
  const suggest = suggestions();
  return {
    snapshot,
    findings,
    written: writtenScalars(snapshot),
    suggest,
    servers: new Map(),
    follow: (list, target, path, keys) => {
      const object = lists[list].get(target);
      if (object !== undefined) return object;
      const kinds = ALL_KINDS.filter((kind) => kind.list === list);
      const why = unresolvedRef({ snapshot, suggest }, target, {
        what: kinds[0]?.what ?? list,
        schemas: kinds.map(({ schema }) => schema),
        objects: lists[list],
      });
      findings.push({ severity: 'error', path, keys: [...keys, '$ref'], ...why });
      return undefined;
    },
  };
}

function sorted<T extends { readonly name: string; readonly file: string }>(objects: ReadonlyMap<string, T>): T[] {
  return [...objects.values()].sort((a, b) => byText(a.name, b.name) || byText(a.file, b.file));
}

/** Names of all environments, those of lean namespaces included. */
export function environmentNames({
  environments,
  namespaces,
}: Pick<Instance, 'environments' | 'namespaces'>): string[] {
  const names = [...environments.map(({ name }) => name), ...namespaces.map((ns) => ns.environment.name)];
  return [...new Set(names)].sort(byText);
}
