import {
  type Instance,
  type Integration,
  type KeyPath,
  type LayoutNode,
  lineAndColumn,
  lineEnd,
  lineStart,
  type Managed,
  type ShardOverride,
  yamlLayout,
} from '../../instance/index.ts';
import { type ShardItem, strategyOf } from '../../sharding/index.ts';
import { isFor, pinError } from './select-shards.ts';

/** A pinned shard. */
export interface Pin extends PinNote {
  readonly integration: string;
  readonly environment: string;
  readonly cluster: string;
  readonly namespace: string;
  /** The shard's name, or the override's selector if no shard matches it. */
  readonly shard: string;
  /** The shard's key; absent if no shard matches. */
  readonly key?: string;
  readonly imageRef: string;
  /** Path of the integration's datafile, below `data/`. */
  readonly file: string;
  /** One-based line of the image; absent if the source has no text. */
  readonly line?: number;
}

/** Every pin of an instance, in the order of integrations and their files. Pure. */
export function listPins(instance: Instance): Pin[] {
  return instance.integrations.flatMap((integration) => {
    const pinned = integration.managed.some(({ sharding }) => sharding.overrides.some(isPin));
    if (!pinned) return [];
    const text = instance.snapshot.text(integration.file);
    const source = text === undefined ? undefined : { text, root: yamlLayout(text)[0] };
    return integration.managed.flatMap((entry) => pinsOf(instance, integration, entry, source));
  });
}

interface Source {
  readonly text: string;
  readonly root: LayoutNode | undefined;
}

function isPin({ imageRef }: ShardOverride): boolean {
  return imageRef !== undefined;
}

function pinsOf(instance: Instance, integration: Integration, entry: Managed, source: Source | undefined): Pin[] {
  const items = strategyOf(entry.sharding.strategy)?.items?.(instance) ?? [];
  return entry.sharding.overrides.flatMap((override, index) => {
    if (override.imageRef === undefined) return [];
    const item = items.find((one) => isFor(override, one));
    const keys = [...entry.keys, 'sharding', 'shardSpecOverrides', index];
    return [
      {
        integration: integration.name,
        environment: entry.namespace.environment.name,
        cluster: entry.namespace.cluster.name,
        namespace: entry.namespace.name,
        shard: item?.name ?? selectorText(override),
        ...keyOf(item),
        imageRef: override.imageRef,
        file: integration.file,
        ...(source === undefined ? {} : written(source, keys)),
      },
    ];
  });
}

function keyOf(item: ShardItem | undefined): { key?: string } {
  return item === undefined ? {} : { key: item.key };
}

function selectorText({ shard }: ShardOverride): string {
  if (shard.by === 'ref') return shard.path;
  return shard.by === 'name' ? shard.name : String(shard.id);
}

/** The line and comment of an override's image; nothing if it is in an alias or an old spelling. */
function written({ text, root }: Source, keys: KeyPath): Pick<Pin, 'line' | 'reason' | 'until'> {
  const override = keys.reduce((node: LayoutNode | undefined, step) => childOf(node, step), root);
  const image = childOf(override, 'imageRef');
  if (image === undefined || override === undefined) return {};
  const { line } = lineAndColumn(text, image.start);
  const trailing = /^\s*#\s*(.*?)\s*$/.exec(text.slice(image.end, lineEnd(text, image.end)))?.[1];
  const comment = trailing ?? (commentAbove(text, image.start) || commentAbove(text, override.start));
  return { line, ...readNote(comment) };
}

function childOf(node: LayoutNode | undefined, step: string | number): LayoutNode | undefined {
  if (typeof step === 'number') return node?.kind === 'sequence' ? node.items[step] : undefined;
  return node?.kind === 'mapping' ? node.entries.find(({ key }) => key === step)?.value : undefined;
}

/** The comment lines directly above a line, joined. */
function commentAbove(text: string, offset: number): string {
  const lines: string[] = [];
  let start = lineStart(text, offset);
  while (start > 0) {
    const before = lineStart(text, start - 1);
    const comment = /^\s*#\s*(.*?)\s*$/.exec(text.slice(before, start))?.[1];
    if (comment === undefined) break;
    lines.unshift(comment);
    start = before;
  }
  return lines.join(' ');
}

/** Why a shard is pinned and until when, from the comment after its image. */
export interface PinNote {
  readonly reason?: string;
  /** A day, `2026-12-01`. */
  readonly until?: string;
}

const MAX_REASON = 200;
/** A hand-written comment may have the date anywhere. */
const UNTIL = /\buntil (\d{4}-\d{2}-\d{2})\b/;
const OWN_PREFIX = /^until \d{4}-\d{2}-\d{2}(?::\s*|$)/;

/** The text of the comment; undefined if the note is empty. */
export function noteText({ reason, until }: PinNote): string | undefined {
  const text = reason === undefined ? undefined : oneLine(reason);
  if (until === undefined) return text;
  if (!isDay(until))
    throw pinError('FLAG_INVALID', `--until ${until} is not a valid date`, 'use a date such as 2026-12-01');
  return text === undefined ? `until ${until}` : `until ${until}: ${text}`;
}

export function readNote(comment: string): PinNote {
  const until = UNTIL.exec(comment)?.[1];
  const isDated = until !== undefined && isDay(until);
  const reason = isDated ? comment.replace(OWN_PREFIX, '') : comment;
  return { ...(isDated ? { until } : {}), ...(reason === '' ? {} : { reason }) };
}

/** Whether the day is over, by UTC. */
export function isExpired({ until }: PinNote, now: Date): boolean {
  return until !== undefined && until < now.toISOString().slice(0, 10);
}

function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function oneLine(reason: string): string | undefined {
  const text = reason.replaceAll(/\s+/g, ' ').trim();
  if (/[^\x20-\x7e\u00a0-\u2027\u202a-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u.test(text) || !text.isWellFormed()) {
    throw pinError('FLAG_INVALID', 'the reason has characters that are not allowed in a comment', 'use plain text');
  }
  if (text.length > MAX_REASON) {
    throw pinError(
      'FLAG_INVALID',
      `the reason has ${text.length} characters, more than ${MAX_REASON}`,
      'shorten it, or refer to a ticket',
    );
  }
  return text === '' ? undefined : text;
}
