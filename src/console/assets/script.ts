import { LIVE_SCRIPT } from './live-script.ts';

/**
 * The script. Everything works without it: it searches while typing, applies a filter at once, adds keyboard shortcuts,
 * and shows new observations in an open page. It stores only whether shortcuts are enabled.
 */
export const SCRIPT = String.raw`'use strict';
(() => {
  const formOf = () => document.querySelector('[data-filters]');
  const tableOf = () => document.querySelector('[data-rows]');
  const rowsOf = () => {
    const table = tableOf();
    return table === null ? [] : [...table.tBodies[0].rows];
  };

  let texts = new WeakMap();
  const textOf = (row) => {
    const known = texts.get(row);
    if (known !== undefined) return known;
    const text = [...row.cells].map((cell) => cell.textContent).join(' ').toLowerCase();
    texts.set(row, text);
    return text;
  };

  const find = (q) => {
    const words = q.trim().toLowerCase().split(/\s+/);
    let found = 0;
    for (const row of rowsOf()) {
      const text = textOf(row);
      const hit = words.every((word) => text.includes(word));
      row.hidden = !hit;
      if (hit) found += 1;
    }
    const count = document.querySelector('[data-count]');
    if (count !== null) count.textContent = String(found);
    const none = document.querySelector('[data-none]');
    if (none !== null) none.hidden = found > 0;
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

  const isComplete = () => {
    const table = tableOf();
    return table !== null && table.hasAttribute('data-complete');
  };

  const form = formOf();
  if (form !== null) {
    const field = form.elements.namedItem('q');
    field.addEventListener('input', () => {
      if (!isComplete()) return;
      find(field.value);
      history.replaceState(null, '', addressOf(form));
    });
    // The browser may have restored earlier input.
    if (isComplete() && field.value !== field.defaultValue) find(field.value);
    form.addEventListener('change', (event) => {
      if (event.target instanceof HTMLSelectElement) location.assign(addressOf(form));
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      location.assign(addressOf(form));
    });
  }

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

  const links = () => rowsOf().filter((row) => !row.hidden).map((row) => row.querySelector('th a')).filter((link) => link !== null);

  const move = (step) => {
    const all = links();
    const here = document.activeElement === null ? null : document.activeElement.closest('[data-rows] tbody tr');
    const at = here === null ? -1 : all.indexOf(here.querySelector('th a'));
    const next = at === -1 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step));
    const link = all[next];
    if (link === undefined) return;
    link.focus();
    link.scrollIntoView({ block: 'nearest' });
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
    else if (event.key === '/' && form !== null) {
      event.preventDefault();
      form.elements.namedItem('q').select();
    } else if (event.key === 'j') move(1);
    else if (event.key === 'k') move(-1);
    else if (event.key === '?') location.assign('/help');
  });

  const afterRefresh = () => {
    texts = new WeakMap();
    if (form !== null && isComplete()) find(form.elements.namedItem('q').value);
  };
${LIVE_SCRIPT}
})();
`;
