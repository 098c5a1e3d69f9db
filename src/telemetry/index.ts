/** Turns for other systems of observation: `bosun/telemetry`. Nothing inside src imports this file. */
export { type OpenTelemetryOptions, traceToOpenTelemetry } from './open-telemetry.ts';
