/** Orders about an actor, as buttons; each asks for a reason, which is audited. */
import { useState } from 'preact/hooks';
import type { ActorView, TreeView } from '../../gateway/protocol/views.ts';
import { Dialog, gatewayPlace } from '../dialog.tsx';
import { call, principal } from '../link.ts';
import { say } from '../notices.tsx';
import { orderTwin } from '../twins.ts';
import { type ActorOrder, ordersFor } from './actor-orders.ts';

interface OrderBarProps {
  readonly address: string;
  readonly view: ActorView;
  readonly node: TreeView | undefined;
}

export function OrderBar({ address, view, node }: OrderBarProps) {
  const [order, setOrder] = useState<ActorOrder | undefined>(undefined);
  const { open, withheld } = ordersFor(view, node, principal.value);
  if (open.length === 0 && withheld === undefined) return null;
  return (
    <div class="row order-bar">
      <div class="row" role="group" aria-label="Orders">
        {open.map((one) => (
          <button
            key={one.name}
            type="button"
            class={one.isDangerous ? 'quiet-danger' : undefined}
            onClick={() => setOrder(one)}
          >
            {one.verb}
          </button>
        ))}
      </div>
      {withheld !== undefined && <p class="quiet">{withheld}</p>}
      {order !== undefined && (
        <OrderDialog key={order.name} address={address} order={order} onClose={() => setOrder(undefined)} />
      )}
    </div>
  );
}

interface OrderDialogProps {
  readonly address: string;
  readonly order: ActorOrder;
  readonly onClose: () => void;
}

function OrderDialog({ address, order: { name, verb, means, isDangerous = false }, onClose }: OrderDialogProps) {
  const [reason, setReason] = useState('');
  const act = async () => {
    await call(`actor.${name}`, { address, ...(reason !== '' && { reason }) });
    say(`${verb}: done for ${address}.`);
  };
  return (
    <Dialog
      title={`${verb} ${address}`}
      verb={verb}
      isDangerous={isDangerous}
      twin={orderTwin(gatewayPlace(), address, name, reason)}
      act={act}
      onClose={onClose}
    >
      <p class="quiet">{means}</p>
      <ReasonField reason={reason} onReason={setReason} />
    </Dialog>
  );
}

interface ReasonFieldProps {
  readonly reason: string;
  readonly onReason: (reason: string) => void;
}

export function ReasonField({ reason, onReason }: ReasonFieldProps) {
  return (
    <label class="field">
      <span>
        Reason <span class="quiet">goes on record</span>
      </span>
      <input
        name="reason"
        type="text"
        maxLength={2_000}
        autocomplete="off"
        value={reason}
        onInput={(event) => onReason(event.currentTarget.value)}
      />
    </label>
  );
}
