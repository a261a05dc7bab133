import { EchelonError } from '../../base/index.ts';
import { DEFAULT_IMAGE } from '../../instance/index.ts';
import type { TemplateParameter } from './template.ts';

interface ImageVersion {
  readonly tag: string;
  readonly digest?: string;
}

/** The parameter sources of a namespace, lowest precedence first. */
export interface ParameterSources {
  /** The environment's `parameters`. */
  readonly environment: Readonly<Record<string, unknown>>;
  /** Environment variables; only names that the template declares are used. */
  readonly process: Readonly<Record<string, string | undefined>>;
  /** The image repository; that of existing fleets when absent. */
  readonly image?: string;
  /** The tag, with its digest, from an upstream ref, of a flag or the environment, or from manager.yml. */
  readonly version?: ImageVersion;
  /** `--parameter NAME=VALUE`, highest precedence. */
  readonly flags: ReadonlyMap<string, string>;
}

/** The sources that are known before any ref is resolved. */
export type GivenSources = Omit<ParameterSources, 'version'>;

/**
 * The parameter values for a template. Tag and digest are one value: a tag from a source of higher precedence than the
 * digest drops the digest, which would otherwise keep the old image running behind the new tag. The repository is apart: a
 * mirror holds the same tags and digests.
 */
export function collectParameters(
  declared: readonly TemplateParameter[],
  sources: ParameterSources,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const { name } of declared) {
    const value = parameterValue(name, sources);
    if (value !== undefined) values.set(name, value);
  }
  values.set('IMAGE', sources.flags.get('IMAGE') ?? sources.image ?? DEFAULT_IMAGE);
  const tag = sources.flags.get('IMAGE_TAG') ?? sources.version?.tag;
  if (tag !== undefined) values.set('IMAGE_TAG', tag);
  const digest = sources.flags.get('IMAGE_DIGEST') ?? sources.version?.digest;
  if (digest !== undefined) values.set('IMAGE_DIGEST', digest);
  for (const name of ['IMAGE', ...declared.flatMap(({ name: other }) => TAG.exec(other)?.[1] ?? [])]) {
    if (strength(`${name}_TAG`, sources) > strength(`${name}_DIGEST`, sources)) values.set(`${name}_DIGEST`, '');
  }
  return values;
}

/** The tags of the other images: `BUSYBOX_IMAGE_TAG`. */
const TAG = /^(\w+_IMAGE)_TAG$/;

/** A parameter's value from the sources that may set any parameter. */
export function parameterValue(name: string, { flags, process, environment }: GivenSources): string | undefined {
  return flags.get(name) ?? process[name] ?? parameterText(environment[name]);
}

function strength(name: string, sources: ParameterSources): number {
  if (sources.flags.has(name)) return 4;
  if (name === 'IMAGE_TAG' && sources.version !== undefined) return 3;
  if (name === 'IMAGE_DIGEST' && sources.version?.digest !== undefined) return 3;
  if (sources.process[name] !== undefined) return 2;
  return parameterText(sources.environment[name]) === undefined ? 0 : 1;
}

/** Parameters are strings; a YAML number or boolean is converted to its text, a structure to JSON. */
function parameterText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Parses a flag's `NAME=VALUE`. */
export function parseAssignment(text: string, flag: string, form = 'NAME=VALUE'): readonly [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `${flag} ${text} is not of the form ${form}`,
    hint: `pass ${flag} ${form}`,
  });
}

/**
 * The upstream ref that an environment sets; of several entries for one repository the last counts. YAML reads a commit of
 * digits only as a number.
 */
export function upstreamRef(parameters: Readonly<Record<string, unknown>>, upstream: string): string | undefined {
  const repos = parameters['INTEGRATION_UPSTREAM_REPOS'];
  if (!Array.isArray(repos)) return undefined;
  const found = (repos as readonly { repo?: unknown; ref?: unknown }[]).findLast((entry) => entry?.repo === upstream);
  return parameterText(found?.ref);
}
