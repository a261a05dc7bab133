/** Cut to a number of UTF-16 units, with a note of what is missing; an open code block is closed. */
export function limitedBody(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const note = (missing: number): string => `\n\n… ${missing} more characters omitted.\n`;
  const room = limit - note(text.length).length - '\n```'.length;
  const cut = text.slice(0, Math.max(0, room)).replace(/[\ud800-\udbff]$/, '');
  const kept = cut.includes('\n') ? cut.slice(0, cut.lastIndexOf('\n')) : cut;
  const open = (kept.match(/^```/gm)?.length ?? 0) % 2 === 1;
  return `${kept}${open ? '\n```' : ''}${note(text.length - kept.length)}`;
}

/** One line. */
export function limitedTitle(text: string, limit: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** GitLab obeys lines such as `/merge` in descriptions and comments: what we quote of others must not be obeyed. */
export function withoutQuickActions(text: string): string {
  return text.replace(/^([ \t]*)\/(?=[a-z_]+(?:\s|$))/gim, '$1\\/');
}
