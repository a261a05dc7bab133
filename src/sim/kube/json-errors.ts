/** What Go says of a text that is no JSON; undefined when it is JSON. */
export function jsonError(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const at = Number(/position (\d+)/.exec(String(error))?.[1] ?? text.length);
    if (at >= text.length) return 'unexpected end of JSON input';
    const isKey = /^\s*[{,]\s*$/.test(/[{,]\s*$/.exec(text.slice(0, at))?.[0] ?? '');
    const wanted = isKey && !/\[[^{}\]]*$/.test(text.slice(0, at)) ? 'object key string' : 'value';
    return `invalid character '${text[at] ?? ''}' looking for beginning of ${wanted}`;
  }
}

/** What a JSON value is called in Go. */
export function jsonName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value;
}
