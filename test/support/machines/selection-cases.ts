/**
 * Tasks with the agents that they belong to, to measure the selector by. They were written before it was tuned. Half of
 * them, by a hash of their text, are for development; the other half is only reported. Kinds: `plain`; `overlap`, where
 * two agents are near; `trap`, where a word means something else; `form`, where the task is shouted, misspelt, long or
 * short; `fallback`, which is nobody's; `filter`, with other fields than the task.
 */
import { type RecommendRequest } from '../../../src/machines/agents/profile.ts';

export type CaseKind = 'plain' | 'overlap' | 'trap' | 'form' | 'fallback' | 'filter';

export interface SelectionCase {
  /** Agents of whom each would be right. */
  readonly right: readonly string[];
  readonly kind: CaseKind;
  readonly request: RecommendRequest;
}

const TASKS = `
ceo plain Should we open an office in Singapore next year or grow at home first?
ceo plain Summarise for our shareholders why profit went down last quarter
ceo plain We have cash for nine months. What are our choices?
ceo plain Draft the company goals for 2027
ceo plain A rival offered to merge with us; what should we answer?
ceo overlap What should the company stand for in ten years, and what follows for each department?
ceo overlap Decide how much of the yearly budget goes to research and how much to sales
ceo trap Our biggest client pays half of our income. How dangerous is that for the business as a whole?
ceo form PREPARE THE AGENDA FOR THE NEXT MEETING OF THE BOARD
ceo plain Is it the right moment to sell the company?
cto plain Which cloud should we commit to for the coming five years?
cto plain Should engineers be organised by product or by layer?
cto plain Do we write our own billing engine or license one?
cto plain How many developers must we recruit to keep up with demand?
cto overlap Set the technical direction for all teams: one language or many?
cto overlap Is moving everything from PHP to Go worth it for a company of our size?
cto trap We lose two weeks per release to old code. Make a plan over several quarters to get rid of it across teams
cto plain Define levels and a career path for our software engineers
cto form what tech shd we bet on for the next 5 yrs
cto plain Write the policy on which programming languages teams may adopt
architecture plain How should the ordering and shipping services exchange data?
architecture plain Sketch the big picture of a ticketing platform for concerts
architecture plain We need to survive the loss of a data centre. What would the system look like?
architecture plain Where should the boundary between billing and accounts lie in our codebase?
architecture overlap Propose a structure for a notification system that grows to 50 million users
architecture overlap Should our shop use one database per service or a shared one?
architecture trap Design the plug-in mechanism of our editor so that third parties can extend it
architecture plain Choose between synchronous calls and messaging for the warehouse integration
architecture form hexagonal or layered for a new payments system??
architecture plain Write down the trade-offs of splitting our monolith
product plain What do our users struggle with most, and what should we build about it?
product plain Write acceptance criteria for resetting a password
product plain Rank these twenty feature ideas for the next release
product plain Describe the needs of a first-time buyer in our shop
product overlap Plan what goes into version 3 and what has to wait
product overlap Turn the complaints of the last month into stories for the team
product trap Our trial users leave after two days. Find out what they miss in the product
product plain Write a one-page PRD for gift cards
product form prioritize backlog pls
product plain Which of the requested features would bring back customers who left?
backend plain The orders table takes eight seconds to list; make the query fast
backend plain Expose the customer records over HTTP with paging
backend plain Process incoming webhooks from Stripe exactly once
backend plain Send the invoices every night with a background job
backend plain Store sessions in Redis instead of memory
backend overlap Implement the service that computes shipping costs from the address
backend overlap Add a login route that issues JSON web tokens
backend trap The cache serves old prices after an update; make it expire properly
backend form ADD RATE LIMITING TO OUR GRAPHQL SERVER
backend plain Write a migration that adds a column to the users table without locking it
frontend plain The menu jumps when the page scrolls on small screens
frontend plain Make a date picker that works with the keyboard
frontend plain Add a dark mode switch to the settings page
frontend plain Our landing page scores 40 in Lighthouse; make it load faster
frontend plain Split this huge Vue component into smaller ones
frontend overlap Show an error beside each field while the visitor fills in the form
frontend overlap Lay out the cards in three columns on wide screens and in one on phones
frontend trap Users cannot tell which tab is active; give it a clear highlight
frontend form pls fix css on checkout, btn is cut off in safari
frontend plain Add a drag-and-drop list of tasks in React
fullstack plain Let visitors upload a picture on their profile, store it, and show it on the page
fullstack plain Build a small tool where our staff can log in and edit opening hours
fullstack plain Add comments to articles: form, storage and display
fullstack plain Make me a working prototype of a booking site by Friday
fullstack overlap Add a search box to the page together with the endpoint that answers it
fullstack overlap After saving, the page shows the old name; I do not know whether the client or the server is to blame
fullstack trap Build an internal dashboard with its own API and tables for support staff
fullstack plain Create a to-do web app with accounts
fullstack form need a web app w/ signup + db + pages, quick
fullstack plain Wire the new settings screen to the server and save what is entered
mobile plain The iPhone version freezes when it comes back from the background
mobile plain Let people unlock the app with their fingerprint
mobile plain Show a badge on the icon when a message arrives
mobile plain Our Android build is rejected by the Play Store because of permissions
mobile plain Make the map work when there is no signal
mobile overlap Port our React web app to phones
mobile overlap Scan a barcode with the camera of the tablet
mobile trap The app empties the battery within three hours
mobile form flutter screen for login plz
mobile plain Add a widget for the home screen on iOS
devops plain Every merge to main should end up on staging by itself
devops plain Our pods restart every ten minutes
devops plain Renew the certificates automatically before they run out
devops plain Tell somebody at night when the error rate rises
devops plain Shrink the Docker image, it is 2 GB
devops overlap Move the service from our own machine to AWS
devops overlap Cut the monthly bill for cloud machines by a third
devops trap The build takes 40 minutes on the server; make the pipeline faster
devops form K8S DEPLOYMENT STUCK HELP
devops plain Write Ansible playbooks for our Linux hosts
writer plain Explain in the README how to run the project on Windows
writer plain Our upgrade guide is confusing; rewrite it
writer plain Write a tutorial for the first hour with the library
writer plain Correct spelling and grammar in the handbook
writer plain List what changed in version 4 for people who upgrade
writer overlap Document the REST API for outside developers
writer overlap Write an article for the help centre about resetting a password
writer trap Describe in plain words what the retry option does, for the manual
writer form write docs
writer plain Add docstrings to the public functions of this module
reviewer plain Could you look over my branch before I merge it?
reviewer plain What do you think of this function? Is it readable?
reviewer plain Tell me what is wrong with this diff
reviewer plain Are there mistakes in this class that I have overlooked?
reviewer plain Give feedback on the changes of my colleague
reviewer overlap Review the code of the payment module for correctness and performance
reviewer overlap Is the error handling in this commit good enough to approve?
reviewer trap Check whether this patch introduces a race condition
reviewer form REVIEW MY PR
reviewer plain Point out code smells in the import script
security plain Could someone get at other customers' invoices by changing the number in the URL?
security plain A key was pushed to a public repository. What now?
security plain Try to break into our staging system
security plain Are we compliant with the GDPR when we store IP addresses?
security plain Which of our packages have known CVEs, and do they matter?
security overlap Audit the permissions in the admin area
security overlap Is our way of hashing passwords still safe?
security trap Somebody scans our login with thousands of passwords; how exposed are we?
security form chk for sql injection pls
security plain List who might attack the payment terminal and how
quality plain Cover the price calculation with unit tests
quality plain The checkout test fails one time in five; find out why
quality plain What should be tried by hand before we ship on Monday?
quality plain How many visitors can the shop take before it gets slow? Try it with load
quality plain Write Cypress scenarios for signing up
quality overlap Reproduce the crash that a customer reported and write down the steps
quality overlap Our coverage is 41 %, raise it where it matters
quality trap Prove that the old behaviour is kept after the refactoring
quality form tests for utils.ts
quality plain Make fixtures with realistic orders for the integration tests
blockchain-developer plain Write a crowdfunding contract for Ethereum
blockchain-developer plain Deploying our token costs too much gas
blockchain-developer plain Let people pay with MetaMask
blockchain-developer plain Is withdraw() in this Solidity file open to reentrancy?
blockchain-developer plain Create an NFT drop for 5,000 members
blockchain-developer overlap Build the page and the contract for voting in our DAO
blockchain-developer overlap Explain how to bridge a stablecoin from Ethereum to Polygon
blockchain-developer trap Distribute rewards to people who lock up their tokens for a year
blockchain-developer form erc20 w/ burn fn
blockchain-developer plain Read the price of a coin from an oracle on chain
ml-engineer plain Teach a network to tell cats from dogs
ml-engineer plain Our model memorises the training set; what can we do?
ml-engineer plain Adapt an open language model to legal texts
ml-engineer plain Recognise street signs in photographs
ml-engineer plain Which learning rate and batch size should I try?
ml-engineer overlap Predict the next word with a small transformer in PyTorch
ml-engineer overlap Improve the recall of our defect detector on camera images
ml-engineer trap Our classifier is right only in seven of ten cases; raise its accuracy
ml-engineer form FINE TUNE LLAMA ON OUR CHATS
ml-engineer plain Compare embeddings for searching similar sentences
mlops-engineer plain Put the fraud model behind an API that answers within 50 ms
mlops-engineer plain The predictions got worse since spring because the input changed; notice that automatically
mlops-engineer plain Keep track of which data and code each trained model came from
mlops-engineer plain Schedule the nightly training on the GPU cluster
mlops-engineer plain Let two versions of the model answer side by side and compare them
mlops-engineer overlap Deploy the recommender to production with a rollback
mlops-engineer overlap Build a pipeline that retrains and publishes the churn model each week
mlops-engineer trap Our GPUs idle half the day while inference requests queue up
mlops-engineer form mlflow setup
mlops-engineer plain Share computed features between training and serving
data-scientist plain Why did orders drop in March? Look at the numbers
data-scientist plain Is the new button really better, or is that chance?
data-scientist plain How much will we sell in December?
data-scientist plain Clean up this spreadsheet: there are gaps and double rows
data-scientist plain Group our subscribers by behaviour
data-scientist overlap Which customers are likely to cancel, judging by their usage data?
data-scientist overlap Draw a chart of revenue by region with confidence intervals
data-scientist trap Find unusual payments in last year's records
data-scientist form corr between price & returns?
data-scientist plain Evaluate our A/B test of the sign-up page
quantum-engineer plain Prepare a Bell state and measure it
quantum-engineer plain How many qubits would it take to break RSA-2048?
quantum-engineer plain Write Deutsch-Jozsa in Cirq
quantum-engineer plain Simulate a noisy circuit with twenty qubits
quantum-engineer plain Could annealing solve our route planning?
quantum-engineer overlap Compute the energy of lithium hydride with VQE
quantum-engineer overlap Which post-quantum or quantum key exchange would suit a link between two labs?
quantum-engineer trap What happens to a superposition when one of two entangled particles is measured?
quantum-engineer form grover 4 qubits qiskit
quantum-engineer plain Explain the surface code to an engineer
aerospace-scientist plain How long does a satellite at 500 km stay in view of a station?
aerospace-scientist plain How much fuel do we need to land on the Moon?
aerospace-scientist plain Choose a launch date for a flight to Mars
aerospace-scientist plain Will the heat shield survive coming back from orbit?
aerospace-scientist plain Keep a CubeSat pointed at the sun
aerospace-scientist overlap Simulate the trajectory of a sounding rocket in wind
aerospace-scientist overlap Estimate how far our glider flies from 1,000 m
aerospace-scientist trap Plan the launch of our weather satellite
aerospace-scientist form delta v leo 2 geo
aerospace-scientist plain Avoid a collision with debris in low orbit
creative-marketer plain Find a catchy name for our new coffee machine
creative-marketer plain How do we win followers on Instagram?
creative-marketer plain Write the e-mail that invites former customers back
creative-marketer plain Think up a stunt for the opening of our store
creative-marketer plain Our brand looks old; how do we freshen it up?
creative-marketer overlap Write the text for the home page so that visitors sign up
creative-marketer overlap Announce the new feature to our customers in a blog post
creative-marketer trap Plan the launch of our new app in spring
creative-marketer form 5 taglines 4 a bakery
creative-marketer plain Draft an advertising plan for the Christmas season
researcher plain What has been published on forecasting with transformers?
researcher plain Which open-source message queues exist and how do they differ?
researcher plain Is it true that microservices make teams faster? Look for evidence
researcher plain Summarise the last five years of work on battery chemistry
researcher plain Find out how other companies handle on-call duty
researcher overlap Compare PostgreSQL and CockroachDB for our workload, with references
researcher overlap Investigate what is known about memory leaks in long-running Node processes
researcher trap Give the pros and cons of electron and native desktop apps, from independent sources
researcher form best vector db? compare
researcher plain Collect studies about remote work and productivity
standard plain What time is it in New York when it is noon in Berlin?
standard plain Suggest a present for a colleague who retires
standard plain I do not know whom to ask about this
standard plain Help me word a polite message to my landlord
standard plain Remind me of what to pack for the trip
standard overlap Can you assist me with a general question?
standard form help
standard trap How many grams are in a pound?
standard plain Find a restaurant for ten people on Friday
standard plain What should I cook tonight?
backend/fullstack/frontend overlap Write new code
backend/fullstack/frontend overlap Fix this bug
frontend/fullstack overlap Design UI components
mobile overlap Create mobile app
reviewer overlap Review this pull request
architecture/cto overlap Who should decide how our system is designed, and how would you design it?
security/reviewer overlap Look for vulnerabilities in this code
quality/reviewer overlap Is this module tested well enough?
ceo/cto overlap Set our strategy for artificial intelligence as a company
data-scientist/ml-engineer overlap Predict which machines will fail next week from sensor readings
aerospace-scientist/researcher overlap Research what is known about hypersonic flight
devops/mlops-engineer overlap Deploy the model server to the Kubernetes cluster
standard fallback asdkjh qwoeiu zmxnc
standard fallback the of and to
standard fallback x
standard fallback 🙂
standard fallback ... --- ...
standard fallback it is what it is
standard fallback lorem ipsum dolor sit amet
standard fallback 42
standard fallback ??? !!!
standard fallback blorp frindle wug
`;

const FILTERS: readonly (readonly [right: string, request: RecommendRequest])[] = [
  [
    'fullstack/architecture',
    { task: 'Build an API endpoint', excludeAgents: ['backend', 'frontend'], team: 'engineering' },
  ],
  ['security', { task: 'Review this pull request for attacks', team: 'core', excludeAgents: ['reviewer'] }],
  ['standard', { task: 'Review this pull request', requiredCapabilities: ['test-automation'] }],
  ['standard', { task: 'Train a neural network', requiredCapabilities: ['no-such-capability'] }],
  ['standard', { task: 'Train a neural network', team: 'no such team' }],
  ['ml-engineer', { task: 'Serve the trained model', excludeAgents: ['mlops-engineer'], team: 'Engineering' }],
  ['cto', { task: 'Set the strategy', team: 'leadership', requiredCapabilities: ['technology-roadmap'] }],
  ['standard', { task: 'asdkjh', excludeAgents: ['standard'] }],
  [
    'aerospace-scientist',
    {
      task: 'Compare what is known about qubits and rockets',
      excludeAgents: ['quantum-engineer', 'researcher'],
      team: 'research',
    },
  ],
  ['devops', { task: 'Write the deployment guide', requiredCapabilities: ['CI-CD'] }],
];

/** All cases. */
export const SELECTION_CASES: readonly SelectionCase[] = [
  ...TASKS.trim()
    .split('\n')
    .map((line) => {
      const [, right, kind, task] = /^(\S+) (\S+) (.*)$/.exec(line)!;
      return { right: right!.split('/'), kind: kind as CaseKind, request: { task: task! } };
    }),
  ...FILTERS.map(([right, request]) => ({ right: right.split('/'), kind: 'filter' as const, request })),
];

/** Whether a case is of the half that is reported. */
export function isReported({ request }: SelectionCase): boolean {
  let hash = 0x811c9dc5;
  for (const unit of JSON.stringify(request)) hash = Math.imul(hash ^ unit.charCodeAt(0), 0x01000193) >>> 0;
  return ((hash >>> 16) & 1) === 1;
}
