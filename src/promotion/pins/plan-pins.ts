import { isDeepStrictEqual } from 'node:util';
import { count, defined, imageRefParts, isImageRef, isJson } from '../../base/index.ts';
import { declaredImage, type Instance, type Integration, type Managed, readInstance } from '../../instance/index.ts';
import { expandShards, type Shard, type ShardItem, workloadOf } from '../../sharding/index.ts';
import { type EntryPins, editPins, type NewPin } from './edit-pins.ts';
import { noteText, type PinNote } from './list-pins.ts';
import {
  clusterNamespace,
  type EntryChoice,
  environmentOf,
  overrideIndex,
  pinError,
  type ShardChoice,
  type ShardedEntry,
  selectEntries,
  selectShards,
} from './select-shards.ts';

export interface PinPlan {
  /** Path of the integration's datafile, below `data/`. */
  readonly file: string;
  readonly before: Uint8Array;
  /** The same object as `before` if nothing changes. */
  readonly after: Uint8Array;
  readonly changes: readonly PinChange[];
  readonly warnings: readonly string[];
}

/** An integration, the text of its file, and the selected entries and shards. */
export interface PinSubject {
  readonly instance: Instance;
  readonly integration: Integration;
  readonly bytes: Uint8Array;
  readonly entries: EntryChoice;
  readonly shards: ShardChoice;
}

interface EntryPlan {
  readonly sharded: ShardedEntry;
  readonly edit: EntryPins;
  readonly changes: readonly PinChange[];
}

/**
 * Pins shards to an image; without one, each to its currently declared image. An unchanged pin gets a new note only if its
 * shard was selected by name. Pure.
 */
export function planPin(subject: PinSubject, image: string | undefined, note: PinNote): PinPlan {
  if (image !== undefined && !isImageRef(image)) {
    throw pinError(
      'FLAG_INVALID',
      `${JSON.stringify(image)} is not a valid image tag`,
      'use a tag such as 8c41f7e without the repository, or a tag with its digest such as 8c41f7e@sha256:…',
    );
  }
  const comment = noteText(note);
  const plans = selectEntries(subject.instance, subject.integration, subject.entries).map((sharded): EntryPlan => {
    const pinned = selectShards(sharded, subject.shards).map((item) => {
      const index = overrideIndex(sharded, item);
      const from = index === undefined ? undefined : sharded.entry.sharding.overrides[index]?.imageRef;
      const to = image ?? from ?? currentImage(subject.instance, sharded);
      const pin: NewPin = {
        ...defined({ index }),
        ref: item.file,
        imageRef: to,
        ...defined({ note: comment }),
      };
      return { pin, change: changeOf(sharded, item, from, to) };
    });
    const isNamed = 'shards' in subject.shards;
    const written = pinned.filter(({ pin, change }) => change.action !== 'keep' || (isNamed && pin.note !== undefined));
    return {
      sharded,
      edit: { managed: sharded.entry.keys, pins: written.map(({ pin }) => pin) },
      changes: pinned.map(({ change }) => change),
    };
  });
  return finished(subject, plans, [...cronWarnings(plans), ...restartWarnings(subject.instance, plans, image)]);
}

/** Removes images from shard overrides, and overrides that contain nothing else. Pure. */
export function planUnpin(subject: PinSubject): PinPlan {
  const { instance, integration, entries } = subject;
  const chosen = selectEntries(instance, integration, { ...entries, ...onlyPinned(integration, entries) });
  const plans = chosen.map((sharded): EntryPlan => {
    const found = selectShards(sharded, subject.shards).map((item) => {
      const index = overrideIndex(sharded, item);
      const from = index === undefined ? undefined : sharded.entry.sharding.overrides[index]?.imageRef;
      return { index, pinned: from !== undefined, change: changeOf(sharded, item, from, undefined) };
    });
    const listed = 'shards' in subject.shards ? found : found.filter(({ pinned }) => pinned);
    return {
      sharded,
      edit: {
        managed: sharded.entry.keys,
        unpins: listed.flatMap(({ index, pinned }) => (pinned && index !== undefined ? [index] : [])),
      },
      changes: listed.map(({ change }) => change),
    };
  });
  const idle = plans.flatMap(({ changes }) => changes).filter(({ action }) => action === 'keep');
  return finished(
    subject,
    plans,
    idle.map(({ shard, environment }) => `${shard} is not pinned in ${environment}`),
  );
}

/** If only one entry has pins, it need not be selected. */
function onlyPinned({ managed }: Integration, { environments, namespaces }: EntryChoice): EntryChoice {
  if (environments !== undefined || namespaces !== undefined) return {};
  const pinned = managed.filter(({ sharding }) => sharding.overrides.some(({ imageRef }) => imageRef !== undefined));
  const [only, again] = pinned;
  return only === undefined || again !== undefined
    ? {}
    : { namespaces: [clusterNamespace(only)], environments: [environmentOf(only)] };
}

function currentImage(instance: Instance, { integration, entry }: ShardedEntry): string {
  const declared = declaredImage(instance, integration, entry);
  if (declared !== undefined) return declared;
  const tag = instance.snapshot.env.get('RECONCILE_IMAGE_TAG');
  const hint = `pass it with --image${tag === undefined ? '' : `; .env has RECONCILE_IMAGE_TAG=${tag}`}`;
  const message = `the instance does not declare which image ${integration.name} runs in ${environmentOf(entry)}`;
  throw pinError('PIN_IMAGE_UNKNOWN', message, hint);
}

function changeOf(sharded: ShardedEntry, item: ShardItem, from: string | undefined, to: string | undefined): PinChange {
  const { integration, entry } = sharded;
  const action = from === to ? 'keep' : to === undefined ? 'unpin' : from === undefined ? 'pin' : 'repin';
  return {
    integration: integration.name,
    environment: environmentOf(entry),
    cluster: entry.namespace.cluster.name,
    namespace: entry.namespace.name,
    shard: item.name,
    action,
    ...defined({ from, to }),
  };
}

/** A tag without its running digest is the same image under another reference, and changing it restarts pods. */
function restartWarnings(instance: Instance, plans: readonly EntryPlan[], image: string | undefined): string[] {
  if (image === undefined) return [];
  return plans.flatMap(({ sharded: { integration, entry }, changes }) => {
    const running = declaredImage(instance, integration, entry);
    const renamed = changes.filter(({ action, from }) => action === 'pin' && from === undefined).length;
    if (running === undefined || renamed === 0 || running === image || imageRefParts(running).tag !== image) return [];
    return [
      `${count(renamed, 'shard')} of ${integration.name} in ${environmentOf(entry)} will restart once: ${image} is running there with its digest; omit --image to keep exactly that image`,
    ];
  });
}

function cronWarnings(plans: readonly EntryPlan[]): string[] {
  return plans
    .filter(({ sharded, changes }) => changes.length > 0 && workloadOf(sharded.entry) === 'CronJob')
    .map(
      ({ sharded: { integration, entry } }) =>
        `${integration.name} is a CronJob in ${environmentOf(entry)}: Echelon honours the pin, the existing manager ignores it`,
    );
}

function finished(subject: PinSubject, plans: readonly EntryPlan[], warnings: readonly string[]): PinPlan {
  const { integration, bytes } = subject;
  const edits = plans.map(({ edit }) => edit).filter(({ pins = [], unpins = [] }) => pins.length + unpins.length > 0);
  const edited = edits.length === 0 ? undefined : editPins(`data${integration.file}`, bytes, edits);
  const changes = plans.flatMap((plan) => plan.changes);
  if (edited !== undefined) verifyPins(subject, edited.content, changes);
  return { file: integration.file, before: bytes, after: edited?.bytes ?? bytes, changes, warnings };
}

interface Subject {
  readonly instance: Instance;
  readonly integration: Integration;
}

/**
 * Reads the instance with the new content of the integration's file: every changed shard must have its new image, and
 * everything else must be exactly as before. Throws otherwise.
 */
function verifyPins({ instance, integration }: Subject, content: unknown, changes: readonly PinChange[]): void {
  const after = instanceWith(instance, integration, content);
  const now = after.integrations.find(({ file }) => file === integration.file);
  const same = now !== undefined && now.managed.length === integration.managed.length;
  const fits =
    same &&
    integration.managed.every((entry, index) => {
      const next = now.managed[index];
      const own = changes.filter((change) => isChangeOf(change, entry));
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

function isChangeOf({ environment, cluster, namespace }: PinChange, entry: Managed): boolean {
  return environment === environmentOf(entry) && `${cluster}/${namespace}` === clusterNamespace(entry);
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

/** The change of one shard's pin. */
export interface PinChange {
  readonly integration: string;
  readonly environment: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly shard: string;
  readonly action: 'pin' | 'repin' | 'unpin' | 'keep';
  /** The image that the shard was pinned to. */
  readonly from?: string;
  /** The image that it will be pinned to. */
  readonly to?: string;
}
