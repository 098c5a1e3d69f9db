/** Answers that are JSON text already: doors that send text send it as it is, others read its value. */

/** An answer of the host in the form in which JSON gives it to clients. */
export class JsonAnswer {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get value(): unknown {
    return JSON.parse(this.text);
  }

  /** Gives the value to a door that puts the answer into a text of its own. */
  toJSON(): unknown {
    return this.value;
  }
}

/** The value of an answer. */
export function valueOf(answer: unknown): unknown {
  return answer instanceof JsonAnswer ? answer.value : answer;
}
