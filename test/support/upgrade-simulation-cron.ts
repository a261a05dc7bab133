/** A schedule, read without the library that the scheduler uses: numbers, lists, ranges and steps; UTC. */
export interface Schedule {
  matches(moment: Date): boolean;
  /** Minutes of a day, from midnight, that match; none on another day. */
  slotsOn(day: Date): number[];
}

const RANGES = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  { low: 1, high: 12 },
  { low: 0, high: 7 },
] as const;

/** Undefined for a text that is no schedule of five fields. */
export function readSchedule(text: string): Schedule | undefined {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== RANGES.length) return undefined;
  const sets = fields.map((field, index) => valuesOf(field, RANGES[index]!));
  if (sets.some((set) => set === undefined)) return undefined;
  const [minutes, hours, days, months, weekdays] = sets as [Set<number>, ...Set<number>[]];
  if (weekdays!.has(7)) weekdays!.add(0);
  /** A day must fit the day of the month and the weekday. */
  const isDay = (date: Date): boolean =>
    days!.has(date.getUTCDate()) && months!.has(date.getUTCMonth() + 1) && weekdays!.has(date.getUTCDay());
  return {
    matches: (date) =>
      date.getTime() % 60_000 === 0 &&
      minutes.has(date.getUTCMinutes()) &&
      hours!.has(date.getUTCHours()) &&
      isDay(date),
    slotsOn: (date) =>
      isDay(date) ? [...hours!].flatMap((hour) => [...minutes].map((minute) => hour * 60 + minute)) : [],
  };
}

type Range = (typeof RANGES)[number];

function valuesOf(field: string, range: Range): Set<number> | undefined {
  const lists = field.split(',').map((item) => listOf(item, range));
  return lists.includes(undefined) ? undefined : new Set(lists.flatMap((list) => list ?? []));
}

function listOf(item: string, { low, high }: Range): number[] | undefined {
  const [, from, to, step = '1'] = /^(\*|\d+)(?:-(\d+))?(?:\/(\d+))?$/.exec(item) ?? [];
  const [first, last] = from === '*' ? [low, high] : [Number(from), Number(to ?? from)];
  if (!(first >= low && last <= high && first <= last && Number(step) > 0)) return undefined;
  return Array.from({ length: Math.floor((last - first) / Number(step)) + 1 }, (_, nth) => first + nth * Number(step));
}
