export type { ConsoleResponse } from './answers.ts';
export { SECURITY_HEADERS, STRICT_TRANSPORT } from './headers.ts';
export { recordedVersions, sightedNow } from './past.ts';
export { type ConsoleRequest, respond } from './respond.ts';
export type { ConsoleShard, ConsoleState, Half, Outlook, ShardsData, Sighted, UpgradesData } from './state.ts';
