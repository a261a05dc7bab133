import { byText, count, didYouMean, EchelonError } from '../../../base/index.ts';
import type { Finding, Instance } from '../../../instance/index.ts';
import type { InstanceFlags } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { readFrom } from '../../read-instance.ts';

/** What a `get` is narrowed to. */
export interface Filters {
  readonly environment?: readonly string[];
  readonly integration?: readonly string[];
}

/** The instance of a `get`; what is wrong with it is counted on standard error, and what is right is shown. */
export async function loadInstance(
  io: Io,
  flags: InstanceFlags,
  furtherCheck: (instance: Instance) => readonly Finding[] = () => [],
): Promise<Instance> {
  const instance = await readFrom(io, flags);
  const all = [...instance.snapshot.problems, ...instance.findings, ...furtherCheck(instance)];
  const errors = all.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    io.stderr.write(
      `warning: ${count(errors.length, 'error')} in this instance; what is concerned is left out: run echelon validate\n`,
    );
  }
  return instance;
}

/** Names of all environments, those of lean namespaces included. */
export function environmentNames({ environments, namespaces }: Instance): string[] {
  const names = [...environments.map(({ name }) => name), ...namespaces.map((ns) => ns.environment.name)];
  return [...new Set(names)].sort(byText);
}

/** A mistyped name is an error that tells the near ones, or where to `see` all, not an empty list. */
export function requireNames(
  what: string,
  names: readonly string[] | undefined,
  known: readonly string[],
  see = `${what}s`,
): void {
  for (const name of names ?? []) {
    if (known.includes(name)) continue;
    throw new EchelonError({
      code: `${what.toUpperCase()}_UNKNOWN`,
      message: `there is no ${what} ${name} in this instance`,
      hint: didYouMean(name, known, `see echelon get ${see}`),
    });
  }
}

/** Whether a filter that may be absent lets a name through. */
export function passes(filter: readonly string[] | undefined, name: string): boolean {
  return filter === undefined || filter.length === 0 || filter.includes(name);
}
