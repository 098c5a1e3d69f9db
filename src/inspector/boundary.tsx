/**
 * An error boundary: a view that throws while rendering is replaced by its error, and everything around it goes on. It
 * is rendered again on request, and when the route changes. Errors of event handlers are not caught.
 */
import { type ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { ErrorBox } from './actor/json-tree.tsx';
import { Sheet } from './sheet.tsx';

export interface BoundaryProps {
  readonly title: string;
  /** The route. When it changes, the children are rendered again. */
  readonly place: string;
  readonly children: ComponentChildren;
}

export function Boundary({ title, place, children }: BoundaryProps) {
  const [thrown, tryAgain] = useErrorBoundary();
  useEffect(tryAgain, [place]);
  if (thrown === undefined) return <>{children}</>;
  return (
    <Sheet id="failed" title={`${title} cannot be shown`}>
      <div class="plain" role="alert">
        <p>This view failed. The other views and the system still work.</p>
        <ErrorBox error={thrown} />
        <p>
          <button type="button" onClick={tryAgain}>
            Try again
          </button>
        </p>
      </div>
    </Sheet>
  );
}
