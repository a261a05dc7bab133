import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { defined, EchelonError } from '../../../base/index.ts';
import { type DeliveryRequest, openPromotion, type PlanRequest, type Promotion } from '../../../promotion/index.ts';
import { shortPath } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import type { Format } from '../../output/format.ts';
import { promotionPorts } from './promotion-ports.ts';

export interface WorkspaceFlags {
  readonly data?: string;
  readonly rolloutRecord?: string;
}

/** The flags of a plan are its request; folders are relative to the current directory. */
export interface PromoteFlags extends PlanRequest, WorkspaceFlags {
  readonly output: Format;
  readonly color?: boolean;
  readonly detailedExitcode?: boolean;
}

export interface PromoteApplyFlags extends PromoteFlags {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export interface MrFlags extends PromoteFlags, Omit<DeliveryRequest, 'labels' | 'forge'> {
  readonly label?: readonly string[];
  readonly forge?: 'gitlab' | 'github';
  readonly forgeApi?: string;
  readonly dryRun?: boolean;
}

export function promotionOf(io: Io, flags: WorkspaceFlags): Promotion {
  return openPromotion({ folder: instanceFolder(io, flags) }, promotionPorts(io, flags));
}

export function planRequest(io: Io, flags: PromoteFlags): PlanRequest {
  const from = (folder: string | undefined): string | undefined =>
    folder === undefined ? undefined : resolve(io.cwd, folder);
  const clones = { upstreamClone: from(flags.upstreamClone), schemasClone: from(flags.schemasClone) };
  return { ...flags, ...defined(clones) };
}

export function deliveryRequest(flags: MrFlags): DeliveryRequest {
  const { label: labels = [], forge: kind, forgeApi: api } = flags;
  return { ...flags, labels, forge: { ...defined({ kind, api }) } };
}

/** The instance folder: `--data`, ECHELON_DATA, else the current one. A bundle or a server cannot be edited. */
function instanceFolder(io: Io, { data }: WorkspaceFlags): string {
  const name = data ?? (io.env['ECHELON_DATA'] || '.');
  const folder = resolve(io.cwd, name);
  const isUrl = /^https?:\/\//i.test(name);
  if (!isUrl && statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new EchelonError({
    code: 'PROMOTION_NEEDS_FOLDER',
    message: isUrl
      ? 'a promotion edits files, but the data is on a server'
      : `a promotion edits files, but ${shortPath(io.cwd, name)} is not a folder`,
    hint: 'pass a clone of the data repository with --data',
  });
}
