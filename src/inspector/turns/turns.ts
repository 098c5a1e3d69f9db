/** A turn as the gateway shows it: the topic `trace/{address}`, and the methods `actor.turns` and `actor.history`. */

export interface ShownTurn {
  /** Rises from turn to turn. */
  readonly number: number;
  readonly kind: 'spawn' | 'restarted' | 'transition' | 'failed' | 'stopped';
  /** Kernel time. */
  readonly atMs: number;
  readonly address: string;
  readonly agent: string;
  readonly life: number;
  readonly sequence: number;
  /** null for a first turn and an end. */
  readonly event: ShownEvent | null;
  /** null for what came from outside. */
  readonly cause: { readonly address: string | null; readonly life: number; readonly sequence: number | null } | null;
  readonly microsteps: readonly (readonly { readonly edge: string }[])[];
  /** Empty where only names were recorded. */
  readonly sent: readonly Send[];
  /**
   * Of the context: top-level keys that were set and removed, or all of it. null where only names were recorded, or
   * nothing is known.
   */
  readonly change: {
    readonly context?: unknown;
    readonly set?: Readonly<Record<string, unknown>>;
    readonly unset?: readonly string[];
  } | null;
  readonly value: unknown;
  readonly status: string;
  readonly error: { readonly message: string } | null;
  readonly durationMs: number;
}

export interface ShownEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Send {
  /** null for one whom the caller may not reach; the empty text for one that was never born. */
  readonly to: string | null;
  readonly event: ShownEvent | null;
  readonly delayMs: number | null;
  readonly id: string | null;
}

/** One that the store has kept. */
export interface ShownKeptTurn extends ShownTurn {
  /** After it. */
  readonly context: unknown;
}
