/** The page begins here. */
import { render } from 'preact';
import { startLink } from './link.ts';
import { followAddressBar } from './address-bar.ts';
import { Shell } from './shell.tsx';
import { startClock } from './time.ts';

// The link first: it takes a token out of the address before anybody else reads that.
startLink();
followAddressBar();
startClock();
render(<Shell />, document.getElementById('app')!);
