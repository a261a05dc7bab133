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
import { PLAIN } from '../../output/colour.ts';
import { document, type Format } from '../../output/format.ts';
import { type Writers, writerFor } from '../../output/writers.ts';
import { openChart } from './chart.ts';
import type { ChartFlags } from './flags.ts';

export interface BootstrapFlags extends ChartFlags {
  readonly format: 'template' | 'manifests';
  readonly namespace?: string;
  readonly deployTo?: readonly string[];
  /** Default: yes for manifests, no for a Template, which is often applied without permission to create cluster roles. */
  readonly clusterRole?: boolean;
  readonly image?: string;
  readonly imageTag?: string;
  readonly environmentName?: string;
  readonly upstream?: string;
  readonly parameter?: readonly string[];
  readonly output: Format;
}

/** Prints the manager's own deployment, rendered with the same chart as everything it operates. */
export async function bootstrap(io: Io, flags: BootstrapFlags): Promise<number> {
  const write = writerFor(WRITERS, flags.output, 'manager bootstrap');
  const given = givenParameters(flags);
  if (flags.format === 'manifests' && !given.get('IMAGE')) throw noImage();
  const isTemplate = flags.format === 'template';
  const { namespace, deployTo, clusterRole = !isTemplate } = flags;
  const access = { clusterRole, ...defined({ namespace, deployTo }) };
  const chart = await openChart(io, flags);
  const output = readChartOutput(await chart.render(managerValues()));
  const made = isTemplate ? bootstrapTemplate(output, given, access) : bootstrapManifests(output, given, access);
  await write(io, made, PLAIN);
  return EXIT.ok;
}

/** A Template, or manifests one by one. */
const WRITERS: Writers<object | readonly object[]> = {
  table: undefined,
  wide: undefined,
  yaml: async (io, made) => {
    if (!Array.isArray(made)) io.stdout.write(await document('yaml', made));
    else for (const object of made) io.stdout.write(`---\n${await document('yaml', object)}`);
  },
  json: async (io, made) => {
    const whole = Array.isArray(made) ? { apiVersion: 'v1', kind: 'List', items: made } : made;
    io.stdout.write(await document('json', whole));
  },
  name: undefined,
  markdown: undefined,
};

/** The parameters given by flags. */
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
    message: 'no image given for the manager',
    hint: 'pass its repository with --image and its tag with --image-tag',
  });
}
