import { count, imageVersion, parseImage } from '../../base/index.ts';
import type { Difference } from '../plan/differences.ts';
import type { PlanItem } from '../plan/plan-item.ts';

const SHOWN = 3;

/** Why an item is planned: what differs, in a few words. */
export function itemReason(item: PlanItem): string {
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
