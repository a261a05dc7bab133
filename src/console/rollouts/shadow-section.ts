import { count, shellText } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { BoardShard, ShadowRecord } from '../../rollouts/index.ts';
import type { Tone } from '../clusters/rows.ts';
import { type Html, html, type Markup } from '../html.ts';
import { badge } from '../parts.ts';
import type { ConsoleShard } from '../state.ts';
import { timeWithAge } from '../times.ts';
import { verdictPath } from './board-rows.ts';

const TONES: Readonly<Record<ShadowRecord['result'], Tone>> = { same: 'good', different: 'bad', inconclusive: 'wait' };

/** What the dry runs on both images reported, line by line. */
export function shadowSection(shadow: ShadowRecord, now: Instant): Html {
  const lines = shadow.text === undefined ? [] : shadow.text.split('\n');
  return html`<section aria-labelledby="shadow"><h2 id="shadow">Shadow</h2>
<p>${summary(shadow, now)}${shadow.digest === undefined ? '' : html` <code>${shadow.digest}</code>`}</p>
${lines.length === 0 ? '' : html`<ul>${lines.map((line) => html`<li><code>${line}</code></li>`)}</ul>`}</section>`;
}

/** The last comparison that concerns a shard with a link to what differs, or how to make one. */
export function shadowOfShard(shard: ConsoleShard, cell: BoardShard | undefined, now: Instant): Markup {
  if (shard.integration === undefined || shard.shard === undefined) return '';
  const { shadow, shadowOf } = cell ?? {};
  const link =
    cell === undefined
      ? ''
      : html`<a href="${verdictPath({ ...cell, id: shadowOf ?? cell.id })}#shadow">What the dry runs reported</a>`;
  const other = shadowOf === undefined ? '' : `The comparison of ${shadowOf} holds it: `;
  const found =
    shadow === undefined
      ? html`<p>No comparison of images is recorded. To make one: <code>${commandFor(shard)}</code></p>`
      : html`<p>${other}${summary(shadow, now)}. ${link}</p>`;
  return html`<section aria-labelledby="shadow"><h2 id="shadow">Shadow</h2>
${found}</section>`;
}

function summary({ image, baseline, at, triedAt, result, differences }: ShadowRecord, now: Instant): Html {
  const again = triedAt === undefined ? '' : html`; tried again ${timeWithAge(triedAt, now)} without a result`;
  return html`${badge(TONES[result], result)} ${timeWithAge(at, now)}: dry runs on <code>${image}</code> against <code>${baseline}</code>${differences === 0 ? '' : `, ${count(differences, 'action')}`}${again}`;
}

function commandFor({ integration = '', shard = '', environment, expectedTag, liveTag }: ConsoleShard): string {
  const candidate = expectedTag === undefined || expectedTag === liveTag ? 'IMAGE' : expectedTag;
  const where = environment === undefined ? [] : ['-e', environment];
  return shellText(['echelon', 'shadow', integration, '--shard', shard, ...where, '--candidate', candidate]);
}
