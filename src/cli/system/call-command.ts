/** `bosun call`: calls a method or procedure of a running system, or lists all that can be called. */
import { BosunError } from '../../errors.ts';
import { didYouMean } from '../../near-names.ts';
import { withData } from '../reach/data-work.ts';
import { carriedOut, type ExitCode } from '../exit-codes.ts';
import { fieldsIn, jsonObject } from '../json-text.ts';
import { type LiveGateway, type OfferedMethod } from '../reach/live-gateway.ts';
import { jsonLine } from '../json-lines.ts';
import { type DataCommand } from '../surroundings.ts';
import { tableText } from '../table.ts';

export interface CallCommand extends DataCommand {
  /** The method to call; undefined to list the methods. */
  readonly method: string | undefined;
  /** The parameters: fields as `key=value`, or one JSON object. */
  readonly params: readonly string[];
  readonly timeoutMs: number | undefined;
}

export function callCommand(command: CallCommand): Promise<ExitCode> {
  const { method, params } = command;
  return carriedOut(command, async () => {
    const [first = '', ...more] = params;
    const isJson = more.length === 0 && /^\s*[{[]/.test(first);
    const given = isJson ? jsonObject(first, 'parameters') : undefined;
    return withData(command, {
      live: async (gateway) =>
        method === undefined
          ? list(gateway, command)
          : call(gateway, method, given ?? fieldsIn(params, 'parameters', 'address=visits'), command),
    });
  });
}

async function list(gateway: LiveGateway, { json, out }: CallCommand): Promise<void> {
  const offers = await gateway.offers();
  if (json) for (const offer of offers) out.write(jsonLine(lineOf(offer)));
  else out.write(tableText([['METHOD', 'PARAMETERS', 'SCOPE', 'MEANING'], ...offers.map(cellsOf)]));
}

function lineOf({ name, scope, means, params }: OfferedMethod): object {
  return { type: 'method', name, scope, means, params };
}

/** A row of the list; a question mark follows an optional parameter. */
function cellsOf({ name, scope, means, params }: OfferedMethod): string[] {
  const named = params.map((param) => (param.isRequired ? param.name : `${param.name}?`));
  return [name, named.join(' '), scope, /^[^.:]*[.:]?/.exec(means)![0].replace(/:$/, '.')];
}

async function call(
  gateway: LiveGateway,
  method: string,
  params: Readonly<Record<string, unknown>>,
  { json, out, timeoutMs: deadlineMs }: CallCommand,
): Promise<void> {
  const offers = await gateway.offers();
  const offer = offers.find(({ name }) => name === method);
  if (offer === undefined) {
    const known = offers.map(({ name }) => name);
    throw new BosunError(
      'BOSUN_CALL_INVALID',
      `there is no method ${JSON.stringify(method)}${didYouMean(method, known)}`,
    );
  }
  const answer = await gateway.callOffered(offer, params, { deadlineMs });
  out.write(json ? jsonLine({ type: 'answer', method, answer }) : `${JSON.stringify(answer, null, 2)}\n`);
}
