/**
 * The log of a service on `err`: JSON lines by pino, or plain lines on a terminal. With `--json` its errors are the
 * lines that every verb prints.
 */
import { pino } from 'pino';
import { type ErrorCode } from '../../error-codes.ts';
import { LogLine } from '../../log.ts';
import { plainLine } from '../../plain-text.ts';
import { writeError } from '../exit-codes.ts';
import { type Output } from '../surroundings.ts';

export interface ServiceLog {
  info(text: string, facts?: object): void;
  error(text: string, facts?: { readonly code?: ErrorCode | undefined }): void;
  /** The option `log` of createSystem and createGateway; its arguments may be anything. */
  readonly runtime: (...args: unknown[]) => void;
}

export function serviceLog(err: Output, { json = false }: { readonly json?: boolean } = {}): ServiceLog {
  const log = err.isTTY === true ? plainLog(err) : jsonLog(err);
  if (!json) return log;
  return { ...log, error: (text, { code = 'BOSUN_INTERNAL' } = {}) => writeError({ err, json }, code, text) };
}

function plainLog(err: Output): ServiceLog {
  const say = (text: string) => void err.write(`${plainLine(text)}\n`);
  return { info: say, error: say, runtime: (...args) => say(textOf(args)) };
}

function jsonLog(err: Output): ServiceLog {
  const options = {
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  };
  const logger = pino(options, { write: (line: string) => void err.write(line) });
  return {
    info: (text, facts = {}) => logger.info(facts, text),
    error: (text, facts = {}) => logger.error(facts, text),
    runtime: (...args) => {
      const line = args.find((arg) => arg instanceof LogLine);
      const error = args.find((arg) => arg instanceof Error);
      logger.warn({ ...line?.facts, ...(error !== undefined && { err: error }) }, textOf(args));
    },
  };
}

function textOf(args: readonly unknown[]): string {
  return args
    .map((arg) =>
      arg instanceof Error
        ? arg.message
        : typeof arg === 'object' && arg !== null && !(arg instanceof LogLine)
          ? JSON.stringify(arg)
          : String(arg),
    )
    .join(' ');
}
