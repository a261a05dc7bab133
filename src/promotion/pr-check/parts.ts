import { byText } from '../../base/index.ts';
import type { Integration } from '../../instance/index.ts';
import { divides } from './shard-flags.ts';
import { type ShardUse, type Unit, unitKey } from './shard-uses.ts';

/** The shards that one image runs. */
export interface Part {
  readonly image: string | undefined;
  readonly only?: readonly Unit[];
  readonly without: readonly Unit[];
  /** All units in use, for strategies without an exclude option. */
  readonly all: readonly Unit[];
}

interface Parts {
  readonly parts: readonly Part[];
  readonly notes: readonly string[];
}

/** Divides the shards of an integration by image. Pure. */
export function partsOf({ prCheck }: Integration, uses: readonly ShardUse[]): Parts {
  const main = prCheck?.imageRef;
  const whole: Part = { image: main, without: [], all: [] };
  if (uses.length === 0) return { parts: [whole], notes: [] };
  const running = uses.filter(({ disabled }) => !disabled);
  if (running.length === 0) return { parts: [], notes: ['every shard is disabled: nothing to run'] };
  if (divides(prCheck?.cmd ?? '', uses)) {
    return { parts: [whole], notes: ['pr_check.cmd selects shards itself: pins are not run separately'] };
  }
  const pins = pinsOf(running, main);
  const wide = wideImages(running, pins, main);
  const all = unitsOf(running);
  const idle = unitsOf(uses).filter((unit) => !all.some((other) => unitKey(other) === unitKey(unit)));
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
  readonly unit: Unit;
  /** Images set for it by a pin or by a whole entry. */
  readonly images: Set<string | undefined>;
}

type Pins = ReadonlyMap<string, Pin>;

/** A unit may be pinned to different images in different namespaces. */
function pinsOf(running: readonly ShardUse[], main: string | undefined): Pins {
  const pins = new Map<string, Pin>();
  const pinned = new Set(
    running.flatMap(({ unit, imageFrom }) => (unit !== undefined && imageFrom === 'override' ? [unitKey(unit)] : [])),
  );
  for (const use of running) {
    const { unit, imageFrom } = use;
    if (unit === undefined || imageFrom === 'default' || !pinned.has(unitKey(unit))) continue;
    const pin = pins.get(unitKey(unit)) ?? { unit, images: new Set() };
    pin.images.add(imageOf(use, main));
    pins.set(unitKey(unit), pin);
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
    return imageFrom === 'default' && !pins.has(unitKey(unit));
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

function unitsOf(uses: readonly ShardUse[]): Unit[] {
  const units = new Map(uses.flatMap(({ unit }) => (unit === undefined ? [] : [[unitKey(unit), unit] as const])));
  return [...units.values()].sort((a, b) => byText(unitKey(a), unitKey(b)));
}

/** No option selects a static shard: each image runs everything. */
function undividedNotes(running: readonly ShardUse[]): string[] {
  const pinned = running.some(({ unit, imageFrom }) => unit === undefined && imageFrom === 'override');
  return pinned ? ['static shards cannot be run individually: every image runs everything'] : [];
}

/** A shard pinned in one namespace may be unpinned in another, which the check does not cover. */
function elsewhereNotes(running: readonly ShardUse[], pins: Pins, main: string | undefined): string[] {
  const missed = running.flatMap((use) => {
    const pin = use.unit === undefined || use.imageFrom !== 'default' ? undefined : pins.get(unitKey(use.unit));
    return pin === undefined || pin.images.has(main) ? [] : [`${pin.unit.name} in ${use.place}`];
  });
  const names = [...new Set(missed)].sort(byText);
  return names.length === 0 ? [] : [`pinned elsewhere, not run with the check image: ${names.join(', ')}`];
}
