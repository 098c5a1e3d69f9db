/**
 * Caution: finds what kills the host (design P6b). A message that loops for ever, one that exhausts memory, an effect
 * whose code throws outside of any turn: none of them can be caught where it happens, so the next run has to find out.
 *
 * A note beside the store says how the last run ended and what it was about to do. It survives the death of the process
 * and costs a system call; no power cut is caused by a message, so it need not survive one. After a run that did not
 * end by a stop, the kernel is cautious for a while: it takes turns only for what is durable, and notes each of them
 * first. What was begun at two deaths is not begun a third time. Killing the process by hand in the middle of the same
 * turn twice in a row is the only way to accuse an innocent.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock } from '../../clock.ts';
import { CAUTIOUS_MS, DEATHS_MAX } from '../../limits.ts';
import { type Notes } from '../model/ports.ts';

/**
 * What a turn or the start of an effect is noted as: `message 2a`, `timer 7`, `birth 3`, `effect 5`. Numbers are ids of
 * rows.
 */
export type Deed = `${'message' | 'timer' | 'birth' | 'effect'} ${number}`;

interface Note {
  readonly state: 'running' | 'stopped';
  /** Begun and not ended. */
  readonly deed: Deed | null;
  /** How many runs have ended with it begun. */
  readonly deaths: Readonly<Record<string, number>>;
}

const CLEAN: Note = { state: 'stopped', deed: null, deaths: {} };

export class CrashLoopGuard {
  readonly #notes: () => Notes | undefined;
  readonly #effects = new AsyncLocalStorage<Deed>();
  #deaths: Readonly<Record<string, number>> = {};
  #deed: Deed | null = null;
  #isOver = false;
  /** Whether turns are taken for what is durable only. */
  isOn = false;

  /** @param notes Of the store, once it is open; undefined where there are none: then it is never on. */
  constructor(notes: () => Notes | undefined) {
    this.#notes = notes;
  }

  /** A run begins. @returns What must not be begun again. */
  begin(): ReadonlySet<Deed> {
    const { state, deed, deaths } = read(this.#notes());
    if (state === 'running') {
      this.isOn = true;
      this.#deaths = deed === null ? deaths : { ...deaths, [deed]: (deaths[deed] ?? 0) + 1 };
      process.on('uncaughtExceptionMonitor', this.#blame);
    }
    this.#write('running');
    return new Set(Object.keys(this.#deaths).filter((key) => this.#deaths[key]! >= DEATHS_MAX) as Deed[]);
  }

  /** Notes what is about to happen. Only while it is on. */
  enter(deed: Deed): void {
    this.#deed = deed;
    this.#write('running');
  }

  /** What was begun has ended, and the host lives. */
  leave(): void {
    if (this.#deed === null) return;
    this.#deed = null;
    this.#write('running');
  }

  /** Starts an effect; what its code throws later, on its own, is put down to it. */
  runEffect(life: number, run: () => void): void {
    if (!this.isOn) {
      run();
      return;
    }
    this.enter(`effect ${life}`);
    this.#effects.run(`effect ${life}`, run);
    this.leave();
  }

  /** Once what was waiting has had its turns, and clients their time to come back, the run is like any other. */
  relaxLater(clock: Clock, isQuiet: () => boolean): void {
    const look = () => {
      if (!this.isOn) return;
      if (!isQuiet()) this.relaxLater(clock, isQuiet);
      else {
        this.#end();
        this.#write('running');
      }
    };
    if (this.isOn) clock.setTimeout(look, CAUTIOUS_MS, { isBackground: true });
  }

  /** The run ends by a stop. */
  stop(): void {
    this.#end();
    this.#write('stopped');
  }

  /** The run ends as the death of the process does: the note stays as it is. */
  abandon(): void {
    this.#isOver = true;
    process.off('uncaughtExceptionMonitor', this.#blame);
  }

  #end(): void {
    process.off('uncaughtExceptionMonitor', this.#blame);
    this.#effects.disable();
    this.isOn = false;
    this.#deed = null;
    this.#deaths = {};
  }

  readonly #blame = (): void => {
    const deed = this.#effects.getStore();
    if (deed !== undefined) this.enter(deed);
  };

  #write(state: Note['state']): void {
    if (this.#isOver) return;
    const note: Note = { state, deed: this.#deed, deaths: this.#deaths };
    this.#notes()?.write(JSON.stringify(note));
  }
}

/** A note that cannot be read is none: it is not worth a refusal. */
function read(notes: Notes | undefined): Note {
  try {
    return { ...CLEAN, ...(JSON.parse(notes?.read() ?? '{}') as Partial<Note>) };
  } catch {
    return CLEAN;
  }
}
