import { count } from '../../base/index.ts';
import { ADOPT_TEMPLATES, type TakeOver } from '../plan/template-changes.ts';

const FIELDS = 8;

/** What a takeover does to pods, as lines to print before anything else. */
export function takeOverNotice({ workloads, templates, fields, adoptTemplates }: TakeOver): string[] {
  const taken = `Takeover: ${count(workloads, 'workload')} of an existing manager`;
  if (templates === 0) return [`${taken}; no pod template changes, no pod restarts.`, ''];
  const what = templates === 1 ? '1 pod template changes' : `${templates} pod templates change`;
  const lines = fields.slice(0, FIELDS).map(({ path, objects }) => `  ${path} (${objects})`);
  const more = fields.length - lines.length;
  return [
    `${taken}; ${what}, by field and number of objects:`,
    ...lines,
    ...(more > 0 ? [`  and ${count(more, 'more field', 'more fields')}`] : []),
    adoptTemplates ? 'Their pods restart.' : `Those are left alone: ${ADOPT_TEMPLATES}.`,
    '',
  ];
}
