/** The entry point `bosun/client`: the typed client, for browsers and Node. Nothing inside src imports this file. */
export { type CallOptions } from './client-calls.ts';
export { type Client, type ClientOptions, createClient } from './client.ts';
export {
  type ClientRecords,
  type RecordTailOptions,
  type RemoteFoundRecord,
  type RemoteRecord,
} from './client-records.ts';
export { ClientError, type ClientErrorCode, isClientError } from './client-error.ts';
export {
  type AgentName,
  type AgentShape,
  type ContextIn,
  type EmittedIn,
  type EventIn,
  type SystemShape,
} from './contract.ts';
export { type EmissionOptions, type Emissions } from './emissions.ts';
export { type ClientStorage } from './session-storage.ts';
export { type ClientStatus, type TokenSource } from './client-connection.ts';
export {
  type RemoteActor,
  type RemoteSendOptions as SendOptions,
  type WaitOptions,
} from './remote-actor.ts';
export { type RemoteSubscription, type TopicWatcher } from './observers.ts';
export { type RemoteWindow, type WindowWatcher } from './remote-window.ts';
export { rowsInOrder, type WindowPage } from '../gateway/protocol/window-page.ts';
export { type RunPageView, type RunsOptions, type RunView } from '../gateway/protocol/run-view.ts';
export { type ActorView } from '../gateway/protocol/actor-view.ts';
export { type KnownSnapshot, type RemoteSnapshot, type UnknownSnapshot } from './remote-snapshot.ts';
export { type ClientClock, type ClientRandom, type Socket, type SocketClass } from './platform.ts';
