export { endOf, killGroup } from './child.ts';
export { containerCommand, runCommand, streamCommand } from './commands.ts';
export { collectEarly, freePort, isRunning, ownIdentity, type ProcessIdentity } from './process-identity.ts';
export type { Command } from './program.ts';
