import * as z from 'zod';
import { defined } from '../../base/index.ts';
import type { Datafile } from '../snapshot.ts';
import { labels, ref } from './fields.ts';
import { inlineOrReferred, parsed, type ReadContext } from './reading.ts';

const parameters = z.record(z.string(), z.unknown()).nullish();

export const saasTargetShape = z.object({
  name: z.string().exactOptional(),
  namespace: ref.exactOptional(),
  ref: z.string(),
  parameters,
  disable: z.boolean().exactOptional(),
  delete: z.boolean().exactOptional(),
});

export const saasFileShape = z.object({
  name: z.string(),
  labels,
  parameters,
  resourceTemplates: z.array(
    z.object({
      name: z.string(),
      url: z.string(),
      path: z.string(),
      provider: z.string().exactOptional(),
      hash_length: z.number().int().exactOptional(),
      parameters,
      targets: z.array(z.unknown()),
    }),
  ),
});

type Parameters = Readonly<Record<string, unknown>>;

/** One deployment of a template: a ref and its namespace. */
export interface SaasTarget {
  /** The target's own file, if any. */
  readonly file?: string;
  readonly name?: string;
  /** Path of the namespace's file. */
  readonly namespace?: string;
  readonly ref: string;
  readonly parameters: Parameters;
  readonly disable: boolean;
  readonly delete: boolean;
}

export interface SaasTemplate {
  readonly name: string;
  readonly url: string;
  readonly path: string;
  readonly provider?: string;
  readonly hashLength?: number;
  readonly parameters: Parameters;
  readonly targets: readonly SaasTarget[];
}

export interface SaasFile {
  readonly file: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly parameters: Parameters;
  readonly templates: readonly SaasTemplate[];
}

export function asSaasFile(raw: z.infer<typeof saasFileShape>, { path }: Datafile, context: ReadContext): SaasFile {
  const templates = raw.resourceTemplates.map((template, index) => ({
    name: template.name,
    url: template.url,
    path: template.path,
    ...defined({ provider: template.provider, hashLength: template.hash_length }),
    parameters: template.parameters ?? {},
    targets: template.targets.flatMap(
      (value, at) => readTarget(context, path, ['resourceTemplates', index, 'targets', at], value) ?? [],
    ),
  }));
  return { file: path, name: raw.name, labels: raw.labels, parameters: raw.parameters ?? {}, templates };
}

function readTarget(
  context: ReadContext,
  path: string,
  keys: readonly (string | number)[],
  value: unknown,
): SaasTarget | undefined {
  const own = inlineOrReferred(context.snapshot, value);
  if (own.value === undefined) return undefined;
  const raw = parsed(context, own.path ?? path, saasTargetShape, own.value, own.path === undefined ? keys : []);
  if (raw === undefined) return undefined;
  return {
    ...defined({ file: own.path, name: raw.name }),
    ...(raw.namespace === undefined ? {} : { namespace: raw.namespace.$ref }),
    ref: raw.ref,
    parameters: raw.parameters ?? {},
    disable: raw.disable ?? false,
    delete: raw.delete ?? false,
  };
}
