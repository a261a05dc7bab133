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
