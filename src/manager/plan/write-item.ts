import { EchelonError } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import type { ClusterApi, ObjectId } from './cluster-api.ts';
import { ANNOTATION, fingerprint } from './object-hash.ts';
import type { PlanItem, Seen } from './plan.ts';
import { migratedManagers } from './take-over.ts';

type Sleep = (milliseconds: number) => Promise<void>;

/** Applies one item. The live object must be the one that was planned for; another one with the same name is not touched. */
export async function writeItem(api: ClusterApi, item: PlanItem, sleep: Sleep): Promise<void> {
  switch (item.action) {
    case 'create':
      return create(api, item.object);
    case 'update':
    case 'adopt':
      return update(api, item);
    case 'recreate':
      await api.remove(item, { ...uidOf(item.seen), orphan: true });
      await waitUntilDeleted(api, item, sleep);
      return create(api, item.object);
    case 'delete':
      return api.remove(item, uidOf(item.seen));
    default:
      return;
  }
}

function uidOf({ uid }: Seen): { readonly uid?: string } {
  return uid === undefined ? {} : { uid };
}

/** No object ever has this resource version: if one with the name exists by now, the server refuses the write. */
const NEVER = '1';

/** An object created since the plan was computed belongs to someone else, unless its content is exactly ours. */
async function create(api: ClusterApi, object: KubeObject): Promise<void> {
  try {
    await api.apply(withMetadata(object, { resourceVersion: NEVER }), { force: false });
  } catch (thrown) {
    if (!isConflict(thrown)) throw thrown;
    const live = await find(api, idOf(object));
    if (live === undefined || hashOn(live) !== hashOn(object)) throw appeared(object, thrown);
  }
}

/** If other field managers wrote the object before, Echelon takes over their fields first. */
async function update(api: ClusterApi, item: PlanItem & { readonly action: 'update' | 'adopt' }): Promise<void> {
  const { object, seen, takeOver, force } = item;
  if (takeOver !== undefined) await migrate(api, item, seen);
  await api.apply(withMetadata(object, uidOf(seen)), { force });
}

const MAX_ATTEMPTS = 5;

/** Retries when a controller updated the object in between, as long as its content is still what was planned for. */
async function migrate(api: ClusterApi, item: PlanItem, seen: Seen): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const live = await find(api, item);
    if (live === undefined || fingerprint(live) !== seen.fingerprint) throw changed(item);
    try {
      await api.patch(item, [
        { op: 'replace', path: '/metadata/resourceVersion', value: live.metadata['resourceVersion'] },
        { op: 'replace', path: '/metadata/managedFields', value: migratedManagers(live) },
      ]);
      return;
    } catch (thrown) {
      if (!isConflict(thrown) || attempt >= MAX_ATTEMPTS) throw thrown;
    }
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

function withMetadata(
  object: KubeObject,
  extra: { readonly uid?: string; readonly resourceVersion?: string },
): KubeObject {
  return { ...object, metadata: { ...object.metadata, ...extra } };
}

function hashOn({ metadata }: KubeObject): unknown {
  return (metadata['annotations'] as Readonly<Record<string, unknown>> | undefined)?.[ANNOTATION.sha256sum];
}

function isConflict(thrown: unknown): boolean {
  return thrown instanceof EchelonError && (thrown.code === 'KUBE_CONFLICT' || thrown.code === 'KUBE_FIELD_CONFLICT');
}

function appeared({ kind, metadata }: KubeObject, cause: unknown): EchelonError {
  return new EchelonError({
    code: 'KUBE_CONFLICT',
    message: `${kind} ${metadata.namespace}/${metadata.name} was created by someone else since the plan was computed; it was not changed`,
    hint: 'plan again',
    cause,
  });
}

function changed({ kind, namespace, name }: ObjectId): EchelonError {
  return new EchelonError({
    code: 'KUBE_CONFLICT',
    message: `${kind} ${namespace}/${name} changed since the plan was computed`,
    hint: 'plan again',
  });
}
