import type { LabelChange } from './label-diff.ts';
import type { PolicyApi, PolicyOwner } from './policy-api.ts';

/** The changes of one cluster, or of the organization. */
export interface OwnerChanges {
  readonly owner: PolicyOwner;
  /** `cluster prod-1`, `organization 2Q0a…` */
  readonly title: string;
  readonly changes: readonly LabelChange[];
}

/** The progress of writing. */
export interface WrittenLabels {
  readonly done: number;
  /** `sre-capabilities.aus.schedule of cluster prod-1` */
  readonly last?: string;
  /** The error that stopped it. */
  readonly failure?: { readonly thrown: unknown };
}

/** Writes one by one; stops at the first error. Running it again writes only the rest. */
export async function writeLabels(api: PolicyApi, owners: readonly OwnerChanges[]): Promise<WrittenLabels> {
  let written: WrittenLabels = { done: 0 };
  try {
    for (const { owner, title, changes } of owners) {
      for (const change of changes) {
        await write(api, owner, change);
        written = { done: written.done + 1, last: `${change.key} of ${title}` };
      }
    }
    return written;
  } catch (thrown) {
    return { ...written, failure: { thrown } };
  }
}

async function write(api: PolicyApi, owner: PolicyOwner, change: LabelChange): Promise<void> {
  if (change.action === 'remove') await api.deleteLabel(owner, change.key);
  else if (change.action === 'add') await api.createLabel(owner, { key: change.key, value: change.to });
  else await api.updateLabel(owner, { key: change.key, value: change.to });
}
