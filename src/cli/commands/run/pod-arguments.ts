import { readPodContract } from '../../../runtime/index.ts';

/** The command line equivalent of a pod's environment variables. */
export function podArguments(env: Readonly<Record<string, string | undefined>>): string[] {
  const { integration, extraArgs } = readPodContract(env);
  return [integration, ...extraArgs];
}
