/**
 * The crash-loop guard finds what kills the process (design P6b): a message that loops for ever, one that exhausts
 * memory, an effect whose code throws outside of any turn. None of them can be caught where it happens, so the next run
 * has to find out.
 *
 * A note beside the store says how the last run ended and what it was about to do. It survives the death of the process
 * and costs a system call; it need not survive a power cut, which no message causes. After a run that did not stop
 * properly, the kernel is cautious for a while: it takes turns only for durable messages, and notes each of them first.
 * What two runs died of is not begun a third time. Only killing the process by hand during the same turn twice in a row
 * accuses an innocent one.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock } from '../../clock.ts';
import { CAUTIOUS_MS, DEATHS_MAX } from '../../limits.ts';
import { type Notes } from '../model/ports.ts';

/**
 * The recorded name of a turn or of an effect's start: `message 2a`, `timer 7`, `birth 3`, `effect 5`. Numbers are ids
 * of rows.
 */
export type Deed = `${'message' | 'timer' | 'birth' | 'effect'} ${number}`;

interface Note {
  readonly state: 'running' | 'stopped';
  /** The deed that was begun and has not ended. */
  readonly deed: Deed | null;
  /** Number of runs that ended during each deed. */
  readonly deaths: Readonly<Record<string, number>>;
}

const CLEAN: Note = { state: 'stopped', deed: null, deaths: {} };

export class CrashLoopGuard {
  readonly #notes: () => Notes | undefined;
  readonly #effects = new AsyncLocalStorage<Deed>();
  #deaths: Readonly<Record<string, number>> = {};
  #deed: Deed | null = null;
  #isOver = false;
  /** Whether turns are taken for durable messages only. */
  isOn = false;

  /**
   * Makes the guard.
   *
   * @param notes Returns the notes of an open store; undefined if it has none, and then the guard is never on.
   */
  constructor(notes: () => Notes | undefined) {
    this.#notes = notes;
  }

  /**
   * Begins a run.
   *
   * @returns Deeds that must not be begun again.
   */
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

  /** Records the deed that is about to begin. Does so only while the guard is on. */
  enter(deed: Deed): void {
    this.#deed = deed;
    this.#write('running');
  }

  /** Clears the note after a deed has ended. */
  leave(): void {
    if (this.#deed === null) return;
    this.#deed = null;
    this.#write('running');
  }

  /** Starts an effect; errors that its code throws later by itself are attributed to it. */
  runEffect(life: number, run: () => void): void {
    if (!this.isOn) {
      run();
      return;
    }
    this.enter(`effect ${life}`);
    this.#effects.run(`effect ${life}`, run);
    this.leave();
  }

  /** Turns the guard off once waiting messages have had their turns, and clients had time to come back. */
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

  /** Ends the run by a stop. */
  stop(): void {
    this.#end();
    this.#write('stopped');
  }

  /** Ends the run as the death of the process would: the note stays as it is. */
  abandon(): void {
    this.#isOver = true;
    this.#forget();
  }

  #end(): void {
    this.#forget();
    this.isOn = false;
    this.#deed = null;
    this.#deaths = {};
  }

  /** Drops the storage. In Node 20 and 22, an enabled storage costs time for every promise of the process. */
  #forget(): void {
    process.off('uncaughtExceptionMonitor', this.#blame);
    this.#effects.disable();
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

/** Reads the note. An unreadable one counts as none, because it does not justify refusing a start. */
function read(notes: Notes | undefined): Note {
  try {
    return { ...CLEAN, ...(JSON.parse(notes?.read() ?? '{}') as Partial<Note>) };
  } catch {
    return CLEAN;
  }
}
