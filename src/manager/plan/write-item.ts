import { defined, EchelonError } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import type { ClusterApi, ObjectId, Precondition } from './cluster-api.ts';
import { decideAgain } from './decide-again.ts';
import { ANNOTATION, fingerprint } from './object-hash.ts';
import type { PlanItem, Seen } from './plan-item.ts';
import { migratedManagers } from './take-over.ts';

type Sleep = (milliseconds: number) => Promise<void>;

/**
 * Applies one item. The live object must be the very version that was planned for: a write that arrives late, or after
 * someone else's, is refused by the server.
 */
export async function writeItem(api: ClusterApi, item: PlanItem, sleep: Sleep): Promise<void> {
  switch (item.action) {
    case 'create':
      return create(api, item.object);
    case 'update':
    case 'adopt':
      return update(api, item);
    case 'recreate':
      await writeToSeen(api, item, (seen) => api.remove(item, { ...seen, orphan: true }));
      await waitUntilDeleted(api, item, sleep);
      return create(api, item.object);
    case 'delete':
      return writeToSeen(api, item, (seen) => api.remove(item, seen));
    default:
      return;
  }
}

type Observed = Extract<PlanItem, { readonly seen: Seen }>;

const MAX_ATTEMPTS = 5;

/** Writes to the version that was observed. When it is refused, that object is observed and decided again. */
async function writeToSeen(
  api: ClusterApi,
  item: Observed,
  write: (seen: Precondition) => Promise<unknown>,
  first: Precondition = item.seen,
): Promise<void> {
  let seen = first;
  for (let left = MAX_ATTEMPTS; ; left -= 1) {
    const refused = await conflictOf(() => write(defined({ uid: seen.uid, resourceVersion: seen.resourceVersion })));
    if (refused === undefined) return;
    const next = decideAgain(item, await find(api, item));
    if (next.kind === 'done') return;
    if (next.kind === 'changed') throw changed(item, refused);
    if (left <= 1) throw refused;
    seen = next.seen;
  }
}

/** No object ever has this resource version: if one with the name exists by now, the server refuses the write. */
const NEVER = '1';

/** An object created since the plan was computed belongs to someone else, unless its content is exactly ours. */
async function create(api: ClusterApi, object: KubeObject): Promise<void> {
  try {
    await api.apply(withMetadata(object, { resourceVersion: NEVER }), { force: false });
  } catch (thrown) {
    if (!hasCode(thrown, 'KUBE_CONFLICT') && !hasCode(thrown, 'KUBE_FIELD_CONFLICT')) throw thrown;
    const live = await find(api, idOf(object));
    if (live === undefined || hashOn(live) !== hashOn(object)) throw appeared(object, thrown);
  }
}

/** If other field managers wrote the object before, Echelon takes over their fields first. */
async function update(api: ClusterApi, item: Observed & { readonly action: 'update' | 'adopt' }): Promise<void> {
  const { object, takeOver, force } = item;
  const seen = takeOver === undefined ? item.seen : await migrate(api, item);
  await writeToSeen(api, item, (stated) => api.apply(withMetadata(object, stated), { force }), seen);
}

/**
 * Retries when a controller updated the object in between, as long as its content is still what was planned for. The
 * result is the version with the new field managers.
 */
async function migrate(api: ClusterApi, item: Observed): Promise<Precondition> {
  for (let left = MAX_ATTEMPTS; ; left -= 1) {
    const live = await find(api, item);
    if (live === undefined || fingerprint(live) !== item.seen.fingerprint) throw changed(item);
    let migrated: Precondition = item.seen;
    const refused = await conflictOf(async () => {
      const { metadata } = await api.patch(item, [
        { op: 'replace', path: '/metadata/resourceVersion', value: live.metadata['resourceVersion'] },
        { op: 'replace', path: '/metadata/managedFields', value: migratedManagers(live) },
      ]);
      migrated = metadata as Precondition;
    });
    if (refused === undefined) return migrated;
    if (left <= 1) throw refused;
  }
}

const LONGEST_WAIT_MS = 60_000;
const POLL_MS = 500;

async function waitUntilDeleted(api: ClusterApi, id: ObjectId, sleep: Sleep): Promise<void> {
  for (let waited = 0; waited < LONGEST_WAIT_MS; waited += POLL_MS) {
    if ((await find(api, id)) === undefined) return;
    await sleep(POLL_MS);
  }
  throw new EchelonError({
    code: 'KUBE_TIMEOUT',
    message: `${id.kind} ${id.namespace}/${id.name} was deleted, but still exists after ${LONGEST_WAIT_MS / 1_000} s`,
    hint: "check the cluster's garbage collector; the next pass retries",
  });
}

async function find(api: ClusterApi, { kind, namespace, name }: ObjectId): Promise<KubeObject | undefined> {
  const [found] = await api.list(kind, { namespace, name });
  return found;
}

function idOf({ kind, metadata }: KubeObject): ObjectId {
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name };
}

function withMetadata(object: KubeObject, extra: Precondition): KubeObject {
  return { ...object, metadata: { ...object.metadata, ...extra } };
}

function hashOn({ metadata }: KubeObject): unknown {
  return (metadata['annotations'] as Readonly<Record<string, unknown>> | undefined)?.[ANNOTATION.sha256sum];
}

/** The conflict that a write ran into; undefined when it succeeded. */
async function conflictOf(write: () => Promise<unknown>): Promise<EchelonError | undefined> {
  try {
    await write();
    return undefined;
  } catch (thrown) {
    if (hasCode(thrown, 'KUBE_CONFLICT')) return thrown;
    throw thrown;
  }
}

function hasCode(thrown: unknown, code: string): thrown is EchelonError {
  return thrown instanceof EchelonError && thrown.code === code;
}

function appeared({ kind, metadata }: KubeObject, cause: unknown): EchelonError {
  return new EchelonError({
    code: 'KUBE_CONFLICT',
    message: `${kind} ${metadata.namespace}/${metadata.name} was created by someone else since the plan was computed; it was not changed`,
    hint: 'plan again',
    cause,
  });
}

function changed({ kind, namespace, name }: ObjectId, cause?: unknown): EchelonError {
  return new EchelonError({
    code: 'KUBE_CONFLICT',
    message: `${kind} ${namespace}/${name} changed since the plan was computed; it was not touched`,
    hint: 'plan again',
    ...defined({ cause }),
  });
}
