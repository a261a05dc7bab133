import { byText } from '../../base/index.ts';
import type { Integration } from '../../instance/index.ts';
import { divides } from './shard-flags.ts';
import { type ShardUse, type Unit, unitKey } from './shard-uses.ts';

/** What one image is run for. */
export interface Part {
  readonly image: string | undefined;
  readonly only?: readonly Unit[];
  readonly without: readonly Unit[];
  /** All units that are in use, for strategies that have no option to leave some out. */
  readonly all: readonly Unit[];
}

export interface Parts {
  readonly parts: readonly Part[];
  readonly notes: readonly string[];
}

/** Divides the shards of an integration by image. Pure. */
export function partsOf({ prCheck }: Integration, uses: readonly ShardUse[]): Parts {
  const main = prCheck?.imageRef;
  const whole: Part = { image: main, without: [], all: [] };
  if (uses.length === 0) return { parts: [whole], notes: [] };
  const running = uses.filter(({ disabled }) => !disabled);
  if (running.length === 0) return { parts: [], notes: ['every shard is disabled: there is nothing to run'] };
  if (divides(prCheck?.cmd ?? '', uses)) {
    return { parts: [whole], notes: ['pr_check.cmd names shards itself: pins are not run apart'] };
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
  /** Images that some entry names for it, by a pin or for all of its shards. */
  readonly images: Set<string | undefined>;
}

type Pins = ReadonlyMap<string, Pin>;

/** A unit may be pinned to one image in one place and to another in another place. */
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

/** Images that are run for everything but pins: that of the check first. */
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

/** No option runs one static shard: each image is run for everything. */
function undividedNotes(running: readonly ShardUse[]): string[] {
  const pinned = running.some(({ unit, imageFrom }) => unit === undefined && imageFrom === 'override');
  return pinned ? ['static shards cannot be run one by one: every image is run for everything'] : [];
}

/** A shard that is pinned in one place may follow the others in another, which the check leaves out. */
function elsewhereNotes(running: readonly ShardUse[], pins: Pins, main: string | undefined): string[] {
  const missed = running.flatMap((use) => {
    const pin = use.unit === undefined || use.imageFrom !== 'default' ? undefined : pins.get(unitKey(use.unit));
    return pin === undefined || pin.images.has(main) ? [] : [`${pin.unit.name} in ${use.place}`];
  });
  const names = [...new Set(missed)].sort(byText);
  return names.length === 0 ? [] : [`pinned elsewhere, so not run with the image of the check: ${names.join(', ')}`];
}
