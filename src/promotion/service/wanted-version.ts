import { defined, EchelonError, isImageDigest } from '../../base/index.ts';
import type { Instance } from '../../instance/index.ts';
import type { PlanRequest, PromotionPorts } from '../ports.ts';
import type { Version } from '../targets/find-targets.ts';
import type { Upstream } from '../targets/promotion-file.ts';
import type { Workspace } from './workspace.ts';

const DEFAULT_HASH_LENGTH = 7;

export function hashLengthOf({ settings }: Instance): number {
  return settings?.hashLength ?? DEFAULT_HASH_LENGTH;
}

interface Wanted {
  readonly workspace: Workspace;
  readonly upstream: Upstream;
  readonly name: string;
  readonly commit: string;
}

/** `v1.2.3` is a release; anything else is a ref that resolves to a commit. */
export async function wantedVersion(
  ports: Pick<PromotionPorts, 'imageDigest'>,
  request: PlanRequest,
  { workspace, upstream, name, commit }: Wanted,
): Promise<Version> {
  const hashLength = hashLengthOf(workspace.instance);
  const tag = upstream.url === undefined ? commit : releaseIn(request);
  const image =
    request.image ?? upstream.image ?? workspace.snapshot.env.get(`${name.toUpperCase().replaceAll('-', '_')}_IMAGE`);
  const digest = request.digest ?? (await queriedDigest(ports, request, image, tag ?? commit.slice(0, hashLength)));
  requireDigest(digest);
  return { commit, hashLength, ...defined({ tag, digest }) };
}

function releaseIn({ to }: PlanRequest): string | undefined {
  return to !== undefined && /^v?\d+\./.test(to) ? to : undefined;
}

async function queriedDigest(
  ports: Pick<PromotionPorts, 'imageDigest'>,
  request: PlanRequest,
  image: string | undefined,
  tag: string,
): Promise<string | undefined> {
  if (request.checkImage !== true) {
    if (request.wait === undefined) return undefined;
    throw new EchelonError({
      code: 'FLAG_INVALID',
      message: '--wait requires --check-image',
      hint: 'pass --check-image, or omit --wait',
    });
  }
  if (image === undefined) {
    throw new EchelonError({
      code: 'FLAG_INVALID',
      message: '--check-image: no image repository given',
      hint: 'pass it with --image, or set image of the upstream in promotion.yml',
    });
  }
  return ports.imageDigest({ image, tag, ...defined({ waitSeconds: request.wait }) });
}

function requireDigest(digest: string | undefined): void {
  if (digest === undefined || isImageDigest(digest)) return;
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--digest ${digest} is not a valid digest`,
    hint: 'use sha256: followed by 64 hexadecimal digits',
  });
}
