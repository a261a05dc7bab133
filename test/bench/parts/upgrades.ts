import { runScript } from '../measure.ts';
import { script } from '../part.ts';
import { type Row, sizeText, timeText } from '../row.ts';

/** Upgrades: calls against the formula that the design states, and what bad configuration costs the others. */
export function benchUpgrades(): Row[] {
  const sample = runScript(script('upgrades.ts'), []);
  const of = (name: string): number => sample[name] ?? Number.NaN;
  const pass = `a pass over ${of('clusters')} clusters`;
  const engine = { name: 'one without', measured: timeText(of('engine')) };
  return [
    {
      what: `${pass} without changes: list calls`,
      echelon: String(of('calls')),
      peer: { name: 'labels, subscriptions and clusters by 100, plus 3', measured: String(of('allowed')) },
      ratio: of('calls') / of('allowed'),
      limit: { atMost: 1 },
    },
    { what: `${pass} without changes: calls for one cluster`, echelon: String(of('perCluster')) },
    {
      what: `${pass}, the first, with the simulated OCM`,
      echelon: `${timeText(of('first'))}, ${sizeText(of('maxRss'))}`,
    },
    { what: `${pass}, the second, with the simulated OCM`, echelon: timeText(of('second')) },
    { what: 'engine, 1,000 clusters × 20 versions', echelon: timeText(of('engine')) },
    {
      what: 'an organization with patterns that explode elsewhere',
      echelon: timeText(of('evil')),
      peer: engine,
      ratio: of('evil') / of('engine'),
      limit: { atMost: 2 },
    },
    {
      what: 'an organization with 10,000 labels that mean nothing',
      echelon: timeText(of('crowded')),
      peer: engine,
      ratio: of('crowded') / of('engine'),
      limit: { atMost: 2 },
    },
  ];
}
