/** Why an entry is not in ours, or one of its shards is not the same: the rule that our output names, and the row of docs/differences.md. */
const BY_RULE: Readonly<Record<'entry' | 'shard', Readonly<Record<string, string>>>> = {
  entry: {
    'bad-shard-count': '`shards: 0`',
    'managed-twice': 'an integration managed twice in one namespace',
    'override-disabled-shard': 'an override for an unknown, disabled or duplicate shard',
    'override-duplicate': 'an override for an unknown, disabled or duplicate shard',
    'sub-sharding-undivided': 'sub-sharding',
  },
  shard: { 'sub-sharding-not-served': "sub-sharding that a server's types cannot carry (accounts, organizations)" },
};

/** What differs within the values, by its place. */
const BY_PLACE: readonly {
  readonly place: RegExp;
  readonly only?: 'ours' | 'theirs' | 'order';
  readonly row: string;
}[] = [
  { place: /^(integrations|cronjobs)$/, only: 'order', row: 'order of integrations and shards' },
  { place: /\/shard_specs$/, only: 'order', row: 'order of integrations and shards' },
  { place: /\/healthz$/, only: 'ours', row: '`healthz` in the values' },
  { place: /\/logs\/(slackErrorFilter|govSlack)$/, only: 'ours', row: '`slackErrorFilter`, `govSlack` in the values' },
  { place: /\/shard_spec_overrides\/shard\/disable$/, only: 'theirs', row: 'the shard of an override in the values' },
];

/** Why the existing manager stops for a whole instance. */
const BY_ERROR: readonly { readonly error: RegExp; readonly row: string }[] = [
  { error: /null for non-nullable field DeployResources_v1/, row: '`resources` with only requests or only limits' },
  { error: /does not support the/, row: 'the flag that a strategy requires' },
];

type Json = Readonly<Record<string, unknown>>;
export type ValuesByNamespace = Readonly<Record<string, Json>>;

/** One place where the values differ; `row` is the one of docs/differences.md that says so. */
export interface ValuesDifference {
  readonly place: string;
  readonly row?: string;
  readonly ours?: unknown;
  readonly theirs?: unknown;
}

interface Raw {
  readonly place: string;
  readonly only: 'ours' | 'theirs' | 'order' | 'both';
  readonly ours?: unknown;
  readonly theirs?: unknown;
}

/** What the existing manager stops for. */
export function stoppedBy(error: string): ValuesDifference {
  return named({ place: 'the whole instance', theirs: error }, BY_ERROR.find((one) => one.error.test(error))?.row);
}

/** A rule that our output gives for an entry of an integration file. */
export interface EntryProblem {
  readonly integration: string;
  /** The file of the entry's namespace. */
  readonly namespace: string;
  readonly rule: string;
}

export function valuesDifferences(
  ours: ValuesByNamespace,
  theirs: ValuesByNamespace,
  problems: readonly EntryProblem[],
): ValuesDifference[] {
  const files = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
  return files.flatMap((file) =>
    listsIn(ours[file] ?? {}, theirs[file] ?? {}).map((raw) => {
      const { place, only, ...sides } = raw;
      const found = BY_PLACE.find((one) => one.place.test(place) && one.only === only)?.row;
      const ofEntry = problems.filter(({ namespace }) => namespace === file);
      return named({ place: `${file} ${place}`, ...sides }, found ?? explained(raw, ofEntry));
    }),
  );
}

function named(difference: ValuesDifference, row: string | undefined): ValuesDifference {
  return row === undefined ? difference : { ...difference, row };
}

function explained({ place, only }: Raw, problems: readonly EntryProblem[]): string | undefined {
  const [, name, shard] = /^(?:integrations|cronjobs)\[([\w-]+)#\d+\](\/shard_specs\[[^\]]+\])?$/.exec(place) ?? [];
  if (name === undefined || (shard === undefined && only !== 'theirs')) return undefined;
  const rows = BY_RULE[shard === undefined ? 'entry' : 'shard'];
  return problems.flatMap(({ integration, rule }) => (integration === name ? (rows[rule] ?? []) : [])).at(0);
}

function listsIn(ours: Json, theirs: Json): Raw[] {
  return ['integrations', 'cronjobs'].flatMap((list) => {
    const [mine, other] = [ours[list] ?? [], theirs[list] ?? []] as [Json[], Json[]];
    return compareLists(mine, nearestFirst(mine, other), list);
  });
}

/** Of an integration managed twice ours may have either entry: its like comes first. */
function nearestFirst(ours: readonly Json[], theirs: readonly Json[]): Json[] {
  const distance = (entry: Json): number =>
    Math.min(...ours.filter(({ name }) => name === entry['name']).map((one) => compare(one, entry, '').length));
  const places = [...Map.groupBy(theirs.keys(), (at) => theirs[at]?.['name']).values()];
  const sorted: Json[] = [];
  for (const group of places) {
    const near = group.map((at) => theirs[at] ?? {}).sort((a, b) => distance(a) - distance(b) || 0);
    for (const [nth, at] of group.entries()) sorted[at] = near[nth] ?? {};
  }
  return sorted;
}

function compare(ours: unknown, theirs: unknown, place: string): Raw[] {
  if (Array.isArray(ours) && Array.isArray(theirs)) return compareLists(ours, theirs, place);
  if (isObject(ours) && isObject(theirs)) {
    const keys = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
    return keys.flatMap((key) => sides(ours, theirs, key, `${place}/${key}`));
  }
  return ours === theirs ? [] : [{ place, only: 'both', ours, theirs }];
}

function sides(ours: Json, theirs: Json, key: string, place: string): Raw[] {
  if (!(key in ours)) return [{ place, only: 'theirs', theirs: theirs[key] }];
  if (!(key in theirs)) return [{ place, only: 'ours', ours: ours[key] }];
  return compare(ours[key], theirs[key], place);
}

/** Members are matched by name, which may occur several times. */
function compareLists(ours: readonly unknown[], theirs: readonly unknown[], place: string): Raw[] {
  const [mine, other] = [keyed(ours), keyed(theirs)];
  const keys = [...new Set([...Object.keys(mine), ...Object.keys(other)])];
  const common = (side: Json, another: Json): string =>
    Object.keys(side)
      .filter((key) => key in another)
      .join(' ');
  const isReordered = common(mine, other) !== common(other, mine);
  const order: Raw[] = isReordered
    ? [{ place, only: 'order', ours: Object.keys(mine), theirs: Object.keys(other) }]
    : [];
  return [...order, ...keys.flatMap((key) => sides(mine, other, key, `${place}[${key}]`))];
}

function keyed(list: readonly unknown[]): Json {
  const times = new Map<string, number>();
  return Object.fromEntries(
    list.map((member) => {
      const name = isObject(member)
        ? (member['shard_name_suffix'] ?? member['name'] ?? JSON.stringify(member))
        : member;
      const nth = times.get(String(name)) ?? 0;
      times.set(String(name), nth + 1);
      return [`${name}#${nth}`, member];
    }),
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every row that may explain a difference of values. */
export const NAMED_ROWS: ReadonlySet<string> = new Set([
  ...Object.values(BY_RULE).flatMap((rules) => Object.values(rules)),
  ...BY_PLACE.map(({ row }) => row),
  ...BY_ERROR.map(({ row }) => row),
]);
