import { defined, EchelonError } from '../../../base/index.ts';
import {
  bootstrapManifests,
  bootstrapTemplate,
  managerValues,
  parseAssignment,
  readChartOutput,
} from '../../../manager/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { document, type Format, requireFormat } from '../../output/format.ts';
import { type ChartFlags, openChart } from './context.ts';

export interface BootstrapFlags extends ChartFlags {
  readonly format: 'template' | 'manifests';
  readonly namespace?: string;
  /** By default with manifests, and not in a Template, which is often applied without the right to make one. */
  readonly clusterRole?: boolean;
  readonly image?: string;
  readonly imageTag?: string;
  readonly environmentName?: string;
  readonly upstream?: string;
  readonly parameter?: readonly string[];
  readonly output: Format;
}

/** Prints the manager's own deployment, from the same chart as everything it will operate. */
export async function bootstrap(io: Io, flags: BootstrapFlags): Promise<number> {
  requireFormat(flags.output, ['yaml', 'json'], 'manager bootstrap');
  const format = flags.output === 'json' ? 'json' : 'yaml';
  const given = givenParameters(flags);
  if (flags.format === 'manifests' && !given.get('IMAGE')) throw noImage();
  const chart = await openChart(io, flags);
  const output = readChartOutput(await chart.render(managerValues()));
  if (flags.format === 'template') {
    io.stdout.write(
      await document(format, bootstrapTemplate(output, given, { clusterRole: flags.clusterRole ?? false })),
    );
    return EXIT.ok;
  }
  const objects = bootstrapManifests(output, given, {
    clusterRole: flags.clusterRole ?? true,
    ...defined({ namespace: flags.namespace }),
  });
  if (format === 'json') io.stdout.write(await document('json', { apiVersion: 'v1', kind: 'List', items: objects }));
  else for (const object of objects) io.stdout.write(`---\n${await document('yaml', object)}`);
  return EXIT.ok;
}

/** A tag of its own has no digest that belongs to it. */
function givenParameters(flags: BootstrapFlags): ReadonlyMap<string, string> {
  const named = {
    IMAGE: flags.image,
    IMAGE_TAG: flags.imageTag,
    ENVIRONMENT_NAME: flags.environmentName ?? '',
    INTEGRATIONS_MANAGER_UPSTREAM: flags.upstream,
  };
  const given = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return new Map([...given, ...(flags.parameter ?? []).map((text) => parseAssignment(text, '--parameter'))]);
}

function noImage(): EchelonError {
  return new EchelonError({
    code: 'IMAGE_MISSING',
    message: 'which image runs the manager is not said',
    hint: 'name its repository with --image, and its tag with --image-tag',
  });
}
