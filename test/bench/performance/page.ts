import type { Machine, PartResult, Results } from '../results.ts';
import { isWithin, type Peer, type Row } from '../row.ts';
import { limitText } from '../table.ts';
import { chartsOf } from './curves.ts';

/** What a part is about, in the order of the page; its name is what `ONLY` takes. */
const TITLES: Readonly<Record<string, string>> = {
  incumbent: 'Beside the published release',
  'incumbent-large': 'Beside the published release, 2,000 clusters',
  clusters: 'Shards on a real API server',
  watches: 'What a pass over unchanged clusters reads',
  memory: 'The loop for 1,000 passes',
  render: 'Rendering shards',
  instance: 'Reading and validating an instance',
  start: 'Starting a command',
  upgrades: 'Upgrades of a fleet',
  forecast: 'Forecasting upgrades',
  'forecast-mixed': 'Forecasting upgrades that depend on each other',
  rollouts: 'Deciding rollouts',
  growth: 'Growth',
  console: 'The console in a browser',
  size: 'The size of an installation',
  hostile: 'Files made to take long',
  scaling: 'Four times as much data of others',
};

/** docs/reference/performance.md */
export function performancePage({ machine, parts }: Results): string {
  const all = inOrder(Object.entries(parts));
  return [
    '# Performance',
    '',
    `Written by \`make bench WRITE=1\` from [performance.json](performance.json); \`make bench ONLY=… WRITE=1\` replaces single parts.`,
    'Times are medians or, for growth, the best of several rounds; what a process does once, such as a first pass, is measured once. A ratio is Echelon / what stands beside it, taken in the same run; where nothing stands beside it, it is the number that has the limit.',
    '',
    `Machine: ${machineText(machine)}.`,
    '',
    ...missed(all),
    ...all.flatMap(([name, part]) => section(name, part)),
    ...peers(all.flatMap(([, { rows }]) => rows.flatMap(({ peer }) => peer ?? []))),
  ].join('\n');
}

/** Whatever the order in which parts were measured. */
function inOrder(parts: readonly (readonly [string, PartResult])[]): (readonly [string, PartResult])[] {
  const titled = Object.keys(TITLES);
  const place = (name: string): number => (titled.includes(name) ? titled.indexOf(name) : titled.length);
  return parts.toSorted(([a], [b]) => place(a) - place(b));
}

function machineText({ cpu, cores, memoryGib, node, kernel }: Machine): string {
  return `${cores} cores (${cpu}), ${memoryGib} GiB of memory, Node ${node}, ${kernel}`;
}

function missed(parts: readonly (readonly [string, PartResult])[]): string[] {
  const over = parts.flatMap(([name, { rows }]) => rows.filter((row) => !isWithin(row)).map((row) => ({ name, row })));
  if (over.length === 0) return ['Every row is within its limit.', ''];
  return [
    `**Missed: ${over.length}**`,
    '',
    ...over.map(({ name, row }) => `- ${name}: ${row.what}: ${ratioText(row)}, limit ${limitCell(row)}`),
    '',
  ];
}

function section(name: string, { date, seconds, rows }: PartResult): string[] {
  const charts = chartsOf(name, rows).map(
    (chart) => `![${chart.axes.y} by ${chart.axes.x}](../images/${chart.name}.svg)`,
  );
  return [
    `## ${TITLES[name] ?? name}`,
    '',
    `\`ONLY=${name}\`, measured on ${date} in ${Math.round(seconds)} s.`,
    '',
    '| what | Echelon | beside | ratio | limit |',
    '|---|---|---|---|---|',
    ...rows.map((row) => `| ${cellsOf(row).map(escaped).join(' | ')} |`),
    '',
    ...charts.flatMap((chart) => [chart, '']),
  ];
}

function cellsOf(row: Row): string[] {
  const ratio = isWithin(row) ? ratioText(row) : `**${ratioText(row)}, missed**`;
  return [row.what, row.echelon, row.peer === undefined ? '' : peerText(row.peer), ratio, limitCell(row)];
}

function peerText({ name, measured }: Peer): string {
  return `${name}: ${measured}`;
}

function ratioText({ ratio }: Row): string {
  return ratio === undefined ? '' : String(Number(ratio.toPrecision(3)));
}

function limitCell({ limit }: Row): string {
  return limit === undefined ? '' : limitText(limit);
}

function peers(all: readonly Peer[]): string[] {
  const ways = new Map(all.flatMap(({ name, how }) => (how === undefined ? [] : [[`${name}\n${how}`, [name, how]]])));
  if (ways.size === 0) return [];
  return [
    '## How what stands beside was run',
    '',
    '| what | how |',
    '|---|---|',
    ...[...ways.values()].map((cells) => `| ${cells.map(escaped).join(' | ')} |`),
    '',
  ];
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|');
}
