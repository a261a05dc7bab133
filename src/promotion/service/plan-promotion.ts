import { defined } from '../../base/index.ts';
import { makePromotionPlan, type PromotionPlan } from '../plan/make-plan.ts';
import type { SchemasState } from '../plan/schemas-notes.ts';
import type { PlanRequest, PromotionPorts } from '../ports.ts';
import {
  chooseTargets,
  chooseUpstream,
  missingConfig,
  type PromotionConfig,
  type Upstream,
  withSchemas,
} from '../targets/promotion-file.ts';
import { forgottenPins } from './forgotten-pins.ts';
import type { Instead } from './rollback.ts';
import { openUpstream } from './upstream.ts';
import { wantedVersion } from './wanted-version.ts';
import type { Workspace } from './workspace.ts';

const HISTORY_LIMIT = 1;

/** Where git has the instance's files: a folder of a clone, and a commit unless it is the working tree. */
interface GitPlace {
  readonly folder: string;
  readonly commit?: string;
}

interface PlanOptions {
  readonly instead?: Instead;
  /** The workspace itself when absent. */
  readonly place?: GitPlace;
}

/** Collects all facts and computes the plan for a workspace. */
export async function planPromotion(
  ports: PromotionPorts,
  request: PlanRequest,
  workspace: Workspace,
  config: PromotionConfig | undefined,
  { instead, place = { folder: workspace.root } }: PlanOptions = {},
): Promise<PromotionPlan> {
  const known = request.upstream === 'schemas' ? withSchemas(config, workspace.snapshot.env) : config;
  if (known === undefined) throw missingConfig();
  const name = chooseUpstream(known, request.upstream);
  const upstream = known.upstreams[name] as Upstream;
  const only = request.only ?? [];
  const targets = chooseTargets(known, { upstream: name, only, except: request.except ?? [] });
  const { upstreamClone: clone, offline } = request;
  const history = await openUpstream(ports, upstream, { ...defined({ clone, offline }) });
  const commit = instead?.commit ?? (await history.resolve(request.to));
  const version = await wantedVersion(ports, request, { workspace, upstream, name, commit });
  const schemas = name === 'schemas' ? undefined : await schemasState(ports, request, workspace, known);
  const { git } = ports;
  return makePromotionPlan({
    ...workspace,
    upstream: { name, ...defined({ url: upstream.url }) },
    version,
    targets,
    allTargets: known.targets,
    scope: instead?.scope ?? only,
    history,
    caller: await git.identity(place.folder),
    allowRollback: request.allowRollback === true || instead !== undefined,
    now: ports.now(),
    ...defined({ valueFor: instead?.valueFor, schemas, recorded: ports.recorded }),
    oldPins: await forgottenPins(workspace.instance, git.lineDates(place.folder, place.commit), ports.now()),
  });
}

/** How far the pinned schemas are behind, if a clone is available. */
async function schemasState(
  ports: PromotionPorts,
  { schemasClone }: PlanRequest,
  { snapshot }: Workspace,
  { upstreams }: PromotionConfig,
): Promise<SchemasState | undefined> {
  const pinned = snapshot.env.get('SCHEMAS_IMAGE_TAG');
  if (schemasClone === undefined || pinned === undefined) return undefined;
  const upstream = upstreams['schemas'] ?? { url: snapshot.env.get('SCHEMAS_REPO') ?? '' };
  const history = await openUpstream(ports, upstream, { clone: schemasClone });
  const newest = await history.resolve(undefined);
  const { relation, total } = await history.compare(pinned, newest, HISTORY_LIMIT);
  return { pinned, newest, behind: relation === 'ahead' || relation === 'diverged' ? total : 0 };
}
