import { isJson, mapLimited, shortDigests } from '../../base/index.ts';
import { type Instance, type KeyPath, locateFindings, type Snapshot } from '../../instance/index.ts';
import type { LineDate, Note, UpstreamHistory } from '../ports.ts';
import { valueAtKeys } from '../targets/find-targets.ts';
import type { Range } from './upstream-commits.ts';

interface Hit {
  readonly path: string;
  readonly keys: KeyPath;
  readonly rule: 'stale-digest' | 'empty-digest';
  readonly message: string;
  readonly hint: string;
}

/** Tags that change without their digest, and images that would be `repository:tag@`, in the changed files. */
export function digestNotes(before: Snapshot, after: Snapshot, files: readonly string[]): Note[] {
  const hits = files.flatMap((file) => {
    const path = file.replace(/^data/, '');
    return fileHits(path, before.datafiles.get(path)?.content, after.datafiles.get(path)?.content);
  });
  const problems = locateFindings(
    after,
    hits.map(({ rule, path, keys, message, hint }) => ({
      rule,
      severity: 'warning' as const,
      path,
      keys,
      message,
      hint,
    })),
  );
  return hits.map(({ rule, message, hint }, index) => {
    const { file, line } = problems[index] ?? {};
    return {
      rule,
      message,
      hint,
      ...(file === undefined ? {} : { at: line === undefined ? file : `${file}:${line}` }),
    };
  });
}

function fileHits(path: string, before: unknown, after: unknown): Hit[] {
  const hits: Hit[] = [];
  visit(after, [], (mapping, keys) => {
    const was = valueAtKeys(before, keys);
    for (const key of Object.keys(mapping)) hits.push(...keyHits({ path, keys, mapping, was }, key));
  });
  return hits;
}

interface Mapping {
  readonly path: string;
  readonly keys: KeyPath;
  readonly mapping: Readonly<Record<string, unknown>>;
  readonly was: unknown;
}

function keyHits({ path, keys, mapping, was }: Mapping, key: string): Hit[] {
  const value = mapping[key];
  if (typeof value === 'string' && /^[\w.-]+(?:[/:][\w.-]+)+@$/.test(value))
    return [empty(path, [...keys, key], value)];
  const digestKey = key.replace(/TAG$/, 'DIGEST').replace(/tag$/, 'digest');
  const digest = digestKey === key ? undefined : mapping[digestKey];
  if (digest === '' && typeof value === 'string') return [empty(path, [...keys, digestKey], value)];
  if (digest === undefined || !isJson(was)) return [];
  return was[key] !== value && was[digestKey] === digest ? [stale(path, [...keys, digestKey], key)] : [];
}

function stale(path: string, keys: KeyPath, tag: string): Hit {
  return {
    path,
    keys,
    rule: 'stale-digest',
    message: `${tag} changes but ${String(keys.at(-1))} next to it does not: the old image would keep running behind the new tag`,
    hint: `add digest: ${String(keys.at(-1))} to the target in promotion.yml, and pass --check-image`,
  };
}

function empty(path: string, keys: KeyPath, value: string): Hit {
  return {
    path,
    keys,
    rule: 'empty-digest',
    message: `${String(keys.at(-1))} is empty: the image would be ${value.endsWith('@') ? value : `…:${value}@`}, which is not a valid reference`,
    hint: 'set the digest, or remove the key',
  };
}

function visit(
  value: unknown,
  keys: KeyPath,
  see: (mapping: Readonly<Record<string, unknown>>, keys: KeyPath) => void,
): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visit(item, [...keys, index], see);
  } else if (isJson(value)) {
    see(value, keys);
    for (const [key, item] of Object.entries(value)) visit(item, [...keys, key], see);
  }
}

/** Files of a reconciler that depend on the data schemas. */
const FOLLOWS_SCHEMAS =
  /(?:^|\/)(?:introspection\.json|gql_definitions\/|graphql-schemas\/|schemas?\/)|schemas?\.(?:ya?ml|json|graphql)$/i;
const MOST_NAMED = 3;

export interface SchemasState {
  /** What `.env` pins. */
  readonly pinned: string;
  readonly newest: string;
  readonly behind: number;
}

/** New code may need newer schemas, which are promoted first in a separate promotion. */
export async function schemasNotes(
  ranges: readonly Range[],
  history: UpstreamHistory,
  state: SchemasState | undefined,
): Promise<Note[]> {
  const touched = await Promise.all(
    ranges
      .filter(({ relation }) => relation === 'ahead')
      .map(async ({ from, to }) => (await history.changedPaths?.(from, to)) ?? []),
  );
  const paths = [...new Set(touched.flat().filter((path) => FOLLOWS_SCHEMAS.test(path)))];
  const isBehind = state !== undefined && state.behind > 0;
  const notes: Note[] = [];
  if (isBehind) {
    notes.push({
      rule: 'promote-schemas-first',
      message: `promote schemas first: SCHEMAS_IMAGE_TAG ${state.pinned} is ${state.behind} behind ${state.newest.slice(0, 7)}`,
      hint: 'run echelon promote schemas, merge that, then promote this',
    });
  }
  if (paths.length > 0 && (state === undefined || isBehind)) {
    const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '';
    notes.push({
      rule: 'promote-schemas-first',
      message: `the commits in this range change files that depend on the schemas (${paths.slice(0, MOST_NAMED).join(', ')}${more}): they may need newer schemas`,
      hint: 'promote schemas first, or check with --schemas-clone that SCHEMAS_IMAGE_TAG is new enough',
    });
  }
  return notes;
}

const MOST_PINS = 200;
const AT_ONCE = 4;

/** Pins whose line was committed a long time ago. An uncommitted line is new. */
export async function forgottenPins(instance: Instance, dateOf: LineDate, now: Date): Promise<Note[]> {
  const pins = pinPlaces(instance).slice(0, MOST_PINS);
  const dated = await mapLimited(pins, AT_ONCE, async (pin) => {
    const since = await dateOf(pin.file, pin.line);
    return since === undefined ? [] : [{ ...pin, since }];
  });
  return oldPinNotes(dated.flat(), now);
}

/** A pin in an integration file. */
interface PinPlace {
  readonly integration: string;
  readonly image: string;
  /** `data/integrations/x.yml` */
  readonly file: string;
  /** One-based. */
  readonly line: number;
}

const OLD_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Every pin of an instance whose source has text. */
function pinPlaces(instance: Instance): PinPlace[] {
  const pins = instance.integrations.flatMap((integration) =>
    integration.managed.flatMap(({ keys, spec, sharding }) => [
      ...(spec.imageRef === undefined
        ? []
        : [{ integration, image: spec.imageRef, keys: [...keys, 'spec', 'imageRef'] as KeyPath }]),
      ...sharding.overrides.flatMap(({ imageRef }, index) =>
        imageRef === undefined
          ? []
          : [
              {
                integration,
                image: imageRef,
                keys: [...keys, 'sharding', 'shardSpecOverrides', index, 'imageRef'] as KeyPath,
              },
            ],
      ),
    ]),
  );
  const findings = pins.map(({ integration, keys }) => ({
    rule: 'pin',
    severity: 'warning' as const,
    path: integration.file,
    keys,
    message: '',
    hint: '',
  }));
  const located = locateFindings(instance.snapshot, findings);
  return pins.flatMap(({ integration, image }, index) => {
    const { file, line } = located[index] ?? {};
    return file === undefined || line === undefined ? [] : [{ integration: integration.name, image, file, line }];
  });
}

/** Pins that have not changed for a long time and may be forgotten. */
function oldPinNotes(pins: readonly (PinPlace & { readonly since: Date })[], now: Date): Note[] {
  return pins.flatMap(({ integration, image, file, line, since }): Note[] => {
    const days = Math.floor((now.getTime() - since.getTime()) / DAY_MS);
    if (days <= OLD_DAYS) return [];
    return [
      {
        rule: 'old-pin',
        message: `${integration} has been pinned to ${shortDigests(image)} for ${days} days`,
        hint: 'if it is no longer needed, remove it with: echelon unpin',
        at: `${file}:${line}`,
      },
    ];
  });
}
