export { type QontractClient, qontractClient } from './client.ts';
