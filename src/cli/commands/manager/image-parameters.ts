import { resolve } from 'node:path';
import { defined, EchelonError } from '../../../base/index.ts';
import { resolveRefByForge } from '../../../clients/forge/index.ts';
import { resolveRef } from '../../../clients/git/index.ts';
import type { Instance } from '../../../instance/index.ts';
import { type NamespaceGroup, type ParameterSources, parseAssignment, upstreamRef } from '../../../manager/index.ts';
import type { Io } from '../../io.ts';

export interface ImageFlags {
  readonly upstream?: string;
  readonly image?: string;
  readonly imageTagFromRef?: readonly string[];
  readonly upstreamClone?: string;
  readonly parameter?: readonly string[];
}

/** The upstream of existing fleets, when none is named. */
export const DEFAULT_UPSTREAM = 'https://github.com/app-sre/qontract-reconcile';
const DEFAULT_HASH_LENGTH = 7;

/** What sets the parameters of a namespace: its environment, the process, flags. Each ref is resolved once. */
export function parameterSources(
  io: Io,
  flags: ImageFlags,
  instance: Instance,
): (group: NamespaceGroup) => Promise<ParameterSources> {
  const upstream = flags.upstream ?? (io.env['INTEGRATIONS_MANAGER_UPSTREAM'] || DEFAULT_UPSTREAM);
  const image = flags.image ?? (io.env['INTEGRATIONS_MANAGER_IMAGE'] || undefined);
  const refs = new Map(refFlags(io, flags).map((text) => parseRef(text)));
  const given = new Map((flags.parameter ?? []).map((text) => parseAssignment(text, '--parameter')));
  const resolved = new Map<string, Promise<string>>();
  const tagOf = async (ref: string): Promise<string> => {
    const commit = resolved.get(ref) ?? commitOf(io, flags, upstream, ref);
    resolved.set(ref, commit);
    return (await commit).slice(0, instance.settings?.hashLength ?? DEFAULT_HASH_LENGTH);
  };
  return async ({ namespace }) => {
    const { name, parameters } = namespace.environment;
    const ref = refs.get(name) ?? upstreamRef(parameters, upstream);
    return {
      environment: parameters,
      process: io.env,
      flags: given,
      ...defined({ image }),
      ...(ref === undefined ? {} : { tagFromRef: await tagOf(ref) }),
    };
  };
}

/** The flag is repeatable; the variable has its values separated by blanks. */
function refFlags({ env }: Io, { imageTagFromRef }: ImageFlags): readonly string[] {
  const variable = (env['INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF'] ?? '').split(/\s+/).filter((text) => text !== '');
  return imageTagFromRef ?? variable;
}

function parseRef(text: string): readonly [string, string] {
  const [environment, ref] = parseAssignment(text, '--image-tag-from-ref', 'ENVIRONMENT=REF');
  if (ref !== '' && !ref.includes('=')) return [environment, ref];
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--image-tag-from-ref ${text} has ${ref === '' ? 'no ref' : 'more than one ='}`,
    hint: 'write --image-tag-from-ref ENVIRONMENT=REF, once for each environment',
  });
}

async function commitOf(io: Io, flags: ImageFlags, upstream: string, ref: string): Promise<string> {
  if (/^[0-9a-f]{40}$/.test(ref)) return ref;
  if (flags.upstreamClone === undefined) return resolveRefByForge({ repository: upstream, ref, env: io.env });
  const commit = await resolveRef(resolve(io.cwd, flags.upstreamClone), ref);
  if (commit !== undefined) return commit;
  throw new EchelonError({
    code: 'REF_UNKNOWN',
    message: `${flags.upstreamClone} is no clone of the upstream, or has no ref ${ref}`,
    hint: 'name a clone, fetch it, or check the ref',
  });
}
