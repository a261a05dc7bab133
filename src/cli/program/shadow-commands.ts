import type { Command } from 'commander';
import type { ShadowFlags, ShadowFormat } from '../commands/shadow/shadow.ts';
import type { Io } from '../io.ts';
import {
  collect,
  type Finish,
  wholeNumber,
  withChart,
  withClusters,
  withCommon,
  withImages,
  withInstance,
  withRecord,
  withSelection,
} from './options.ts';
import { withRunner } from './runner-options.ts';

const FORMATS: readonly ShadowFormat[] = ['table', 'wide', 'json', 'yaml', 'markdown', 'junit'];

export function addShadow(command: Command, io: Io, finish: Finish): void {
  const pair = withRecord(withImages(withChart(withSelection(withInstance(withPair(command))))));
  withCommon(withRunner(withClusters(pair), ['kubernetes']), FORMATS)
    .description(
      'Run two images of an integration in dry run, on the same shard, with the same data, at the same time, and compare the ' +
        'actions that each reports. Starts nothing but dry runs; integrations that write in dry run are refused. Exits 0 if ' +
        'the actions are the same, 1 if they differ, 2 if they could not be compared.',
    )
    .action(async (integration: string, flags: ShadowFlags) => {
      const { shadow } = await import('../commands/shadow/shadow.ts');
      finish(await shadow(io, integration, flags));
    });
}

function withPair(command: Command): Command {
  return command
    .argument('<integration>')
    .requiredOption('--candidate <image>', 'the new image, or its tag')
    .option('--baseline <image>', 'the image to compare with, or its tag (default: the image that the shard runs)')
    .option('--shard <name>', 'only this shard (repeatable)', collect)
    .option(
      '--repeat <n>',
      'first run the baseline n times; what differs between its runs does not count',
      wholeNumber,
      0,
    )
    .option('--log-dir <dir>', 'folder for the logs of the runs', 'shadow-logs')
    .option('--record', 'store what was found in the record of rollouts, for tracks that require a shadow')
    .option('-j, --jobs <n>', 'number of shards at the same time, each with two runs', wholeNumber, 2);
}
