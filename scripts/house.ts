import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseSync, type Statement } from 'oxc-parser';

/** The size of one folder of `src/`, without tests. */
export interface Room {
  readonly room: string;
  readonly files: number;
  /** All lines: code, comments and blank ones. */
  readonly lines: number;
  /** Lines that are neither blank nor only a comment. */
  readonly code: number;
  /** Names that a file declares and exports; those that a face passes on count where they are declared. */
  readonly exports: number;
  /** Interfaces and type aliases, exported or not. */
  readonly types: number;
  /** Characters of the longest line. */
  readonly longest: number;
}

/** The rooms of a source tree by name, and their sum. */
export function measureHouse(src: string): Room[] {
  const rooms = new Map<string, Room>();
  for (const file of sourceFiles(src)) {
    const room = file.includes('/') ? (file.split('/')[0] ?? '') : '.';
    rooms.set(room, joined(rooms.get(room) ?? empty(room), measureFile(file, readFileSync(join(src, file), 'utf8'))));
  }
  const measured = [...rooms.values()];
  return [...measured, measured.reduce(joined, empty('sum'))];
}

function sourceFiles(src: string): string[] {
  return readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => relative(src, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

function empty(room: string): Room {
  return { room, files: 0, lines: 0, code: 0, exports: 0, types: 0, longest: 0 };
}

function joined(room: Room, part: Omit<Room, 'room'>): Room {
  return {
    room: room.room,
    files: room.files + part.files,
    lines: room.lines + part.lines,
    code: room.code + part.code,
    exports: room.exports + part.exports,
    types: room.types + part.types,
    longest: Math.max(room.longest, part.longest),
  };
}

function measureFile(file: string, text: string): Omit<Room, 'room'> {
  const { program, comments } = parseSync(file, text);
  const lines = text.replace(/\n$/, '').split('\n');
  return {
    files: 1,
    lines: lines.length,
    code: withoutComments(text, comments)
      .split('\n')
      .filter((line) => line.trim() !== '').length,
    exports: program.body.reduce((sum, statement) => sum + exportedNames(statement), 0),
    types: program.body.filter(isType).length,
    longest: lines.reduce((most, line) => Math.max(most, line.length), 0),
  };
}

function withoutComments(text: string, comments: readonly { readonly start: number; readonly end: number }[]): string {
  let kept = '';
  let from = 0;
  for (const { start, end } of comments) {
    kept += text.slice(from, start);
    from = end;
  }
  return kept + text.slice(from);
}

function exportedNames(statement: Statement): number {
  if (statement.type === 'ExportDefaultDeclaration') return 1;
  if (statement.type !== 'ExportNamedDeclaration' || statement.source !== null) return 0;
  const { declaration, specifiers } = statement;
  if (declaration === null) return specifiers.length;
  return declaration.type === 'VariableDeclaration' ? declaration.declarations.length : 1;
}

function isType(statement: Statement): boolean {
  const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  return declared?.type === 'TSInterfaceDeclaration' || declared?.type === 'TSTypeAliasDeclaration';
}

/** Columns of numbers, aligned for a terminal. */
export function houseTable(rooms: readonly Room[]): string {
  const rows = [
    ['ROOM', 'FILES', 'LINES', 'CODE', 'LINES/FILE', 'EXPORTS', 'TYPES', 'LONGEST LINE'],
    ...rooms.map(({ room, files, lines, code, exports, types, longest }) =>
      [room, files, lines, code, Math.round(lines / Math.max(1, files)), exports, types, longest].map(String),
    ),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0))))
    .map((cells) => `${cells.join('   ')}\n`)
    .join('');
}

if (import.meta.main) process.stdout.write(houseTable(measureHouse(join(import.meta.dirname, '..', 'src'))));
