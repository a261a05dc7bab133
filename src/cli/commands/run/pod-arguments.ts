import { readPodContract } from '../../../runtime/index.ts';

/** The command line that the variables of a pod stand for. */
export function podArguments(env: Readonly<Record<string, string | undefined>>): string[] {
  const { integration, extraArgs } = readPodContract(env);
  return [integration, ...extraArgs];
}
