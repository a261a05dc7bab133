/**
 * Follows the observations: a page that is visible listens for new ones, fetches itself, and replaces its content. What the user
 * does stays: the filter form with what is typed, the focus, the scroll position, and which details are open.
 */
export const LIVE_SCRIPT = `
  const main = document.getElementById('main');
  const keyOf = (element) => element.tagName + '|' + (element.getAttribute('href') || element.id || element.textContent);

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
      const again = alike[index] || alike[0];
      if (again !== undefined) again.focus({ preventScroll: true });
    }
    scrollTo({ left: x, top: y, behavior: 'instant' });
  };

  /** New values to choose from, with the choice that was made. */
  const takeChoices = (kept, next) => {
    for (const select of kept.querySelectorAll('select')) {
      const fresh = next.elements.namedItem(select.name);
      const chosen = select.value;
      if (fresh === null) continue;
      select.replaceChildren(...fresh.childNodes);
      select.value = chosen;
    }
  };

  /** The form stays where it is: moving it would end what is typed there. */
  const replace = (fresh) => {
    const kept = main.querySelector(':scope > [data-filters]');
    const next = fresh.querySelector(':scope > [data-filters]');
    if (kept === null || next === null) {
      main.replaceChildren(...fresh.childNodes);
      return;
    }
    if (document.activeElement === null || !kept.contains(document.activeElement)) takeChoices(kept, next);
    for (const node of [...main.childNodes]) if (node !== kept) node.remove();
    const nodes = [...fresh.childNodes];
    const at = nodes.indexOf(next);
    kept.before(...nodes.slice(0, at));
    kept.after(...nodes.slice(at + 1));
  };

  const refresh = async () => {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (!response.ok) return;
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
    const content = fresh.getElementById('main');
    if (content === null || fresh.body.dataset.version === undefined) return;
    if ((formOf() === null) !== (content.querySelector('[data-filters]') === null)) {
      location.reload();
      return;
    }
    const before = remembered();
    replace(content);
    document.querySelector('.asof').replaceWith(fresh.querySelector('.asof'));
    document.body.dataset.version = fresh.body.dataset.version;
    document.title = fresh.title;
    afterRefresh();
    restore(before);
  };

  let feed;
  let busy = false;
  let wanted;
  const follow = async (version) => {
    wanted = version;
    if (busy) return;
    busy = true;
    try {
      while (wanted !== document.body.dataset.version) {
        const target = wanted;
        await refresh();
        if (wanted === target) break;
      }
    } catch {
      // The server is away; the feed connects again, and says then what is new.
    } finally {
      busy = false;
    }
  };
  // A hidden page holds no connection: a browser has few for one server.
  const listen = () => {
    if (document.hidden || document.body.dataset.feed === undefined) {
      if (feed !== undefined) feed.close();
      feed = undefined;
    } else if (feed === undefined) {
      feed = new EventSource(document.body.dataset.feed);
      feed.addEventListener('message', (event) => void follow(event.data));
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
