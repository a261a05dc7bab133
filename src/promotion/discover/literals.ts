const MAX_RESOURCE_BYTES = 1024 * 1024;

/** `key: value` lines whose value is a literal, not a template expression. */
export function literals(
  bytes: Uint8Array | undefined,
  keys: readonly string[],
): { readonly key: string; readonly value: string; readonly line: number }[] {
  if (bytes === undefined || bytes.byteLength > MAX_RESOURCE_BYTES) return [];
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  return lines.flatMap((text, index) => {
    const found = /^\s*(?:- +)*(?:export +)?([\w.-]+)(?::\s+|=)(["']?)([\w.-]+)\2\s*(?:#.*)?$/.exec(text);
    const [, key = '', , value = ''] = found ?? [];
    return keys.includes(key) ? [{ key, value, line: index + 1 }] : [];
  });
}
