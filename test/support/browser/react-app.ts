/**
 * A third party's page: React, the stock `useSelector` of @xstate/react, and a remote actor. Bundled and served by
 * react.test.ts.
 */
import { useSelector } from '@xstate/react';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { createClient } from '../../../src/client/client.ts';

/** The browser's globals that this file uses. */
declare const document: { getElementById(id: string): Parameters<typeof createRoot>[0] };
declare const location: { readonly search: string };

const client = createClient(new URLSearchParams(location.search).get('gateway')!);
const order = client.actor('orders/1001');

function Order() {
  const paid = useSelector(order, ({ context }) => (context as { readonly paid: number } | undefined)?.paid);
  const isOpen = useSelector(order, (snapshot) => snapshot.matches('open'));
  const pay = () => void order.send({ type: 'pay', amount: 7, by: 'cash' });
  return createElement(
    'p',
    null,
    `${paid ?? 'unknown'} paid, ${isOpen ? 'open' : 'not open'} `,
    createElement('button', { onClick: pay }, 'Pay'),
  );
}

createRoot(document.getElementById('root')).render(createElement(Order));
