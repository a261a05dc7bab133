import { AGE_SCRIPT } from './age-script.ts';
import { LIVE_SCRIPT } from './live-script.ts';
import { PLACE_SCRIPT } from './place-script.ts';

/**
 * The script. Everything works without it: it searches while typing, shows filters, order and pages in place, adds keyboard
 * shortcuts, comes back to the row that was opened, and shows new observations in an open page. It stores only whether shortcuts
 * are enabled.
 */
export const SCRIPT = `'use strict';
(() => {
  const main = document.getElementById('main');
  const formOf = () => document.querySelector('[data-filters]');
  const rowsOf = () => {
    const table = document.querySelector('[data-rows]');
    return table === null ? [] : [...table.tBodies[0].rows];
  };

  const addressOf = (form) => {
    const given = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      const text = String(value).trim();
      if (text !== '') given.append(name, text);
    }
    const search = given.toString();
    return location.pathname + (search === '' ? '' : '?' + search);
  };

  document.addEventListener('input', ({ target }) => {
    if (target.matches('[data-filters] [name=q]')) visit(addressOf(target.form), 'replaceState');
  });
  document.addEventListener('change', ({ target }) => {
    if (target.matches('[data-filters] select')) visit(addressOf(target.form), 'pushState');
  });
  document.addEventListener('submit', (event) => {
    if (!event.target.matches('[data-filters]')) return;
    event.preventDefault();
    visit(addressOf(event.target), 'pushState');
  });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('#main a') : null;
    if (link === null || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (link.dataset.key === undefined) {
      leavePlace();
      return;
    }
    event.preventDefault();
    visit(link.href, 'pushState', link.closest('.pager') !== null);
  });

  const KEYS_OFF = 'echelon-keys-off';
  const stored = () => {
    try {
      return localStorage.getItem(KEYS_OFF) !== null;
    } catch {
      return false;
    }
  };
  const toggle = document.querySelector('[data-keys-toggle]');
  if (toggle !== null) {
    document.querySelector('[data-keys]').hidden = false;
    toggle.checked = !stored();
    toggle.addEventListener('change', () => {
      if (toggle.checked) localStorage.removeItem(KEYS_OFF);
      else localStorage.setItem(KEYS_OFF, '1');
    });
  }

  const isTyping = (target) =>
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName));

  const linkOf = (row) => row.querySelector('[data-open]') || row.querySelector('th a');

  const move = (step) => {
    const all = rowsOf().map(linkOf).filter((link) => link !== null);
    const here = document.activeElement === null ? null : document.activeElement.closest('[data-rows] tbody tr');
    const at = here === null ? -1 : all.indexOf(linkOf(here));
    const next = at === -1 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step));
    const link = all[next];
    if (link === undefined) return;
    link.focus();
    link.scrollIntoView({ block: 'nearest' });
  };

  const turn = (rel) => {
    const link = main.querySelector('.pager a[rel=' + rel + ']');
    if (link !== null) link.click();
  };

  const PLACES = { o: '/', c: '/clusters', t: '/timeline', s: '/shards', r: '/rollouts', v: '/versions' };
  let going = false;
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target)) {
      if (event.key === 'Escape') event.target.blur();
      return;
    }
    if (stored()) return;
    const place = going ? PLACES[event.key] : undefined;
    going = event.key === 'g';
    if (place !== undefined) location.assign(place);
    else if (event.key === '/' && formOf() !== null) {
      event.preventDefault();
      formOf().elements.namedItem('q').select();
    } else if (event.key === 'j') move(1);
    else if (event.key === 'k') move(-1);
    else if (event.key === 'n') turn('next');
    else if (event.key === 'p') turn('prev');
    else if (event.key === '?') location.assign('/help');
  });
${AGE_SCRIPT}${PLACE_SCRIPT}${LIVE_SCRIPT}
})();
`;
