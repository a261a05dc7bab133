/** Two stacked chevrons. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><rect width="20" height="20" rx="4" fill="#2b4acb"/><path d="M4 14l6-3.5 6 3.5M4 9.5L10 6l6 3.5" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round" stroke-linecap="round"/></svg>\n`;
