/**
 * Carries out an order of a person or a program together with its record in the audit, which is also written for a
 * refused order.
 */
import { type EventObject } from 'xstate';
import { BosunError, isBosunError } from '../../errors.ts';
import { type AuditEntry } from '../world/audit.ts';
import { type AuditedOrder, type AuditFacts, checkOrderedBy, type OrderedBy } from '../world/audit-record.ts';
import { childAddress } from '../model/address.ts';
import { type Cell } from '../world/cell.ts';
import { checkBoss } from '../world/role.ts';
import { type Kernel } from '../loop/kernel.ts';

/**
 * Makes an immediate change of the world. Resolves with the result of `act` when the change is durable. Rejects with
 * the error of `act`, once the refusal is recorded, and with BOSUN_VALUE_REFUSED, BOSUN_STORE_UNAVAILABLE or
 * BOSUN_SYSTEM_CLOSED, which are not recorded.
 */
export async function carryOut<T>(kernel: Kernel, facts: AuditFacts, act: () => T): Promise<T> {
  checkOrderedBy(facts.as);
  let end: { readonly value: T } | { readonly error: BosunError } | undefined;
  await kernel.ingress.enter(() => {
    const { audit } = kernel.machinery.world;
    // Before the change: a store that cannot be read must not leave it without its record.
    const entry = audit.enter(facts, 'open');
    end = attempt(act);
    audit.close(entry, 'error' in end ? end.error.code : 'done');
  });
  if ('error' in end!) throw end.error;
  return end!.value;
}

/**
 * Carries out an order that takes longer than one epoch: recorded as open before it begins, and closed when it has
 * ended. Rejects as `act` and `carryOut` do.
 */
export async function carryOutSlowly(kernel: Kernel, facts: AuditFacts, act: () => Promise<void>): Promise<void> {
  checkOrderedBy(facts.as);
  let entry: AuditEntry;
  await kernel.ingress.enter(() => void (entry = kernel.machinery.world.audit.enter(facts, 'open')));
  const end = await act().then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const outcome = end === undefined ? 'done' : isBosunError(end.error) ? end.error.code : 'BOSUN_INTERNAL';
  // If the system has closed meanwhile, the record stays open.
  const close = async () => kernel.ingress.enter(() => kernel.machinery.world.audit.close(entry, outcome));
  if (end === undefined) await close();
  else {
    await close().catch(() => {});
    throw end.error;
  }
}

/**
 * Lets a suspended actor take one message. Resolves with its event, or null if there was none, when the turn is
 * durable.
 */
export async function carryOutStep(kernel: Kernel, facts: AuditFacts): Promise<EventObject | null> {
  const { administration, ingress, world } = kernel.machinery;
  checkOrderedBy(facts.as);
  let cell: Cell;
  try {
    cell = kernel.directory.living(facts.address);
    administration.checkStep(cell);
  } catch (error) {
    return carryOut(kernel, facts, () => {
      throw error;
    });
  }
  let end: EventObject | BosunError | null = null;
  const { waiting, settle } = ingress.request();
  administration.step(cell, facts.as, (result) => {
    end = result;
    world.audit.enter(facts, result instanceof BosunError ? result.code : 'done');
    settle();
  });
  await waiting;
  if ((end as unknown) instanceof BosunError) throw end as unknown as BosunError;
  return end;
}

const ORDERS: Readonly<Record<string, AuditedOrder>> = {
  'child.start': 'startChild',
  'child.terminate': 'terminateChild',
  'child.restart': 'restartChild',
  'child.delete': 'deleteChild',
};

/**
 * Sends an order about a child to its Boss: recorded together with the message, and closed when the Boss has carried it
 * out or refused it.
 */
export async function carryOutAtBoss(
  kernel: Kernel,
  boss: string,
  event: EventObject,
  as: OrderedBy,
): Promise<unknown> {
  checkOrderedBy(as);
  const { type, ...args } = event as EventObject & { id?: string; spec?: { id?: string } };
  const facts: AuditFacts = { order: ORDERS[type]!, address: placeOf(boss, args.id ?? args.spec?.id), args, as };
  let answer: Promise<unknown>;
  try {
    const cell = kernel.directory.living(boss);
    checkBoss(cell);
    answer = kernel.ingress.order(cell, event, facts);
  } catch (error) {
    // The order has not reached the Boss.
    return carryOut(kernel, facts, () => {
      throw error;
    });
  }
  return answer;
}

/** The address of the child, whether it exists or not; the Boss's own address where the id is invalid. */
function placeOf(boss: string, id: unknown): string {
  try {
    return typeof id === 'string' ? childAddress(boss, id) : boss;
  } catch {
    return boss;
  }
}

function attempt<T>(act: () => T): { readonly value: T } | { readonly error: BosunError } {
  try {
    return { value: act() };
  } catch (error) {
    if (isBosunError(error)) return { error };
    throw error;
  }
}
