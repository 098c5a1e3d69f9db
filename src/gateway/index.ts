/** The entry point `bosun/gateway`, for programs that embed the gateway. Nothing inside src imports this file. */
import '../runtime-check.ts';
export { type Caller, type JwtOptions, type TokenOptions } from './callers/callers.ts';
export { type Scope } from '../actors/api/procedure.ts';
export { type Connection } from './client/connection.ts';
export { type Entrance } from './client/hub.ts';
export { type MethodRow } from './calls/method-row.ts';
export { type MethodName, METHODS, rowOf } from './calls/methods.ts';
export { type ClientWire } from './client/send-buffer.ts';
export { type ClientFrame, type ServerFrame, type WireError } from './protocol/frames.ts';
export {
  afterClose,
  CLOSES,
  type Cursor,
  DEFAULT_HOST,
  DEFAULT_PORT,
  SOCKET_PATH,
  SUBPROTOCOL,
} from './protocol/protocol.ts';
export { type McpRate } from './callers/tool-rates.ts';
export { type Rate } from './protocol/token-bucket.ts';
export { createGateway, type Gateway, type GatewayOptions, type Listening } from './network/server.ts';
