import * as z from 'zod';
import { required } from './fields.ts';
import { type Collection, countOversized, countRows, listRecords, type OcmList, type OcmProblem } from './listing.ts';
import { ACCOUNTS } from './paths.ts';
import { MAX_SEARCH_VALUES, type Selection, searches } from './search.ts';
import type { Transport } from './transport.ts';

type OwnerField = 'organization_id' | 'subscription_id';

interface Owned {
  readonly subscriptionId: string | undefined;
  readonly organizationId: string | undefined;
}

/** The list in which labels were found. */
interface LabelSearch<T> {
  readonly collection: Collection<T>;
  readonly terms: readonly string[];
  readonly by?: Selection<OwnerField> | undefined;
}

const SUBSCRIPTIONS: Collection<{ readonly id: string; readonly organization_id: string }> = {
  known: [],
  shape: z.object({ id: required, organization_id: required }),
  path: `${ACCOUNTS}/subscriptions`,
  name: 'subscriptions',
  orderBy: 'orderBy',
};

/**
 * Labels over the size limit of a response, with their owners: those of whose labels the server counts more than could be
 * read. Considered are owners of other labels, their organizations, and subscriptions of those. A label whose owner is
 * none of them stays without, and is known to be elsewhere if no label came or went meanwhile.
 */
export async function ownedOversized<T extends Owned>(
  transport: Transport,
  search: LabelSearch<T>,
  found: OcmList<T>,
): Promise<OcmList<T>> {
  const oversized = found.problems.filter((problem) => problem.oversized);
  const [example] = oversized;
  if (example === undefined) return found;
  const readable = rowsByOwner(found);
  const owned: OcmProblem[] = [];
  for await (const candidates of candidatesFor(transport, search, readable)) {
    for (const { field, values } of chunksOf(candidates)) {
      const owners = await ownersAmong(transport, search, { field, values }, readable);
      owned.push(...owners.map((id) => ({ ...example, known: { [field]: id } })));
      if (owned.length >= oversized.length) break;
    }
    if (owned.length >= oversized.length) break;
  }
  const rest = found.problems.filter((problem) => !problem.oversized);
  const left = oversized.slice(owned.length);
  const isElsewhere = left.length > 0 && search.by === undefined && (await isAsRead(transport, search, found));
  const ownerless = isElsewhere ? left.map((problem) => ({ ...problem, elsewhere: true })) : left;
  return { items: found.items, problems: [...owned, ...ownerless, ...rest] };
}

/** Whether as many rows are counted as were found. */
async function isAsRead<T>(
  transport: Transport,
  { collection, terms }: LabelSearch<T>,
  { items, problems }: OcmList<T>,
): Promise<boolean> {
  const rows = items.length + problems.filter(({ id, oversized }) => oversized || id !== undefined).length;
  const [search = ''] = searches(terms) ?? [];
  return (await countRows(transport, collection, search)) === rows;
}

type Readable = Readonly<Record<OwnerField, ReadonlyMap<string, number>>>;

function rowsByOwner({ items, problems }: OcmList<Owned>): Readable {
  const rows = { organization_id: new Map<string, number>(), subscription_id: new Map<string, number>() };
  const add = (field: OwnerField, id: string | undefined): void => {
    if (id !== undefined) rows[field].set(id, (rows[field].get(id) ?? 0) + 1);
  };
  for (const { subscriptionId, organizationId } of items) {
    add('subscription_id', subscriptionId);
    add('organization_id', organizationId);
  }
  for (const { known } of problems) {
    add('subscription_id', known['subscription_id']);
    add('organization_id', known['organization_id']);
  }
  return rows;
}

/** The likeliest first; the next are asked for only where these are not enough. */
async function* candidatesFor<T>(
  transport: Transport,
  { by }: LabelSearch<T>,
  readable: Readable,
): AsyncGenerator<Selection<OwnerField>> {
  if (by !== undefined) {
    yield by;
    return;
  }
  const labelled = { subscriptions: readable.subscription_id, organizations: readable.organization_id };
  yield { field: 'organization_id', values: [...labelled.organizations.keys()] };
  yield { field: 'subscription_id', values: [...labelled.subscriptions.keys()] };
  const owners = await subscriptionsBy(transport, { field: 'id', values: [...labelled.subscriptions.keys()] });
  const theirs = new Set(owners.map(({ organization_id }) => organization_id));
  yield { field: 'organization_id', values: [...theirs].filter((id) => !labelled.organizations.has(id)) };
  const organizations = [...new Set([...theirs, ...labelled.organizations.keys()])];
  const members = await subscriptionsBy(transport, { field: 'organization_id', values: organizations });
  const others = members.map(({ id }) => id).filter((id) => !labelled.subscriptions.has(id));
  yield { field: 'subscription_id', values: others };
}

async function subscriptionsBy(transport: Transport, selection: Selection) {
  return (await listRecords(transport, SUBSCRIPTIONS, searches([], selection))).items;
}

function chunksOf({ field, values }: Selection<OwnerField>): Selection<OwnerField>[] {
  const count = Math.ceil(values.length / MAX_SEARCH_VALUES);
  return Array.from({ length: count }, (_, index) => ({
    field,
    values: values.slice(index * MAX_SEARCH_VALUES, (index + 1) * MAX_SEARCH_VALUES),
  }));
}

/** By halves, once for each label. Counts may change meanwhile: an owner is one of whose own labels one is too large. */
async function ownersAmong<T>(
  transport: Transport,
  labels: LabelSearch<T>,
  selection: Selection<OwnerField>,
  readable: Readable,
): Promise<string[]> {
  const { field, values } = selection;
  const { collection, terms } = labels;
  const counts = (searches(terms, selection) ?? []).map((each) => countRows(transport, collection, each));
  const counted = (await Promise.all(counts)).reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const read = values.reduce((sum, id) => sum + (readable[field].get(id) ?? 0), 0);
  const [only] = values;
  if (counted <= read || only === undefined) return [];
  if (values.length === 1) {
    const [search = ''] = searches(terms, selection) ?? [];
    const oversized = await countOversized(transport, collection, { search, rows: counted, atMost: counted - read });
    return Array.from({ length: oversized }, () => only);
  }
  const middle = Math.ceil(values.length / 2);
  const first = await ownersAmong(transport, labels, { field, values: values.slice(0, middle) }, readable);
  const second = await ownersAmong(transport, labels, { field, values: values.slice(middle) }, readable);
  return [...first, ...second];
}
