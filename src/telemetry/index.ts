/** The entry point `bosun/telemetry`: turns for other observability systems. Nothing inside src imports this file. */
import '../runtime-check.ts';
export { type OpenTelemetryOptions, traceToOpenTelemetry } from './open-telemetry.ts';
export { sessionsToOpenTelemetry } from './session-spans.ts';
