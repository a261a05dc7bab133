import { count, type EchelonError, imageVersion, parseImage } from '../../../base/index.ts';
import type { Difference, FleetPlan, PlaceFailure, PlanItem, Summary, TakeOver } from '../../../manager/index.ts';
import { ADOPT_TEMPLATES, breachText, consentHint, placeOf, summaryOf } from '../../../manager/index.ts';
import type { Io } from '../../io.ts';
import type { Colour, Paint } from '../../output/colour.ts';
import { API_VERSION, type Format } from '../../output/format.ts';
import { markdownTable, textTable } from '../../output/table.ts';
import { line } from '../../output/terminal.ts';
import { documentWriters, type Writer, type Writers, writerFor } from '../../output/writers.ts';

const COLOURS: Readonly<Partial<Record<PlanItem['action'], Colour>>> = {
  create: 'green',
  update: 'yellow',
  adopt: 'yellow',
  recreate: 'red',
  delete: 'red',
  hold: 'cyan',
  withhold: 'red',
  conflict: 'red',
};

/** Prints a plan: the actions with their reasons, then a summary. */
export async function printPlan(io: Io, plan: FleetPlan, format: Format, paint: Paint): Promise<void> {
  await writerFor(WRITERS, format, 'manager plan')(io, plan, paint);
}

const TITLES = ['ACTION', 'CLUSTER/NAMESPACE', 'OBJECT', 'WHY'];

type TableOf = (rows: string[][], items: readonly PlanItem[], paint: Paint) => string;
const forTerminal: TableOf = (rows, items, paint) => coloured(textTable(TITLES, rows, paint), items, paint);

const WRITERS: Writers<FleetPlan> = {
  table: inTable(isDifferent, forTerminal),
  wide: inTable(() => true, forTerminal),
  ...documentWriters(planDocument),
  name: (io, { items }) => {
    for (const { kind, name } of items.filter(isDifferent)) io.stdout.write(line(`${kind.toLowerCase()}/${name}`));
  },
  markdown: inTable(isDifferent, (rows) => `${markdownTable(TITLES, rows)}\n`),
};

function isDifferent({ action }: PlanItem): boolean {
  return action !== 'keep';
}

function inTable(isShown: (item: PlanItem) => boolean, tableOf: TableOf): Writer<FleetPlan> {
  return (io, plan, paint) => {
    const items = plan.items.filter(isShown);
    if (plan.takeOver !== undefined) io.stdout.write(takeOverNotice(plan.takeOver));
    const rows = items.map((item) => [item.action, placeOf(item), `${item.kind} ${item.name}`, whyOf(item)]);
    if (rows.length > 0) io.stdout.write(tableOf(rows, items, paint));
    io.stdout.write(`${paint('bold', summaryText(summaryOf(plan)))}\n`);
  };
}

/** Machine-readable; unchanged objects are counted, not listed. */
function planDocument(plan: FleetPlan): object {
  const { items, failures, removals: _, ...rest } = plan;
  return {
    apiVersion: API_VERSION,
    kind: 'Plan',
    ...rest,
    summary: summaryOf(plan),
    items: items.filter(isDifferent),
    failures: failures.map(({ error, ...place }) => ({ ...place, code: error.code, message: error.message })),
  };
}

/** The colour only repeats what the words say. */
function coloured(table: string, items: readonly PlanItem[], paint: Paint): string {
  const [title = '', ...lines] = table.split('\n');
  const painted = lines.map((line, index) => {
    const action = items[index]?.action;
    const colour = action === undefined ? undefined : COLOURS[action];
    return colour === undefined || action === undefined ? line : paint(colour, action) + line.slice(action.length);
  });
  return [title, ...painted].join('\n');
}

const SHOWN = 3;

function whyOf(item: PlanItem): string {
  switch (item.action) {
    case 'create':
      return 'does not exist';
    case 'update':
      return [differencesText(item.differences), takeOverText(item)].filter((text) => text !== '').join('; ');
    case 'adopt':
    case 'recreate':
      return `${item.reason}; ${differencesText(item.differences)}`;
    case 'hold':
      return [item.reason, waitsText(item.waits)].filter((text) => text !== '').join('; ');
    case 'keep':
      return 'as declared';
    default:
      return item.reason;
  }
}

function waitsText(waits: readonly Difference[]): string {
  return waits.length === 0 ? '' : `waits: ${differencesText(waits)}`;
}

const FIELDS = 8;

/** What a takeover does to pods, before anything else. */
function takeOverNotice({ workloads, templates, fields, adoptTemplates }: TakeOver): string {
  const taken = `Takeover: ${count(workloads, 'workload')} of an existing manager`;
  if (templates === 0) return `${taken}; no pod template changes, no pod restarts.\n\n`;
  const what = templates === 1 ? '1 pod template changes' : `${templates} pod templates change`;
  const lines = fields.slice(0, FIELDS).map(({ path, objects }) => line(`  ${path} (${objects})`));
  const more = fields.length - lines.length;
  const rest = more > 0 ? `  and ${count(more, 'more field', 'more fields')}\n` : '';
  const outcome = adoptTemplates ? 'Their pods restart.' : `Those are left alone: ${ADOPT_TEMPLATES}.`;
  return `${taken}; ${what}, by field and number of objects:\n${lines.join('')}${rest}${outcome}\n\n`;
}

function takeOverText({ takeOver }: { readonly takeOver?: readonly string[] }): string {
  return takeOver === undefined ? '' : `takes over the fields of ${takeOver.join(', ')}`;
}

/** Hides ownership labels and annotations, unless nothing else differs. */
function differencesText(differences: readonly Difference[]): string {
  const visible = differences.filter(({ path }) => !path.includes('qontract.') && !path.includes('echelon/'));
  const shown = visible.length === 0 ? differences : visible;
  const texts = shown.slice(0, SHOWN).map(differenceText);
  const more = shown.length - texts.length;
  return more > 0 ? `${texts.join(', ')} and ${count(more, 'more field', 'more fields')}` : texts.join(', ');
}

function differenceText({ path, live, desired }: Difference): string {
  if (path.endsWith('.image') && typeof live === 'string' && typeof desired === 'string')
    return imageText(live, desired);
  if (desired === undefined) return `${shortPath(path)} removed`;
  return live === undefined
    ? `${shortPath(path)}: ${short(desired)}`
    : `${shortPath(path)}: ${short(live)} → ${short(desired)}`;
}

/** `image f929a38 → 0473914`; an unchanged repository is left out. */
function imageText(live: string, desired: string): string {
  const isSame = parseImage(live).repository === parseImage(desired).repository;
  const [from, to] = [imageVersion(live), imageVersion(desired)];
  return isSame && from !== '' && to !== '' ? `image ${from} → ${to}` : `image ${short(live)} → ${short(desired)}`;
}

/** `containers[int].image`: the common prefix is left out. */
function shortPath(path: string): string {
  return path
    .replace(/^spec\.(?:jobTemplate\.spec\.)?template\.spec\./, '')
    .replace(/^metadata\.(annotations|labels)\./, '$1 ');
}

const LONGEST = 60;

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

function summaryText(summary: Summary): string {
  const changes = [
    `${summary.create} to create`,
    `${summary.update} to update`,
    ...(summary.adopt === 0 ? [] : [`${summary.adopt} to adopt`]),
    ...(summary.recreate === 0 ? [] : [`${summary.recreate} to recreate`]),
    `${summary.delete} to delete`,
  ];
  const rest = [
    `${summary.keep} unchanged`,
    ...(summary.hold === 0 ? [] : [`${summary.hold} held`]),
    ...(summary.conflict === 0 ? [] : [count(summary.conflict, 'conflict')]),
    ...(summary.withhold === 0 ? [] : [`${count(summary.withhold, 'change')} withheld`]),
  ];
  return `Plan: ${changes.join(', ')}; ${rest.join(', ')}.`;
}

/** Reports what prevents the plan from being applied completely on standard error; returns whether there is any. */
export function reportObstacles(io: Io, plan: FleetPlan, paint: Paint): boolean {
  for (const failure of plan.failures) io.stderr.write(obstacleText(failureText(failure), failure.error, paint));
  for (const breach of plan.breaches) io.stderr.write(breachLine(breach, paint));
  for (const hint of new Set(plan.breaches.map(consentHint))) io.stderr.write(line(`    ${hint}`));
  const hints = new Set(plan.items.flatMap((item) => (item.action === 'conflict' ? [item.hint] : [])));
  for (const hint of hints) io.stderr.write(line(`${paint('dim', 'hint:')} ${hint}`));
  if (plan.blind.length > 0) {
    io.stderr.write(
      line(
        `note: ${plan.blind.join(', ')}: the account may not list other namespaces; orphaned objects there are not found`,
      ),
    );
  }
  return (
    plan.failures.length > 0 ||
    plan.breaches.length > 0 ||
    plan.items.some(({ action }) => action === 'conflict' || action === 'withhold')
  );
}

function failureText({ cluster, namespace, error }: PlaceFailure): string {
  const place = namespace === undefined ? cluster : `${cluster}/${namespace}`;
  return error.message.startsWith(cluster) ? error.message : `${place}: ${error.message}`;
}

export function obstacleText(message: string, { code, hint }: EchelonError, paint: Paint): string {
  return line(`${paint('red', 'error:')} ${message} [${code}]`) + line(`    ${hint}`);
}

function breachLine(breach: FleetPlan['breaches'][number], paint: Paint): string {
  const code = breach.scope === 'images' ? 'MASS_IMAGE_CHANGE' : 'MASS_DELETION';
  return line(`${paint('red', 'error:')} ${breachText(breach)} [${code}]`);
}
