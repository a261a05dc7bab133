/** What Go says of a text that is no JSON; undefined when it is JSON. */
export function jsonError(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = String(error);
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
    const character = text[position] ?? /Unexpected token '(.)'/u.exec(message)?.[1];
    if (character === undefined) return 'unexpected end of JSON input';
    const wanted =
      /[{,]\s*$/.test(text.slice(0, position)) && isInObject(text.slice(0, position)) ? 'object key string' : 'value';
    return `invalid character '${character}' looking for beginning of ${wanted}`;
  }
}

/** Whether what is open last is an object and not a list. */
function isInObject(text: string): boolean {
  const open: string[] = [];
  for (const [bracket] of text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/[[\]{}]/g)) {
    if (bracket === '{' || bracket === '[') open.push(bracket);
    else open.pop();
  }
  return open.at(-1) === '{';
}

/** What a JSON value is called in Go. */
export function jsonName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value;
}
