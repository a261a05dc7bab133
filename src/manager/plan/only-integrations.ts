import { type DesiredNamespace, objectKey } from '../desired/desired-namespace.ts';
import { identityOf } from '../desired/identity.ts';
import type { Observed } from './observed-item.ts';
import { type PlanItem, withheld } from './plan-item.ts';

const REASON = 'a plan for some integrations deletes nothing';
const HINT = 'run without --integration';

/** Which items a plan for some integrations has. What belongs to the namespace, such as its Service, is of none. */
export function integrationFilter(
  integrations: readonly string[],
  desired: readonly DesiredNamespace[],
  observed: Observed,
) {
  const declared = new Map(
    desired.flatMap(({ cluster, namespace, objects }) =>
      objects.map((object) => [`${cluster}/${namespace}/${objectKey(object)}`, object] as const),
    ),
  );
  const isChosen = (item: PlanItem): boolean => {
    const object = declared.get(`${item.cluster}/${item.namespace}/${item.kind}/${item.name}`) ?? observed(item).live;
    const identity = object === undefined ? undefined : identityOf(object);
    return identity !== undefined && integrations.includes(identity.integration);
  };
  return {
    /** No deletion is left. Withheld ones stay for now: what replaces one must not be created beside it. */
    withoutDeletions: (items: readonly PlanItem[]): PlanItem[] =>
      items
        .filter((item) => isDeletion(item) || isChosen(item))
        .map((item) => (item.action === 'delete' ? withheld(item, REASON, HINT) : item)),
    /** Left-over objects are no concern of such a plan. */
    shown: (items: readonly PlanItem[]): PlanItem[] =>
      items.filter((item) => isChosen(item) && !(item.action === 'withhold' && item.reason === REASON)),
  };
}

function isDeletion(item: PlanItem): boolean {
  return item.action === 'delete' || (item.action === 'withhold' && item.withholds === 'delete');
}
