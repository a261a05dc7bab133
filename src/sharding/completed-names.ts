import { INSTANCE_LISTINGS, type Instance } from '../instance/index.ts';
import { expandShards } from './expand-shards.ts';

/** What a word of a command line names; the listings of an instance, and shards. */
export type NameKind = keyof typeof INSTANCE_LISTINGS | 'shards';

const OPTIONS: Readonly<Record<string, NameKind>> = {
  cluster: 'clusters',
  integration: 'integrations',
  environment: 'environments',
  'environment-name': 'environments',
  shard: 'shards',
  except: 'shards',
};

/** By the command that takes them; `get` names its own kind. */
const ARGUMENTS: Readonly<Record<string, NameKind>> = {
  pin: 'integrations',
  unpin: 'integrations',
  shadow: 'integrations',
  'rollout explain': 'shards',
};

/** What the value of an option names in an instance, if anything. */
export function namedByOption(path: string, option: string): NameKind | undefined {
  // What init writes is new, organizations are in environments of OCM, and promote has targets.
  if (/^(?:init|promote)\b|^get organizations$/.test(path)) return undefined;
  return Object.hasOwn(OPTIONS, option) ? OPTIONS[option] : undefined;
}

/** What an argument of a command names in an instance, if anything. */
export function namedByArgument(path: string): NameKind | undefined {
  const [verb, kind = ''] = path.split(' ');
  if (verb === 'get' && (kind === 'shards' || Object.hasOwn(INSTANCE_LISTINGS, kind))) return kind as NameKind;
  return Object.hasOwn(ARGUMENTS, path) ? ARGUMENTS[path] : undefined;
}

/** The names that an instance has; those of shards only of the integrations that the command line names, if it names any. */
export function completedNames(instance: Instance, kind: NameKind, words: readonly string[]): string[] {
  if (kind !== 'shards') return [...new Set(INSTANCE_LISTINGS[kind](instance, {}).names())];
  const named = instance.integrations.filter(({ name }) => words.includes(name));
  const shards = (named.length === 0 ? instance.integrations : named).flatMap((integration) =>
    integration.managed.flatMap((entry) => expandShards(instance, integration, entry).shards.map(({ name }) => name)),
  );
  return [...new Set(shards)];
}
