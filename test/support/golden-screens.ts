import { member, upgradeFleet } from './upgrade-world.ts';

export interface Terminal {
  readonly columns: number;
  readonly NO_COLOR: '1' | '';
}

export const NARROW: Terminal = { columns: 80, NO_COLOR: '1' };
export const USUAL: Terminal = { columns: 120, NO_COLOR: '1' };
export const BROAD: Terminal = { columns: 200, NO_COLOR: '1' };
export const COLOURED: Terminal = { columns: 120, NO_COLOR: '' };

/** What a golden file says of a terminal. */
export function terminalTitle({ columns, NO_COLOR }: Terminal): string {
  return `=== ${columns} columns${NO_COLOR === '' ? ', in colour' : ''}`;
}

/** Control sequences as a reader of a golden file sees them. */
export function visible(text: string): string {
  return text.replaceAll('\u001b[', '␛[');
}

export function withoutColour(text: string): string {
  return visible(text).replaceAll(/␛\[\d+m/g, '');
}

/** Clusters of every kind: due, and waiting for a mutex, a window or soak; with an invalid label, and in a stopped organization. */
export const SHOWN_FLEET = upgradeFleet([
  {
    id: 'org-1',
    clusters: [
      member('alpha', { mutexes: 'm' }),
      member('beta', { mutexes: 'm' }),
      member('gamma', { schedule: '0 15 * * *' }),
      member('delta', { 'soak-days': 'few' }),
      member('epsilon', { 'soak-days': 3 }),
    ],
  },
  { id: 'org-2', aus: { 'blocked-versions': '(' }, clusters: [member('zeta')] },
]);
