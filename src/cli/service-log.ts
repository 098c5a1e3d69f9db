/** What a service says of itself on `err`: JSON lines by pino, or plain lines on a terminal. */
import { pino } from 'pino';
import { type Output } from './surroundings.ts';

export interface ServiceLog {
  info(text: string, facts?: object): void;
  error(text: string, facts?: object): void;
  /** As the option `log` of createSystem and createGateway: what it is given may be anything. */
  readonly runtime: (...args: unknown[]) => void;
}

export function serviceLog(err: Output): ServiceLog {
  return err.isTTY === true ? plainLog(err) : jsonLog(err);
}

function plainLog(err: Output): ServiceLog {
  const say = (text: string) => void err.write(`${text}\n`);
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
      const error = args.find((arg) => arg instanceof Error);
      logger.warn(error === undefined ? {} : { err: error }, textOf(args));
    },
  };
}

function textOf(args: readonly unknown[]): string {
  return args
    .map((arg) =>
      arg instanceof Error ? arg.message : typeof arg === 'object' && arg !== null ? JSON.stringify(arg) : String(arg),
    )
    .join(' ');
}
