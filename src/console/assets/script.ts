/** Ages of times, for a page whose content is still what the server has. The words are those of `relativeText`. */
export const AGE_SCRIPT = `
  const UNITS = [[86400, 'days'], [3600, 'h'], [60, 'min'], [1, 's']];
  const relativeText = (seconds) => {
    const length = Math.abs(seconds);
    const unit = UNITS.find(([size]) => length >= (size === 1 ? 1 : 2 * size));
    if (unit === undefined) return 'now';
    const text = Math.round(length / unit[0]) + ' ' + unit[1];
    return seconds > 0 ? 'in ' + text : text + ' ago';
  };

  const showAges = (now) => {
    for (const each of main.querySelectorAll('[data-age]')) {
      const time = each.tagName === 'TIME' ? each : each.previousElementSibling;
      const text = relativeText((Date.parse(time.getAttribute('datetime')) - Date.parse(now)) / 1000);
      if (each === time) each.dataset.age = text;
      else each.textContent = '(' + text + ')';
    }
  };
`;

/** Where the user is on a page: the focus, the scroll position, and which details are open. */
const PLACE_SCRIPT = `
  const keyOf = (element) =>
    element.dataset.key || element.tagName + '|' + (element.getAttribute('href') || element.id || element.textContent);

  const remembered = () => {
    const active = document.activeElement;
    const isInside = active !== null && active !== main && main.contains(active) && active.closest('[data-filters]') === null;
    const key = isInside ? keyOf(active) : undefined;
    const alike = isInside ? [...main.querySelectorAll(active.tagName)].filter((each) => keyOf(each) === key) : [];
    return {
      key,
      tag: isInside ? active.tagName : '',
      index: alike.indexOf(active),
      open: [...main.querySelectorAll('details')].map((each) => each.open),
      shifts: [...main.querySelectorAll('.scroll')].map((each) => each.scrollLeft),
      x: scrollX,
      y: scrollY,
    };
  };

  const restore = ({ key, tag, index, open, shifts, x, y }) => {
    for (const [at, each] of [...main.querySelectorAll('details')].entries()) if (open[at]) each.open = true;
    for (const [at, each] of [...main.querySelectorAll('.scroll')].entries()) each.scrollLeft = shifts[at] || 0;
    if (key !== undefined) {
      const alike = [...main.querySelectorAll(tag)].filter((each) => keyOf(each) === key);
      (alike[index] || alike[0] || main).focus({ preventScroll: true });
    }
    scrollTo({ left: x, top: y, behavior: 'instant' });
  };

  const leavePlace = () => history.replaceState({ place: remembered() }, '');
  if (history.state !== null && history.state.place !== undefined) {
    restore(history.state.place);
    history.replaceState(null, '');
  }
`;

/**
 * Shows what the address says without leaving the page: after a choice of the user, and for every new observation while the page is
 * visible. What the user does stays: the filter form with what is typed, the focus, the scroll position, and which details are open.
 * The server sends the content only if it differs from what is shown.
 */
const LIVE_SCRIPT = `
  /** New values to choose from, with the choice that was made. */
  const takeChoices = (kept, next) => {
    for (const select of kept.querySelectorAll('select')) {
      const fresh = next.elements.namedItem(select.name);
      if (fresh === null || select === document.activeElement) continue;
      const chosen = select.value;
      select.replaceChildren(...fresh.childNodes);
      select.value = chosen;
    }
    for (const each of kept.querySelectorAll('input[type=hidden]')) each.remove();
    kept.append(...next.querySelectorAll('input[type=hidden]'));
    const buttons = kept.querySelector('.buttons');
    if (!buttons.contains(document.activeElement)) buttons.replaceWith(next.querySelector('.buttons'));
  };
  const takeText = (kept, next) => {
    if (kept.textContent !== next.textContent) kept.replaceChildren(...next.childNodes);
  };
  /** These stay where they are: moving the form would end what is typed there, and a new count would not be announced. */
  const KEPT = { '[data-filters]': takeChoices, '.count': takeText };

  const replace = (fresh, isBack) => {
    const kept = new Map();
    for (const [name, take] of Object.entries(KEPT)) {
      const [old, next] = [main, fresh].map((each) => each.querySelector(':scope > ' + name));
      if (old === null || next === null || (isBack && old.tagName === 'FORM')) continue;
      take(old, next);
      kept.set(next, old);
    }
    const stays = new Set(kept.values());
    for (const node of [...main.childNodes]) if (!stays.has(node)) node.remove();
    let last = null;
    for (const node of [...fresh.childNodes]) {
      const old = kept.get(node);
      if (old === undefined && last === null) main.prepend(node);
      else if (old === undefined) last.after(node);
      last = old || node;
    }
  };

  const here = () => location.href.replace(/#.*/, '');
  /** How the user came to the address: by going back, to another page of a list, or by a step that has to be seen. */
  let way = {};

  const show = async () => {
    const address = here();
    const target = new URL(address);
    target.searchParams.set('shown', document.body.dataset.shown);
    const response = await fetch(target, { headers: { accept: 'text/html' } });
    if (!response.ok) throw new Error(String(response.status));
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (fresh.body.dataset.version === undefined || address !== here()) return;
    const content = fresh.getElementById('main');
    const { isBack, isTurned } = way;
    way = {};
    if (content !== null) {
      const before = remembered();
      replace(content, isBack);
      const footer = document.querySelector('footer');
      if (!footer.contains(document.activeElement)) footer.replaceWith(fresh.querySelector('footer'));
      document.title = fresh.title;
      restore(isTurned ? { ...before, index: 0 } : before);
      if (isTurned) main.querySelector('.pager')?.scrollIntoView({ block: 'start', behavior: 'instant' });
    }
    document.querySelector('.asof').replaceWith(fresh.querySelector('.asof'));
    for (const name of ['version', 'shown']) document.body.dataset[name] = fresh.body.dataset[name];
    showAges(fresh.body.dataset.now);
  };

  let busy = false;
  let again = false;
  const update = async () => {
    again = true;
    if (busy) return;
    busy = true;
    try {
      while (again) {
        again = false;
        await show();
      }
    } catch {
      // The server is away: the feed connects again, and says then what is new. A step of the user fails as without a script.
      if (way.isStep) location.reload();
    } finally {
      busy = false;
    }
  };

  const visit = (address, change, isTurned = false) => {
    const isNew = new URL(address, location.href).href !== here();
    if (isNew) history[change](null, '', address);
    way = { isTurned, isStep: change === 'pushState' };
    void update();
  };
  addEventListener('popstate', () => {
    way = { isBack: true, isStep: true };
    void update();
  });

  let feed;
  // A hidden page holds no connection: a browser has few for one server.
  const listen = () => {
    if (document.hidden || document.body.dataset.feed === undefined) {
      if (feed !== undefined) feed.close();
      feed = undefined;
    } else if (feed === undefined) {
      feed = new EventSource(document.body.dataset.feed);
      feed.addEventListener('message', (event) => {
        if (event.data !== document.body.dataset.version) void update();
      });
    }
  };
  document.addEventListener('visibilitychange', listen);
  addEventListener('pagehide', () => {
    if (feed !== undefined) feed.close();
    feed = undefined;
  });
  addEventListener('pageshow', listen);
  listen();
`;

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
