import {
  type AnyCommand,
  choice,
  command,
  type FlagsOf,
  flag,
  list,
  option,
  parsed,
  required,
  usually,
} from '../../command.ts';
import { DEBUG, portNumber, printed, wholeNumber } from '../../options.ts';

const KUBE = {
  clusters: option('--clusters <names>', 'cluster names, separated by commas (default: sim)'),
  namespaces: option('--namespaces <names>', 'existing namespaces in each, separated by commas'),
  anyNamespace: flag('--any-namespace', 'create namespaces on first use'),
  badImage: list(
    '--bad-image <tag=kind>',
    'containers of images with this tag never-ready, crash, or crash-later, 30 s after each start; * for any text (repeatable)',
  ),
  kubeconfig: option('--kubeconfig <file>', 'write a kubeconfig with a context for each cluster'),
  port: parsed('--port <port>', 'port of the first cluster; the others follow (default: free ports)', portNumber),
  token: option('--token <token>', 'reject requests without this token'),
  ...DEBUG,
};
const OCM = {
  ...printed(['table', 'json', 'yaml']),
  fleet: required(option('--fleet <file>', 'fleet definition, as YAML')),
  port: parsed('--port <port>', 'port (default: a free one)', portNumber),
  clock: usually(
    choice('--clock <clock>', 'virtual: advanced by POST /_sim/advance; real: wall clock', ['virtual', 'real']),
    'virtual',
  ),
  speed: parsed('--speed <n>', 'with a real clock: simulated seconds per second', wholeNumber),
  seed: parsed('--seed <n>', 'random seed', wholeNumber),
  latency: parsed('--latency <ms>', 'delay of each response in milliseconds', wholeNumber),
};
const SIMULATE = {
  ...printed(['table', 'wide', 'json', 'yaml']),
  fleet: required(option('--fleet <file>', 'fleet definition, as YAML')),
  days: usually(parsed('--days <n>', 'days to simulate', wholeNumber), 30),
  every: usually(parsed('--every <hours>', 'hours between two passes', wholeNumber), 1),
  seed: parsed('--seed <n>', 'random seed', wholeNumber),
};
export type SimulateFlags = FlagsOf<typeof SIMULATE>;
export type SimKubeFlags = FlagsOf<typeof KUBE>;
export type SimOcmFlags = FlagsOf<typeof OCM>;

/** `echelon upgrades simulate`. */
export const simulate = command({
  name: 'simulate',
  summary: 'run the scheduler on a simulated fleet for some days',
  description:
    'Run the scheduler on a simulated fleet for some days, on a virtual clock, and show what upgraded when, what waited ' +
    'and why, and the notifications to users.',
  options: SIMULATE,
  examples: ['echelon upgrades simulate --fleet examples/fleet/fleet.yml --days 30'],
  run: async (ctx, flags) => (await import('./sim.ts')).simulate(ctx, flags),
});

const sim = command({
  name: 'sim',
  summary: 'serve simulated clusters and OCM locally',
  description: 'Serve simulated systems on this machine for experiments.',
  commands: [
    command({
      name: 'kube',
      summary: 'simulated Kubernetes clusters',
      description:
        'Serve simulated Kubernetes clusters until interrupted; kubectl get, describe, create, apply and delete work against them.',
      options: KUBE,
      examples: ['echelon sim kube --any-namespace --kubeconfig kubeconfig.yml'],
      run: async (ctx, flags) => (await import('./sim.ts')).simKube(ctx, flags),
    }),
    command({
      name: 'ocm',
      summary: 'a simulated OCM',
      description: 'Serve a simulated OCM with a fleet of clusters that upgrade, until interrupted.',
      options: OCM,
      examples: ['echelon sim ocm --fleet examples/fleet/fleet.yml'],
      run: async (ctx, flags) => (await import('./sim.ts')).simOcm(ctx, flags),
    }),
  ],
});

export const COMMANDS: readonly AnyCommand[] = [sim];
