import { resolve } from 'node:path';
import { defined, EchelonError } from '../../../base/index.ts';
import { identityIn } from '../../../clients/git/index.ts';
import { imageDigest } from '../../../clients/registry/index.ts';
import {
  chooseTargets,
  chooseUpstream,
  makePromotionPlan,
  type PromotionConfig,
  type PromotionPlan,
  type SchemasState,
  type Upstream,
  type ValueFor,
  type Version,
} from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';
import type { Format } from '../../output/format.ts';
import { forgottenPins, type GitPlace } from './local-git.ts';
import { tellSecrets } from './secrets.ts';
import { openUpstream } from './upstream.ts';
import { missingConfig, type Workspace, type WorkspaceFlags, withSchemas } from './workspace.ts';

export interface PromoteFlags extends WorkspaceFlags {
  readonly upstream?: string;
  readonly to?: string;
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  readonly upstreamClone?: string;
  readonly schemasClone?: string;
  readonly offline?: boolean;
  readonly allowRollback?: boolean;
  readonly checkImage?: boolean;
  readonly image?: string;
  readonly digest?: string;
  /** Seconds. */
  readonly wait?: number;
  readonly output: Format;
  readonly color?: boolean;
  readonly detailedExitcode?: boolean;
}

const DEFAULT_HASH_LENGTH = 7;
const HISTORY_LIMIT = 1;

/** What is promoted instead of the newest commit. */
export interface Instead {
  readonly commit: string;
  /** What the user named; the targets may be fewer. */
  readonly scope: readonly string[];
  readonly valueFor: ValueFor;
}

export interface PlanOptions {
  readonly instead?: Instead;
  /** The workspace itself when absent. */
  readonly git?: GitPlace;
}

/** The plan for a workspace, with everything asked that it needs to know. */
export async function planFor(
  io: Io,
  flags: PromoteFlags,
  workspace: Workspace,
  config: PromotionConfig | undefined,
  { instead, git = { folder: workspace.root } }: PlanOptions = {},
): Promise<PromotionPlan> {
  const known = flags.upstream === 'schemas' ? withSchemas(config, workspace.snapshot.env) : config;
  if (known === undefined) throw missingConfig();
  const name = chooseUpstream(known, flags.upstream);
  const upstream = known.upstreams[name] as Upstream;
  const only = flags.only ?? [];
  const targets = chooseTargets(known, { upstream: name, only, except: flags.except ?? [] });
  tellSecrets(io);
  const history = await openUpstream(io, upstream, {
    ...(flags.upstreamClone === undefined ? {} : { clone: resolve(io.cwd, flags.upstreamClone) }),
    ...defined({ offline: flags.offline }),
  });
  const commit = instead?.commit ?? (await history.resolve(flags.to));
  const version = await versionOf(io, flags, { workspace, upstream, name, commit });
  const schemas = name === 'schemas' ? undefined : await schemasState(io, flags, workspace, known);
  return makePromotionPlan({
    ...workspace,
    upstream: { name, url: upstream.url },
    version,
    targets,
    allTargets: known.targets,
    scope: instead?.scope ?? only,
    history,
    caller: await identityIn(git.folder),
    allowRollback: flags.allowRollback === true || instead !== undefined,
    ...(instead === undefined ? {} : { valueFor: instead.valueFor }),
    ...defined({ schemas }),
    oldPins: await forgottenPins(workspace.instance, git, new Date()),
  });
}

interface Wanted {
  readonly workspace: Workspace;
  readonly upstream: Upstream;
  readonly name: string;
  readonly commit: string;
}

/** A release is written as `v1.2.3`; anything else that is named stands for a commit. */
async function versionOf(io: Io, flags: PromoteFlags, { workspace, upstream, name, commit }: Wanted): Promise<Version> {
  const hashLength = workspace.instance.settings?.hashLength ?? DEFAULT_HASH_LENGTH;
  const tag = flags.to !== undefined && /^v?\d+\./.test(flags.to) ? flags.to : undefined;
  const image =
    flags.image ?? upstream.image ?? workspace.snapshot.env.get(`${name.toUpperCase().replaceAll('-', '_')}_IMAGE`);
  const digest = flags.digest ?? (await askedDigest(io, flags, image, tag ?? commit.slice(0, hashLength)));
  requireDigest(digest);
  return { commit, hashLength, ...defined({ tag, digest }) };
}

async function askedDigest(
  io: Io,
  flags: PromoteFlags,
  image: string | undefined,
  tag: string,
): Promise<string | undefined> {
  if (flags.checkImage !== true) {
    if (flags.wait === undefined) return undefined;
    throw new EchelonError({
      code: 'FLAG_INVALID',
      message: '--wait waits for nothing without --check-image',
      hint: 'add --check-image, or leave --wait out',
    });
  }
  if (image === undefined) {
    throw new EchelonError({
      code: 'FLAG_INVALID',
      message: '--check-image does not know the repository of the image',
      hint: 'name it with --image, or as image of the upstream in promotion.yml',
    });
  }
  return imageDigest({
    image,
    tag,
    signal: io.signal,
    ...defined({ waitSeconds: flags.wait }),
  });
}

function requireDigest(digest: string | undefined): void {
  if (digest === undefined || /^sha256:[0-9a-f]{64}$/.test(digest)) return;
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--digest ${digest} is no digest`,
    hint: 'write it as sha256: and 64 characters',
  });
}

/** How far the pinned schemas are behind, where a clone can tell. */
async function schemasState(
  io: Io,
  flags: PromoteFlags,
  { snapshot }: Workspace,
  { upstreams }: PromotionConfig,
): Promise<SchemasState | undefined> {
  const pinned = snapshot.env.get('SCHEMAS_IMAGE_TAG');
  if (flags.schemasClone === undefined || pinned === undefined) return undefined;
  const upstream = upstreams['schemas'] ?? { url: snapshot.env.get('SCHEMAS_REPO') ?? '' };
  const history = await openUpstream(io, upstream, { clone: resolve(io.cwd, flags.schemasClone) });
  const newest = await history.resolve(undefined);
  const { relation, total } = await history.compare(pinned, newest, HISTORY_LIMIT);
  return { pinned, newest, behind: relation === 'ahead' || relation === 'diverged' ? total : 0 };
}
