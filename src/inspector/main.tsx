/** The entry point of the page. */
import { render } from 'preact';
import { startLink } from './link.ts';
import { followAddressBar } from './address-bar.ts';
import { Shell } from './shell.tsx';
import { startClock } from './time.ts';

// The link comes first: it removes a token from the address before other code reads that.
startLink();
followAddressBar();
startClock();
render(<Shell />, document.getElementById('app')!);
