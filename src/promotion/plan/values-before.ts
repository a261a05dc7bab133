import type { Sources, Version } from '../targets/find-targets.ts';
import type { Target } from '../targets/promotion-file.ts';
import { planEdits, type ValueFor } from './plan-edits.ts';

interface ValuesBefore {
  /** The commit of most targets, as written in the files; the tag of the first where none has a commit. */
  readonly commit: string;
  readonly valueFor: ValueFor;
}

/** The targets' values in an earlier state of the files; a target missing there keeps its value. */
export function valuesBefore(targets: readonly Target[], earlier: Sources, hashLength: number): ValuesBefore {
  const nothing: Version = { commit: '0'.repeat(40), hashLength, digest: `sha256:${'0'.repeat(64)}` };
  const optional = targets.map((target) => ({ ...target, required: false }));
  const { items } = planEdits(optional, earlier, nothing);
  const places = new Map(items.map((item) => [JSON.stringify([item.target, item.form, item.file, item.key]), item]));
  const queues = Map.groupBy(places.values(), ({ target, form }) => JSON.stringify([target, form]));
  const next = new Map<string, number>();
  const commits = items.map(({ old }) => old).filter((old) => /^[0-9a-f]{7,40}$/.test(old));
  return {
    commit: commits.toSorted((a, b) => b.length - a.length)[0] ?? items[0]?.old ?? '',
    valueFor: ({ name }, form) => {
      const id = JSON.stringify([name, form]);
      const index = next.get(id) ?? 0;
      next.set(id, index + 1);
      return queues.get(id)?.[index]?.old;
    },
  };
}
