import { isDeepStrictEqual } from 'node:util';
import { isJson } from '../../base/index.ts';
import { type Instance, type Integration, type Managed, readInstance } from '../../instance/index.ts';
import { expandShards, type Shard } from '../../sharding/index.ts';
import type { PinChange } from './pin-change.ts';
import { environmentOf, pinError, placeOf } from './select-entries.ts';

interface Subject {
  readonly instance: Instance;
  readonly integration: Integration;
}

/**
 * Reads the instance with the new content of the integration's file: every changed shard must have its new image, and
 * everything else must be exactly as before. Throws otherwise.
 */
export function verifyPins({ instance, integration }: Subject, content: unknown, changes: readonly PinChange[]): void {
  const after = instanceWith(instance, integration, content);
  const now = after.integrations.find(({ file }) => file === integration.file);
  const same = now !== undefined && now.managed.length === integration.managed.length;
  const fits =
    same &&
    integration.managed.every((entry, index) => {
      const next = now.managed[index];
      const own = changes.filter((change) => isOf(change, entry));
      return (
        next !== undefined &&
        entryFits({ instance, integration, entry }, { instance: after, integration: now, entry: next }, own)
      );
    });
  if (fits) return;
  const message = `data${integration.file} would change more than the requested pins`;
  throw pinError('PIN_UNVERIFIED', message, 'edit the file by hand and report this; nothing was changed');
}

function instanceWith(instance: Instance, { file }: Integration, content: unknown): Instance {
  const { snapshot } = instance;
  const old = snapshot.datafiles.get(file);
  if (old === undefined || !isJson(content)) return instance;
  return readInstance({ ...snapshot, datafiles: new Map([...snapshot.datafiles, [file, { ...old, content }]]) });
}

function isOf({ environment, cluster, namespace }: PinChange, entry: Managed): boolean {
  return environment === environmentOf(entry) && `${cluster}/${namespace}` === placeOf(entry);
}

interface Side extends Subject {
  readonly entry: Managed;
}

function entryFits(before: Side, after: Side, changes: readonly PinChange[]): boolean {
  const [old, now] = [before, after].map(({ instance, integration, entry }) =>
    expandShards(instance, integration, entry),
  );
  if (old === undefined || now === undefined || old.shards.length !== now.shards.length) return false;
  const byShard = new Map(changes.map((change) => [change.shard, change]));
  return old.shards.every((shard, index) => {
    const next = now.shards[index];
    const change = byShard.get(itemName(shard));
    return (
      next !== undefined &&
      (change === undefined ? isDeepStrictEqual(shard, next) : shardFits(shard, next, change, after.entry))
    );
  });
}

/** Sub-shards are pinned through the shard that they divide. */
function itemName({ reference, name }: Shard): string {
  return reference['name'] ?? name;
}

function shardFits(before: Shard, after: Shard, { to }: PinChange, { spec }: Managed): boolean {
  const { override: _, settings: old, ...was } = before;
  const { override, settings: now, ...is } = after;
  const { imageRef: _image, imageFrom: _from, ...oldRest } = old;
  const { imageRef, imageFrom, ...nowRest } = now;
  if (!isDeepStrictEqual(was, is) || !isDeepStrictEqual(oldRest, nowRest)) return false;
  if (override?.imageRef !== to || imageRef !== (to ?? spec.imageRef)) return false;
  return (imageFrom === 'override') === (to !== undefined);
}
