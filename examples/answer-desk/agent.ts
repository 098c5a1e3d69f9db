/** An agent at work: it asks before it writes, and writes again when it is told that an answer has changed. */
import { Coder, type Reply } from './coder.ts';
import { type Job } from './jobs.ts';
import { type Shop } from './shop.ts';

export function say(who: string, what: string): void {
  console.log(`${who.padEnd(9)}${what}`);
}

export class Agent {
  readonly name: string;
  readonly #shop: Shop;
  /** Its jobs by the questions that it asked for them. */
  readonly #jobs = new Map<string, Job>();
  #coder: Coder;

  private constructor(name: string, shop: Shop, coder: Coder) {
    this.name = name;
    this.#shop = shop;
    this.#coder = coder;
  }

  static async start(name: string, shop: Shop): Promise<Agent> {
    return new Agent(name, shop, await Coder.start(name, shop.folder));
  }

  /** Takes a job: asks its question, and writes its file if there is an answer. */
  async take(job: Job): Promise<Reply> {
    const reply = await this.ask(job.question, job.options);
    this.#jobs.set(reply.question_id, job);
    this.#build(reply);
    return reply;
  }

  async ask(question: string, options: readonly string[] | null = null): Promise<Reply> {
    say(this.name, question);
    const begin = performance.now();
    const reply = await this.#coder.ask(question, options);
    this.#hear(reply, performance.now() - begin);
    return reply;
  }

  /** Goes on with a job when a person has answered, or has said whether a provisional answer holds. */
  async finish({ status, question_id: question, ticket_id: ticket }: Reply): Promise<void> {
    if (status === 'provisional') await this.#coder.settled(ticket!);
    const reply = await this.#settled(question, status);
    if (reply.changed_answers.some((changed) => changed.question_id === question)) return this.#learn(reply);
    say(this.name, `goes on with ${question}`);
    this.#hear(reply);
    this.#build(reply);
  }

  /** Looks whether there is an answer. With the reply the agent is told what has changed, as with any. */
  async look({ question_id: question }: Reply): Promise<void> {
    this.#hear(await this.#coder.wait(question, 0));
  }

  /** Is told what has changed with the reply to a call, whatever the call is about. */
  async listen({ question_id: question }: Reply): Promise<void> {
    this.#learn(await this.#coder.wait(question, 0));
  }

  kill(): void {
    this.#coder.kill();
  }

  async startAgain(): Promise<void> {
    this.#coder = await Coder.start(this.name, this.#shop.folder);
  }

  close(): Promise<void> {
    return this.#coder.close();
  }

  /** Waits in calls that each end before a host would end them, while a question is as it was. */
  async #settled(question: string, before: Reply['status']): Promise<Reply> {
    const reply = await this.#coder.wait(question);
    return reply.status === before ? this.#settled(question, before) : reply;
  }

  #hear(reply: Reply, tookMs?: number): void {
    const { status, answer, confidence, sources, decided_by: person, ticket_id: ticket } = reply;
    const asks = ticket !== null && person === null ? [`${ticket} asks a person`] : [];
    const by = person === null ? '' : ` by ${person}`;
    const took = person === null || tookMs === undefined ? '' : ` in ${Math.ceil(tookMs)} ms`;
    const places = [...sources.map(({ location }) => location), ...asks].join(', ');
    say('', `${status}${by}${took}${answer === null ? '' : `, ${confidence} %: ${answer}`} [${places}]`);
    this.#learn(reply);
  }

  #learn({ changed_answers: changes }: Reply): void {
    for (const { question_id: question, answer, by } of changes) {
      say(this.name, `is told that ${by} has changed ${question}: ${answer}`);
      this.#build({ question_id: question, answer, status: 'answered' });
    }
  }

  /** Writes the file of a job as the answer to its question says. */
  #build({ question_id: question, answer, status }: Pick<Reply, 'question_id' | 'answer' | 'status'>): void {
    const job = this.#jobs.get(question);
    if (job === undefined || answer === null) return;
    const before = this.#shop.read(job.file).split('\n');
    job.edit(this.#shop, answer, status === 'provisional');
    const written = this.#shop.read(job.file).split('\n');
    const news = written.find((line) => !before.includes(line)) ?? 'as it was';
    say('', `${job.file}: ${news} (${this.#shop.test()})`);
  }
}
