import { ForgeError } from './forge-error.ts';

/** The first line of a comment, by which it is found again; invisible when rendered. */
export function markerLine(marker: string): string {
  if (!/^[a-z0-9]+(?:[._-][a-z0-9]+)*$/i.test(marker)) throw new RangeError(`a marker named ${JSON.stringify(marker)}`);
  return `<!-- echelon:${marker} -->`;
}

export interface FoundComment {
  readonly id: number;
  readonly body: string;
}

interface CommentApi {
  /** Our own comments, oldest first. */
  own(): Promise<readonly FoundComment[]>;
  create(body: string): Promise<unknown>;
  update(id: number, body: string): Promise<unknown>;
}

/** The first of our comments with this marker gets the text; without one there is a new comment. */
export async function writeMarked(api: CommentApi, marker: string, text: string): Promise<{ updated: boolean }> {
  const line = markerLine(marker);
  const find = async (): Promise<FoundComment | undefined> =>
    (await api.own()).find(({ body }) => body.startsWith(line));
  const found = await find();
  if (found !== undefined) {
    if (found.body.replaceAll('\r\n', '\n').trimEnd() !== text.trimEnd()) await api.update(found.id, text);
    return { updated: true };
  }
  try {
    await api.create(text);
  } catch (thrown) {
    if (!(thrown instanceof ForgeError) || !thrown.mayHaveArrived || (await find()) === undefined) throw thrown;
  }
  return { updated: false };
}
