/** The gateway, for those who embed it: `bosun/gateway`. Nothing inside src imports this file. */
export { type Caller, type JwtOptions, type Scope, type TokenOptions } from './callers.ts';
export { type Connection } from './connection.ts';
export { type Entrance } from './hub.ts';
export { type MethodName, type MethodRow, METHODS, rowOf } from './methods.ts';
export { type Wire } from './outflow.ts';
export { type ClientFrame, type ServerFrame, type WireError } from './protocol-frames.ts';
export { afterClose, CLOSES, type Cursor, DEFAULT_HOST, DEFAULT_PORT, SOCKET_PATH, SUBPROTOCOLS } from './protocol.ts';
export { type Rate } from './rates.ts';
export { createGateway, type Gateway, type GatewayOptions, type Listening } from './server.ts';
