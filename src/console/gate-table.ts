import type { Instant, Opening } from '../gates/index.ts';
import { type Html, html } from './html.ts';
import { badge } from './parts.ts';
import { openingTime } from './times.ts';

/** What one gate says. */
interface GateRow {
  readonly gate: string;
  readonly state: 'pass' | 'wait' | 'broken';
  readonly reason: string;
  readonly opens?: Opening;
}

const TONES = { pass: 'good', wait: 'wait', broken: 'bad' } as const;

/** Every gate in order, with what it says and when it can open. */
export function gateTable(gates: readonly GateRow[], caption: string, now: Instant): Html {
  const rows = gates.map(
    ({ gate, state, reason, opens }) =>
      html`<tr class="${state}"><th scope="row">${gate}</th><td>${badge(TONES[state], state)}</td><td class="why">${reason}</td><td>${opens === undefined ? '' : openingTime(opens, now)}</td></tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="gates"><caption class="unseen">${caption}</caption><thead><tr><th scope="col">Gate</th><th scope="col">Verdict</th><th scope="col">Why</th><th scope="col">Opens</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}
