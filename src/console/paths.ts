/** The decoded parts of a path below a prefix; undefined when it is not below it, or a part is not valid. */
export function pathParts(path: string, prefix: string): string[] | undefined {
  if (!path.startsWith(`${prefix}/`)) return undefined;
  try {
    return path
      .slice(prefix.length + 1)
      .split('/')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
