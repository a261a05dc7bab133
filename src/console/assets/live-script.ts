/**
 * Shows what the address says without leaving the page: after a choice of the user, and for every new observation while the page is
 * visible. What the user does stays: the filter form with what is typed, the focus, the scroll position, and which details are open.
 * The server sends the content only if it differs from what is shown.
 */
export const LIVE_SCRIPT = `
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
