/** Where the user is on a page: the focus, the scroll position, and which details are open. */
export const PLACE_SCRIPT = `
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
