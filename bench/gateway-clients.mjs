/**
 * A client for each server of the gateway's rows. They use no client library of ours, because the server is measured.
 */
import { io as socketIo } from 'socket.io-client';
import { WebSocket } from 'ws';

const SUBPROTOCOL = 'bosun.v1.json';

/** Resolves with a client of the gateway that uses raw frames. `told` gets every frame that does not answer a call. */
export function bosunClient(url, { told = () => {}, token } = {}) {
  const socket = new WebSocket(`${url}/v1/ws`, [SUBPROTOCOL], { perMessageDeflate: false });
  const waiting = new Map();
  let calls = 0;
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', (code) => reject(new Error(`the gateway closed a connection with ${code}`)));
    socket.on('open', () => socket.send(JSON.stringify({ t: 'hello', v: 1, token })));
    socket.on('message', (data) => {
      const frame = JSON.parse(data);
      if (frame.t === 'welcome') resolve({ socket, call, subscribe });
      else if (frame.t === 'ping') socket.send('{"t":"pong"}');
      else if (frame.t === 'res') {
        waiting.get(frame.id)(frame);
        waiting.delete(frame.id);
      } else told(frame);
    });
  });
  function call(m, p) {
    const id = String(++calls);
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ t: 'req', id, m, p }));
    });
  }
  function subscribe(topic) {
    socket.send(JSON.stringify({ t: 'sub', id: 's', topic }));
  }
}

/** Resolves with `echo(text)`, of plain `ws`. */
export function rawClient(url, told) {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  let answered = () => {};
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', (data) => (told ?? answered)(JSON.parse(data)));
    socket.on('open', () =>
      resolve({
        socket,
        echo: (value) =>
          new Promise((done) => {
            answered = done;
            socket.send(JSON.stringify(value));
          }),
      }),
    );
  });
}

/** Resolves with `echo(value)`, of Socket.IO: emit with an acknowledgement. */
export function socketIoClient(url, told = () => {}) {
  const socket = socketIo(url, { transports: ['websocket'], forceNew: true, reconnection: false });
  socket.on('told', told);
  return new Promise((resolve, reject) => {
    socket.on('connect_error', reject);
    socket.on('connect', () => resolve({ socket, echo: (value) => socket.emitWithAck('echo', value) }));
  });
}
