/** Subscriptions over HTTP: server-sent events whose ids are cursors, so that browsers resume by themselves. */
import { type ServerResponse } from 'node:http';
import { CLOSE_MS, PING_EVERY_MS } from '../limits.ts';
import { type Caller } from '../callers/callers.ts';
import { Subscriptions } from '../topics/subscriptions.ts';
import { EVERY_ANSWER } from './http-answers.ts';
import type { Hub, Peer } from '../client/hub.ts';
import { PeerTimers } from '../client/peer-timers.ts';
import { SendBuffer, type ClientWire } from '../client/send-buffer.ts';
import { type ServerFrame, type Sub } from '../protocol/frames.ts';
import { type CloseName, CLOSES, cursorText } from '../protocol/protocol.ts';

export class EventStream implements Peer {
  readonly caller: Caller;
  readonly session = undefined;
  readonly inFlight = 0;
  readonly #hub: Hub;
  readonly #response: ServerResponse;
  readonly #out: SendBuffer;
  readonly #subscriptions: Subscriptions;
  readonly #timers: PeerTimers;
  #isOver = false;

  constructor(hub: Hub, caller: Caller, response: ServerResponse) {
    this.#hub = hub;
    this.caller = caller;
    this.#timers = new PeerTimers(hub.clock);
    this.#response = response;
    this.#out = new SendBuffer({
      wire: wireOf(response),
      text: textOf,
      clock: hub.clock,
      onWell: () => this.#subscriptions.pump(),
      onSlow: () => hub.counters.add('slow'),
      onHopeless: () => this.close('slow_consumer'),
    });
    this.#subscriptions = new Subscriptions({
      hub,
      send: (frame) => this.#sendOrEnd(frame),
      isSlow: () => this.#out.isSlow,
      isOpen: () => !this.#isOver,
    });
    response.on('drain', () => {
      this.#out.drained();
      this.#subscriptions.pump();
    });
    response.on('close', () => this.#gone());
    response.on('error', () => this.#gone());
  }

  /** Opens the subscription. Rejects like `Subscriptions.open` before anything is written. */
  async begin(sub: Sub): Promise<void> {
    this.#hub.enter(this);
    try {
      if (!this.#isOver) await this.#subscriptions.open(this.caller, sub);
    } catch (error) {
      this.#gone();
      throw error;
    }
    if (this.#isOver) return;
    this.#ping();
    this.#timers.watchExpiry(
      this.caller,
      () => this.close('token_expired'),
      (inMs) => this.send({ t: 'note', code: 'token_expiring', inMs }),
    );
  }

  send(frame: ServerFrame): void {
    this.#head();
    this.#out.send(frame);
  }

  close(name: CloseName): void {
    if (this.#isOver) return;
    this.#hub.counters.add(`closed.${name}`);
    const { code, then } = CLOSES[name];
    this.#head();
    this.#response.end(`event: close\ndata: ${JSON.stringify({ code, name, then })}\n\n`);
    this.#gone();
    this.#hub.clock.setTimeout(() => this.#response.destroy(), CLOSE_MS, { isBackground: true });
  }

  cut(): void {
    this.#response.destroy();
    this.#gone();
  }

  #sendOrEnd(frame: ServerFrame): void {
    this.send(frame);
    // No further frames will come.
    if (frame.t === 'end') this.close('normal');
  }

  #head(): void {
    if (!this.#response.headersSent)
      this.#response.writeHead(200, {
        ...EVERY_ANSWER,
        'Content-Type': 'text/event-stream',
        'X-Accel-Buffering': 'no',
      });
  }

  #ping(): void {
    this.#timers.later(PING_EVERY_MS, () => {
      this.send({ t: 'ping' });
      this.#ping();
    });
  }

  #gone(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timers.end();
    this.#subscriptions.end();
    this.#out.end();
    this.#hub.left(this);
  }
}

function wireOf(response: ServerResponse): ClientWire {
  return {
    send: (text) => void response.write(text),
    get bufferedBytes() {
      return response.writableLength;
    },
    // A stream receives nothing from its client.
    pause: () => {},
    resume: () => {},
    close: () => response.end(),
    terminate: () => response.destroy(),
  };
}

function textOf(frame: ServerFrame): string {
  if (frame.t === 'ping') return ': ping\n\n';
  const id = 'at' in frame ? `id: ${cursorText(frame.at)}\n` : '';
  return `${id}event: ${frame.t}\ndata: ${JSON.stringify(frame)}\n\n`;
}
