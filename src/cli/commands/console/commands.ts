import { type AnyCommand, choice, command, type FlagsOf, flag, list, option, parsed, usually } from '../../command.ts';
import {
  CAPABILITIES,
  CHART,
  DEBUG,
  IMAGES,
  IN_CLUSTER,
  KUBECONFIG,
  ROLLOUTS,
  SCOPE,
  SOURCES,
  seconds,
  selection,
  wholeNumber,
} from '../../options.ts';

const CONSOLE = {
  ...SOURCES,
  ...SCOPE,
  ...CAPABILITIES,
  ...CHART,
  ...IMAGES,
  ...ROLLOUTS,
  ...KUBECONFIG,
  listen: usually(option('--listen <host:port>', 'listen address; port 0 picks a free one'), '127.0.0.1:8080'),
  refresh: usually(parsed('--refresh <duration>', 'time between two observations, such as 90s or 5m', seconds), 300),
  days: usually(parsed('--days <n>', 'days to forecast', wholeNumber), 60),
  only: choice('--only <half>', 'serve only this half', ['upgrades', 'shards']),
  tokenFile: option('--token-file <file>', 'require this token: as bearer token, or as the password in a browser'),
  tlsCert: option('--tls-cert <file>', 'serve HTTPS with this PEM certificate'),
  tlsKey: option('--tls-key <file>', 'private key of the certificate'),
  clientCa: option('--client-ca <file>', 'require client certificates signed by this CA'),
  insecureHttpBehindProxy: flag(
    '--insecure-http-behind-proxy',
    'serve plain HTTP on other addresses than localhost, behind a proxy with TLS',
  ),
  hostName: list('--host-name <name>', 'also accept this name in the Host header (repeatable)'),
  ...selection({
    cluster: list('--cluster <name>', 'shards: only this cluster (repeatable)', { completes: 'clusters' }),
    namespace: list('-n, --namespace <name>', 'shards: only this namespace (repeatable)'),
  }),
  ...IN_CLUSTER,
  link: list(
    '--link <name=url>',
    'link on every shard page, with $cluster, $namespace, $integration, $shard, $name and $image (repeatable)',
  ),
  ...DEBUG,
};
export type ConsoleFlags = FlagsOf<typeof CONSOLE>;

export const COMMANDS: readonly AnyCommand[] = [
  command({
    name: 'console',
    summary: 'serve a read-only web console of the fleet: clusters, timeline, shards',
    description:
      'Serve a read-only web console: clusters and versions with their verdicts, the timeline with history and forecast, which shard runs ' +
      'which image, and rollouts wave by wave. On localhost it needs no login; elsewhere it requires a token or client certificates. It observes OCM and ' +
      'the clusters periodically and writes nothing.',
    options: CONSOLE,
    examples: ['echelon console --config-file upgrades.yml --data ~/instance'],
    simulatedClock: true,
    run: async (ctx, flags) => (await import('./console.ts')).openConsole(ctx, flags),
  }),
];
