import { byText, defined, fileNamePart, imageRefParts } from '../base/index.ts';
import { type Instance, type Integration, type Managed, managerFileOf, upstreamImage } from '../instance/index.ts';
import { type Capabilities, expandShards, type Shard, type Strategy, strategyOf } from '../sharding/index.ts';
import type { Sides } from './changed-files.ts';
import { integrationsOfBoth, type Selection } from './select-integrations.ts';

interface PlanOptions extends RunsOptions {
  readonly capabilities?: Capabilities;
}

interface CheckPlan {
  /** In start order. */
  readonly runs: readonly NamedRun[];
  readonly notes: readonly { readonly integration: string; readonly text: string }[];
}

/** The runs of the selected integrations. */
export function planRuns(sides: Sides, choices: readonly Selection[], options: PlanOptions = {}): CheckPlan {
  const selected = new Set(choices.filter((choice) => choice.selected).map(({ file }) => file));
  const planned = integrationsOfBoth(sides)
    .filter(({ integration }) => selected.has(integration.file))
    .map(({ integration, at }) => runsOf(sides[at].instance, integration, options));
  const runs = planned
    .flatMap((integration) => integration.runs)
    .toSorted((a, b) => orderOf(a) - orderOf(b) || byText(a.integration, b.integration));
  return {
    runs: nameRuns(runs),
    notes: planned.flatMap(({ integration, notes }) => notes.map((text) => ({ integration, text }))),
  };
}

/** Groups of runs that may run concurrently, in order. */
export function orderGroups<T extends { readonly order?: number }>(runs: readonly T[]): readonly T[][] {
  const groups = Map.groupBy(runs, orderOf);
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group);
}

function orderOf({ order = Number.MAX_SAFE_INTEGER }: { readonly order?: number }): number {
  return order;
}

/** One dry run of an integration. */
interface CheckRun {
  readonly integration: string;
  /** `pr_check.cmd`: subcommand and arguments in shell syntax. */
  readonly command: string;
  /** Arguments that limit it to some shards; appended to the command. */
  readonly args: readonly string[];
  /** Image tag; the one in `.env` when absent. */
  readonly imageRef?: string;
  /** The included shards; all when absent. */
  readonly only?: readonly string[];
  /** The excluded shards. */
  readonly without?: readonly string[];
  /** Runs with a lower number end before those with a higher one start; runs without a number come last. */
  readonly order?: number;
  /** Additional environment variables. */
  readonly environment: Readonly<Record<string, string>>;
}

interface IntegrationRuns {
  readonly integration: string;
  readonly runs: readonly CheckRun[];
  /** What the runs do not cover. */
  readonly notes: readonly string[];
}

interface RunsOptions {
  readonly capabilities?: Capabilities;
  /** Sha of the bundle to compare with, for integrations that support early exit. */
  readonly compareSha?: string;
}

/**
 * The runs that an integration needs: one with the check image without pinned shards, and one per other image with its
 * shards. An entry with its own image is a run of everything but pinned shards.
 */
export function runsOf(instance: Instance, integration: Integration, options: RunsOptions = {}): IntegrationRuns {
  const { name, prCheck } = integration;
  if (prCheck === undefined) return { integration: name, runs: [], notes: [] };
  const { uses, notes } = shardUses(instance, integration, options.capabilities);
  const run = (part: ImageGroup): CheckRun => ({
    integration: name,
    command: prCheck.cmd,
    args: argumentsFor(part, integration),
    ...defined({ imageRef: part.image }),
    ...(part.only === undefined ? {} : { only: namesOf(part.only) }),
    ...(part.without.length === 0 ? {} : { without: namesOf(part.without) }),
    ...defined({ order: prCheck.run_order }),
    environment: environmentOf(integration, options),
  });
  const { parts, notes: partNotes } = imageGroups(integration, uses);
  return { integration: name, runs: parts.map(run), notes: [...notes, ...partNotes] };
}

function namesOf(units: readonly ShardSelector[]): string[] {
  return units.map(({ name }) => name).sort(byText);
}

function environmentOf({ prCheck }: Integration, { compareSha }: RunsOptions): Record<string, string> {
  const affected = prCheck?.check_only_affected_shards === true;
  const compare = compareSha !== undefined && (affected || prCheck?.early_exit === true);
  return {
    ...(compare ? { EARLY_EXIT_COMPARE_SHA: compareSha } : {}),
    ...(compare && affected ? { CHECK_ONLY_AFFECTED_SHARDS: 'true' } : {}),
    ...(prCheck?.no_validate_schemas === true ? { NO_VALIDATE_SCHEMAS: 'true' } : {}),
  };
}

export interface RunImage {
  readonly repository: string;
  readonly tag: string;
}

export interface ImageChoice {
  /** The repository given by the user. */
  readonly image?: string;
  /** The default repository. */
  readonly defaultImage: string;
}

/**
 * The image of a run: the pin's tag, else the one in the head's `.env`. An integration whose upstream manager.yml gives an image
 * runs that, with its tag if that is the same in every environment.
 */
export function runImages(
  { image, defaultImage }: ImageChoice,
  { snapshot, integrations }: Instance,
): (run: { readonly integration: string; readonly imageRef?: string }) => RunImage {
  const { env } = snapshot;
  const file = managerFileOf(snapshot);
  const upstreams = new Map(integrations.map(({ name, upstream }) => [name, upstream]));
  return ({ integration, imageRef }) => {
    const declared = upstreamImage(file, upstreams.get(integration));
    const repository = image ?? declared?.image ?? (env.get('RECONCILE_IMAGE') || defaultImage);
    const own = declared === undefined ? env.get('RECONCILE_IMAGE_TAG') : declared.tag;
    return { repository, tag: imageRef ?? (own || 'latest') };
  };
}

export function runImageText({ repository, tag }: RunImage): string {
  return `${repository}:${tag}`;
}

/** The shards that one image runs. */
interface ImageGroup {
  readonly image: string | undefined;
  readonly only?: readonly ShardSelector[];
  readonly without: readonly ShardSelector[];
  /** All units in use, for strategies without an exclude option. */
  readonly all: readonly ShardSelector[];
}

interface Parts {
  readonly parts: readonly ImageGroup[];
  readonly notes: readonly string[];
}

/** Divides the shards of an integration by image. Pure. */
function imageGroups({ prCheck }: Integration, uses: readonly ShardUse[]): Parts {
  const main = prCheck?.imageRef;
  const whole: ImageGroup = { image: main, without: [], all: [] };
  if (uses.length === 0) return { parts: [whole], notes: [] };
  const running = uses.filter(({ disabled }) => !disabled);
  if (running.length === 0) return { parts: [], notes: ['every shard is disabled: nothing to run'] };
  if (divides(prCheck?.cmd ?? '', uses)) {
    return { parts: [whole], notes: ['pr_check.cmd selects shards itself: pins are not run separately'] };
  }
  const pins = pinsOf(running, main);
  const wide = wideImages(running, pins, main);
  const all = unitsOf(running);
  const idle = unitsOf(uses).filter((unit) => !all.some((other) => selectorKey(other) === selectorKey(unit)));
  const pinned = [...pins.values()];
  const parts = [
    ...wide.map((image) => ({
      image,
      without: [...pinned.filter(({ images }) => !images.has(image)).map(({ unit }) => unit), ...idle],
      all,
    })),
    ...narrowImages(pins, wide).map((image) => ({
      image,
      only: pinned.filter(({ images }) => images.has(image)).map(({ unit }) => unit),
      without: [],
      all,
    })),
  ];
  return { parts, notes: [...undividedNotes(running), ...elsewhereNotes(running, pins, main)] };
}

interface Pin {
  readonly unit: ShardSelector;
  /** Images set for it by a pin or by a whole entry. */
  readonly images: Set<string | undefined>;
}

type Pins = ReadonlyMap<string, Pin>;

/** A unit may be pinned to different images in different namespaces. */
function pinsOf(running: readonly ShardUse[], main: string | undefined): Pins {
  const pins = new Map<string, Pin>();
  const pinned = new Set(
    running.flatMap(({ unit, imageFrom }) =>
      unit !== undefined && imageFrom === 'override' ? [selectorKey(unit)] : [],
    ),
  );
  for (const use of running) {
    const { unit, imageFrom } = use;
    if (unit === undefined || imageFrom === 'default' || !pinned.has(selectorKey(unit))) continue;
    const pin = pins.get(selectorKey(unit)) ?? { unit, images: new Set() };
    pin.images.add(imageOf(use, main));
    pins.set(selectorKey(unit), pin);
  }
  return pins;
}

function imageOf({ imageRef }: ShardUse, main: string | undefined): string | undefined {
  return imageRef ?? main;
}

/** Images that run everything but pins: the check image first. */
function wideImages(running: readonly ShardUse[], pins: Pins, main: string | undefined): (string | undefined)[] {
  const wide = running.filter(({ unit, imageFrom }) => {
    if (unit === undefined || imageFrom === 'spec') return true;
    return imageFrom === 'default' && !pins.has(selectorKey(unit));
  });
  const images = new Set(wide.map((use) => imageOf(use, main)));
  const others = [...images].filter((image) => image !== main);
  return [...(images.has(main) ? [main] : []), ...sorted(others)];
}

function narrowImages(pins: Pins, wide: readonly (string | undefined)[]): (string | undefined)[] {
  const images = new Set([...pins.values()].flatMap((pin) => [...pin.images]));
  return sorted([...images].filter((image) => !wide.includes(image)));
}

function sorted(images: readonly (string | undefined)[]): (string | undefined)[] {
  return images.toSorted((a, b) => byText(a ?? '', b ?? ''));
}

function unitsOf(uses: readonly ShardUse[]): ShardSelector[] {
  const units = new Map(uses.flatMap(({ unit }) => (unit === undefined ? [] : [[selectorKey(unit), unit] as const])));
  return [...units.values()].sort((a, b) => byText(selectorKey(a), selectorKey(b)));
}

/** No option selects a static shard: each image runs everything. */
function undividedNotes(running: readonly ShardUse[]): string[] {
  const pinned = running.some(({ unit, imageFrom }) => unit === undefined && imageFrom === 'override');
  return pinned ? ['static shards cannot be run individually: every image runs everything'] : [];
}

/** A shard pinned in one namespace may be unpinned in another, which the check does not cover. */
function elsewhereNotes(running: readonly ShardUse[], pins: Pins, main: string | undefined): string[] {
  const missed = running.flatMap((use) => {
    const pin = use.unit === undefined || use.imageFrom !== 'default' ? undefined : pins.get(selectorKey(use.unit));
    return pin === undefined || pin.images.has(main) ? [] : [`${pin.unit.name} in ${use.place}`];
  });
  const names = [...new Set(missed)].sort(byText);
  return names.length === 0 ? [] : [`pinned elsewhere, not run with the check image: ${names.join(', ')}`];
}

/** What a command-line option can limit a dry run to. */
interface ShardSelector {
  readonly flag: string;
  readonly argument: string;
  readonly name: string;
}

function selectorKey({ flag, argument }: ShardSelector): string {
  return `${flag} ${argument}`;
}

/** A shard in a namespace, with the image that it runs there. */
interface ShardUse {
  /** `environment cluster/namespace`, for messages. */
  readonly place: string;
  /** Absent for static shards: their work is divided by hash, which no option can select. */
  readonly unit?: ShardSelector;
  readonly disabled: boolean;
  readonly imageRef?: string;
  readonly imageFrom: Shard['settings']['imageFrom'];
}

interface ShardUses {
  readonly uses: readonly ShardUse[];
  /** Skipped entries, with reasons. */
  readonly notes: readonly string[];
}

function shardUses(instance: Instance, integration: Integration, capabilities?: Capabilities): ShardUses {
  const notes: string[] = [];
  const uses = integration.managed.flatMap((entry) => {
    const { shards, findings } = expandShards(instance, integration, entry, capabilities);
    const fault = findings.find(({ severity }) => severity === 'error');
    if (fault !== undefined) {
      notes.push(`shards in ${entryPlace(entry)} are skipped: ${fault.message}`);
      return [];
    }
    return shards.map((shard) => useOf(instance, entry, shard));
  });
  return { uses, notes };
}

function useOf(instance: Instance, entry: Managed, shard: Shard): ShardUse {
  const { disabled, imageRef, imageFrom } = shard.settings;
  const unit = unitOf(instance, strategyOf(entry.sharding.strategy), shard);
  return {
    place: entryPlace(entry),
    disabled,
    imageFrom,
    ...defined({ unit, imageRef }),
  };
}

/** Sub-shards have the unit of the shard that they divide. */
function unitOf(instance: Instance, strategy: Strategy | undefined, { key }: Shard): ShardSelector | undefined {
  const item = strategy?.items?.(instance).find((candidate) => candidate.key === key);
  if (strategy?.flag === undefined || item === undefined) return undefined;
  return { flag: strategy.flag, argument: item.argument, name: item.name };
}

function entryPlace({ namespace: { environment, cluster, name } }: Managed): string {
  return `${environment.name} ${cluster.name}/${name}`;
}

/** Options that limit a run to its part. Per strategy they either select or exclude, never both. */
function argumentsFor({ only, without, all }: ImageGroup, integration: Integration): string[] {
  if (only !== undefined) return byKey(only).flatMap((unit) => option(unit.flag, unit.argument));
  const left = new Set(without.map(selectorKey));
  return [...Map.groupBy(byKey(without), ({ flag }) => flag)].flatMap(([flag, units]) => {
    const exclude = excludeFlag(flag, integration);
    if (exclude !== undefined) return units.flatMap(({ argument }) => option(exclude, argument));
    const others = byKey(all).filter((unit) => unit.flag === flag && !left.has(selectorKey(unit)));
    return others.flatMap(({ argument }) => option(flag, argument));
  });
}

/** If an integration declares its options without this one, the other shards are selected instead. */
function excludeFlag(flag: string, { capabilities }: Integration): string | undefined {
  const exclude = EXCLUDE[flag];
  if (exclude === undefined || capabilities === undefined) return exclude;
  return capabilities.includes(exclude) ? exclude : undefined;
}

/** A value that looks like an option is joined to its option with `=`. */
function option(flag: string, value: string): string[] {
  return value.startsWith('-') ? [`${flag}=${value}`] : [flag, value];
}

function byKey(units: readonly ShardSelector[]): ShardSelector[] {
  return units.toSorted((a, b) => byText(selectorKey(a), selectorKey(b)));
}

/** The option that excludes a shard from a dry run, by the option that selects it. */
const EXCLUDE: Readonly<Record<string, string>> = {
  '--account-name': '--exclude-accounts',
  '--cluster-name': '--exclude-cluster',
  '--org-id': '--exclude-org-id',
};

/** Whether a command already selects or excludes shards. */
function divides(command: string, uses: readonly ShardUse[]): boolean {
  const flags = new Set(uses.flatMap(({ unit }) => (unit === undefined ? [] : [unit.flag, EXCLUDE[unit.flag] ?? ''])));
  return command.split(/\s+/).some((word) => flags.has(word.split('=')[0] ?? ''));
}

/** A run with a unique log name. */
export type NamedRun = CheckRun & {
  /** `terraform-resources`, `terraform-resources_f929a38`; safe as a file name. */
  readonly name: string;
  /** `reconcile-<name>.txt`. */
  readonly log: string;
};

/** Names runs by integration and image tag. Duplicates, also those differing only in case, get a number. */
export function nameRuns(runs: readonly CheckRun[]): NamedRun[] {
  const taken = new Set<string>();
  return runs.map((run) => {
    const image = run.imageRef === undefined ? '' : `_${fileNamePart(imageRefParts(run.imageRef).tag)}`;
    const wanted = `${fileNamePart(run.integration)}${image}`;
    let name = wanted;
    for (let next = 2; taken.has(name.toLowerCase()); next += 1) name = `${wanted}.${next}`;
    taken.add(name.toLowerCase());
    return { ...run, name, log: `reconcile-${name}.txt` };
  });
}
