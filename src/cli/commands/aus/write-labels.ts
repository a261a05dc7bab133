import { count, EchelonError, escapeControls } from '../../../base/index.ts';
import type { LabelChange, LabelPlan, PolicyService } from '../../../upgrades/index.ts';
import { consent } from '../../consent.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { type Paint, paintFor } from '../../output/colour.ts';
import { writeFindings } from './write-findings.ts';

export interface WriteFlags {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly color?: boolean;
}

/** Shows problems and label changes, and then writes them. A dry run only shows them. */
export async function writePlan(io: Io, service: PolicyService, plan: LabelPlan, flags: WriteFlags): Promise<number> {
  const { shown, others } = plan.findings;
  writeFindings(io, shown, paintFor(io.stderr, io.env, flags.color));
  if (others > 0) io.stderr.write(`note: ${count(others, 'other problem')} here: run echelon aus validate\n`);
  const paint = paintFor(io.stdout, io.env, flags.color);
  const changed = plan.owners.filter(({ changes }) => changes.length > 0);
  const total = changed.reduce((sum, { changes }) => sum + changes.length, 0);
  for (const { title, changes } of changed) io.stdout.write(diffText(title, changes, paint));
  if (total === 0) {
    io.stdout.write('Nothing to change.\n');
    return EXIT.ok;
  }
  if (flags.dryRun === true) {
    io.stderr.write('this is a dry run: nothing was changed\n');
    return EXIT.ok;
  }
  // Scripts keep working, as with the existing plugin.
  const question = { question: `Change ${count(total, 'label')}`, yes: flags.yes, unattended: 'proceed' } as const;
  if (!(await consent(io, question))) return EXIT.failed;
  const { done, last, failure } = await service.apply(plan);
  if (failure !== undefined) {
    const upTo = last === undefined ? '' : `, the last one ${last}`;
    io.stderr.write(`${done} of ${count(total, 'label')} changed${upTo}; apply it again for the rest\n`);
    throw failure.thrown;
  }
  io.stdout.write(`Done: ${count(total, 'label')} changed.\n`);
  return EXIT.ok;
}

function diffText(title: string, changes: readonly LabelChange[], paint: Paint): string {
  const lines = changes.flatMap((change) => [
    ...('from' in change ? [paint('red', escapeControls(`  - ${change.key}=${change.from}`))] : []),
    ...('to' in change ? [paint('green', escapeControls(`  + ${change.key}=${change.to}`))] : []),
  ]);
  return `${[paint('bold', `${escapeControls(title)}:`), ...lines].join('\n')}\n`;
}

export function flagInvalid(message: string, hint: string): EchelonError {
  return new EchelonError({ code: 'FLAG_INVALID', message, hint });
}
