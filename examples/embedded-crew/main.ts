/** Runs the service until it is interrupted. */
import { service } from './service.ts';

const { url, stop } = await service('./notes', Number(process.env['PORT'] ?? 3000));
console.log(url);
process.once('SIGINT', () => void stop());
