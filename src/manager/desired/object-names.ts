import { type Finding, managedTwiceFinding } from '../../instance/index.ts';
import { objectName, type Shard, workloadOf } from '../../sharding/index.ts';
import type { ManagedShards, NamespaceGroup } from './group.ts';
import { isDnsName, LONGEST_LABEL, LONGEST_NAME } from './name-limits.ts';

type NameFault = Pick<Finding, 'rule' | 'message' | 'hint'>;

interface CheckedGroup {
  readonly group: NamespaceGroup;
  readonly findings: readonly Finding[];
}

/**
 * Removes second entries of one integration and, where the built-in chart names the objects, entries whose objects
 * Kubernetes would reject or that would overwrite each other's. What another chart names is checked when it is rendered.
 */
export function checkObjects(group: NamespaceGroup, otherChart: boolean): CheckedGroup {
  const findings: Finding[] = [];
  const owner = new Map<string, ManagedShards>();
  const managedBy = new Map<string, ManagedShards>();
  const entries = group.entries.filter((managed) => {
    const { integration, entry } = managed;
    const first = managedBy.get(integration.name);
    // A chart names the parameters of an integration after it: two entries would get each other's resources, even where
    // their objects have different names or kinds.
    if (first !== undefined) {
      findings.push(managedTwiceFinding(integration, entry, first.integration.file));
      return false;
    }
    const own = new Set<string>();
    const fault = otherChart ? undefined : firstFault(managed, owner, own);
    if (fault !== undefined) {
      findings.push({ severity: 'error', path: integration.file, keys: entry.keys, ...fault });
      return false;
    }
    for (const name of own) owner.set(name, managed);
    managedBy.set(integration.name, managed);
    return true;
  });
  return { group: { ...group, entries }, findings };
}

/** Adds the entry's objects to `own`, up to the first invalid one. */
function firstFault(
  managed: ManagedShards,
  owner: ReadonlyMap<string, ManagedShards>,
  own: Set<string>,
): NameFault | undefined {
  const kind = workloadOf(managed.entry);
  for (const shard of managed.shards) {
    const object = objectName(managed.integration, shard);
    const name = `${kind} ${object}`;
    const fault = own.has(name) ? collision(managed, shard, managed) : nameFault(managed, shard, object, kind);
    if (fault !== undefined) return fault;
    const other = owner.get(name);
    if (other !== undefined) return collision(managed, shard, other);
    own.add(name);
  }
  return undefined;
}

function nameFault(
  { integration }: ManagedShards,
  shard: Shard,
  name: string,
  kind: ReturnType<typeof workloadOf>,
): NameFault | undefined {
  if (!isDnsName(name)) {
    return {
      rule: 'bad-object-name',
      message: `${integration.name}, shard ${shard.name}: ${name} is not a valid DNS-1123 name`,
      hint: 'rename the account, cluster or other resource of the shard: use lowercase letters, digits, dashes and dots',
    };
  }
  if (name.length > LONGEST_NAME[kind]) {
    return {
      rule: 'bad-object-name',
      message: `${integration.name}, shard ${shard.name}: ${name} has ${name.length} characters; the limit for a ${kind} is ${LONGEST_NAME[kind]}`,
      hint: 'shorten the name of the integration, or of the account, cluster or other resource of the shard',
    };
  }
  return labelFault(integration.name, shard);
}

function labelFault(integration: string, shard: Shard): NameFault | undefined {
  const label = longLabel(integration, shard);
  if (label === undefined) return undefined;
  return {
    rule: 'bad-object-name',
    message: `${integration}, shard ${shard.name}: the label ${label} has ${label.length} characters; the limit is ${LONGEST_LABEL}`,
    hint: 'shorten the name of the integration, or of the account, cluster or other resource of the shard',
  };
}

function longLabel(integration: string, { suffix }: Shard): string | undefined {
  const own = objectName({ name: integration }, { suffix: '' });
  if (own.length > LONGEST_LABEL) return own;
  return suffix.length - 1 > LONGEST_LABEL ? suffix.slice(1) : undefined;
}

function collision(managed: ManagedShards, shard: Shard, other: ManagedShards): NameFault {
  const name = objectName(managed.integration, shard);
  const same = other === managed;
  return {
    rule: 'object-name-collision',
    message: same
      ? `two shards of ${managed.integration.name} are both named ${name}`
      : `${managed.integration.name} and ${other.integration.name} (data${other.integration.file}) both have an object ${name} in this namespace`,
    hint: same
      ? 'rename one of their accounts, clusters or other resources: both give the same object name'
      : 'rename one of the integrations, or manage it in one place',
  };
}
