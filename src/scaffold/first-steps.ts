/** Starts a simulated cluster in a shell that may go on typing, and points the commands at it. */
export function simulatedCluster(cluster: string): string {
  return `export KUBECONFIG="$PWD/.kubeconfig"; echelon sim kube --clusters ${cluster} --any-namespace --kubeconfig "$KUBECONFIG" &`;
}

/** The commands after `init`, in order, each with what it does. */
export function firstSteps(cluster: string): readonly (readonly [command: string, does: string])[] {
  return [
    ['echelon validate', 'is the data right?'],
    [simulatedCluster(cluster), 'a simulated cluster; or set KUBECONFIG to a real one'],
    ['echelon manager plan', 'what would change in the cluster'],
    ['echelon manager apply', 'change it'],
    ['echelon manager status --watch', 'until all shards run'],
    ['echelon init integration NAME', 'add another integration'],
  ];
}

/** What a user types next, from the folder in which `init` ran; the instance is in `place` below it. */
export function nextSteps(place: string, cluster: string): string {
  const enter = place === '' ? [] : [[`cd ${place}`, 'the instance'] as const];
  const steps = [...enter, ...firstSteps(cluster)].map(([command, does]) => `  # ${does}\n  ${command}\n`);
  return `\nNext:\n${steps.join('')}`;
}
