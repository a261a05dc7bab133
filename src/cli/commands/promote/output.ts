import { paintedDiff, textTable } from '../../../base/index.ts';
import {
  authorText,
  type PromotionPlan,
  promotionDocument,
  promotionMarkdown,
  promotionSummary,
  promotionTable,
  rangeText,
  shardLines,
  unifiedDiff,
  wavesText,
} from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';
import { type Paint, paintFor } from '../../output/colour.ts';
import { fitting, penFor } from '../../output/fitting.ts';
import { API_VERSION } from '../../output/format.ts';
import { line } from '../../output/terminal.ts';
import { documentWriters, type Writer, type Writers, writerFor } from '../../output/writers.ts';
import type { PromoteFlags } from './promote-flags.ts';

interface ShownPlan {
  readonly plan: PromotionPlan;
  readonly diff: string;
  /** Paint for standard error. */
  readonly notesPaint: Paint;
}

const DOCUMENTS = documentWriters(({ plan, diff }: ShownPlan) => ({
  apiVersion: API_VERSION,
  kind: 'PromotionPlan',
  ...promotionDocument(plan, diff),
}));
const WRITERS: Writers<ShownPlan> = {
  table: noted(inTables({ wide: false })),
  wide: noted(inTables({ wide: true })),
  json: noted(DOCUMENTS.json),
  yaml: noted(DOCUMENTS.yaml),
  name: undefined,
  markdown: (io, { plan, diff }) => io.stdout.write(promotionMarkdown(plan, diff)),
};

/** Prints a plan: data on standard output, warnings on standard error. Rejects an unsupported format immediately. */
export function planPrinter(io: Io, flags: PromoteFlags, command: string): (plan: PromotionPlan) => Promise<void> {
  const write = writerFor(WRITERS, flags.output, command);
  return async (plan) => {
    const notesPaint = paintFor(io.stderr, io.env, flags.color);
    const shown = { plan, diff: await unifiedDiff(plan.files), notesPaint };
    await write(io, shown, paintFor(io.stdout, io.env, flags.color));
  };
}

function inTables({ wide }: { readonly wide: boolean }): Writer<ShownPlan> {
  return (io, { plan, diff }, paint) => printTables(io, plan, diff, { wide, paint });
}

function noted(writer: Writer<ShownPlan>): Writer<ShownPlan> {
  return async (io, shown, paint) => {
    await writer(io, shown, paint);
    printNotes(io, shown.plan, shown.notesPaint);
  };
}

interface TableStyle {
  readonly wide: boolean;
  readonly paint: Paint;
}

function printTables(io: Io, plan: PromotionPlan, diff: string, { wide, paint }: TableStyle): void {
  const { titles, rows } = promotionTable(plan, wide);
  io.stdout.write(
    `${textTable(titles, rows, paint, fitting(io, wide ? 'wide' : 'table'))}\n${promotionSummary(plan)}\n`,
  );
  if (diff !== '') io.stdout.write(`\n${paintedDiff(diff, paint)}`);
  for (const range of plan.ranges) {
    const { isRollback, way, about, lines } = rangeText(range, wide);
    const heading = `${isRollback ? `${paint('red', 'ROLLBACK')} ` : ''}${paint('bold', way)}: ${about}`;
    io.stdout.write(`\n${[heading, ...lines].map(line).join('')}`);
  }
  if (plan.people.length > 0) io.stdout.write(`\n${line(`To notify: ${plan.people.map(authorText).join(', ')}`)}`);
  for (const lines of shardLines(plan, wide)) io.stdout.write(`\n${lines.map(line).join('')}`);
  io.stdout.write(wavesText(plan.rollout, penFor(io, paint, wide ? 'wide' : 'table')));
}

function printNotes(io: Io, { notes }: PromotionPlan, paint: Paint): void {
  for (const [index, { at, message, hint, rule }] of notes.entries()) {
    const place = at === undefined ? '' : `${paint('bold', at)}: `;
    /** A hint shared by consecutive warnings is printed once, after the last. */
    const isSame = notes[index + 1]?.hint === hint;
    io.stderr.write(line(`${place}${paint('yellow', 'warning')}: ${message} [${rule}]`));
    if (!isSame) io.stderr.write(line(`    ${hint}`));
  }
}
