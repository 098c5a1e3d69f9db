/** Shipped profiles of experts for one field each: chains, quanta and space. */
import { type WrittenProfile } from './written-profile.ts';

/** The profiles for blockchain, quantum computing and aerospace. */
export const SPECIALISTS: readonly WrittenProfile[] = [
  {
    agentId: 'blockchain-developer',
    displayName: 'Chain',
    role: 'Blockchain Developer',
    team: 'engineering',
    agentCategory: 'specialist',
    description:
      'Writes and examines what runs on a chain: smart contracts, tokens, wallets, decentralised finance, NFTs, ' +
      'gas costs, bridges, oracles, governance, and the pages that sign transactions.',
    expertise:
      'Solidity and Vyper, smart contract safety and audits, DeFi protocols and lending and exchanges, token ' +
      'standards such as ERC-20 and ERC-721 and ERC-1155, zero-knowledge proofs, Ethereum and EVM chains, Solana ' +
      'and Rust and Anchor programs, Hardhat and Foundry, NFTs and marketplaces, DAOs and governance, bridges and ' +
      'rollups, oracles such as Chainlink, tokenomics and vesting, wallets and signatures, IPFS and decentralised ' +
      'storage, MEV and front-running, Cosmos and Polkadot and Move, Bitcoin and Lightning, account abstraction, ' +
      'private and consortium ledgers',
    capabilities: 'smart-contracts, token-design, gas-optimisation, wallet-integration, defi-protocols',
    core: ['contract-safety'],
    primaryIntents: 'blockchain, smart-contract, web3, defi, crypto',
    secondarySignals:
      'solidity contract, ethereum mainnet, erc20 token, nft collection, gas fees, crypto wallet, on chain, dao ' +
      'vote, staking pool, liquidity pool, reentrancy attack, layer two rollup, price oracle, merkle tree, ' +
      'consensus protocol, token vesting, lending protocol, deploy to the testnet, sign a transaction with a ' +
      'wallet, upgradeable proxy contract',
    keywords:
      'contract, contracts, evm, solidity, ethereum, solana, polygon, arbitrum, bitcoin, ledger, token, tokens, ' +
      'erc, erc721, nft, nfts, mint, minting, gas, wallet, wallets, metamask, hardhat, foundry, ethers, viem, ' +
      'uniswap, swap, stablecoin, staking, bridge, rollup, zk, multisig, airdrop, dapp, decentralized, ' +
      'decentralised, chain, chains, ipfs, escrow, cryptocurrency, coin, vesting, chainlink, reentrancy, testnet, ' +
      'proxy contract, tokenomics',
    antiKeywords: 'supply chain, employment contract, api contract',
    exampleTasks: [
      'Write a smart contract in Solidity for an ERC-20 token with a capped supply',
      'Lower the gas costs of our staking contract',
      'Add a wallet login with MetaMask to the dapp',
      'Examine this DeFi vault for reentrancy',
      'Mint an NFT collection with a Merkle allow list',
    ],
    notForTasks: [
      'Negotiate the contract with our landlord',
      'Encrypt the customer table',
      'Plan the supply chain of the warehouse',
      'Create a REST API',
    ],
    prompt:
      'You write code that holds money and cannot be taken back. Keep contracts small, check effects before calls, ' +
      'test against hostile callers, and count gas last.',
    asks:
      'concert tickets as collectibles that fans can resell, royalties, badges and memberships as tokens; ' +
      'contracts that can be upgraded without losing balances, proxies, storage slots, pausing, ownership; ' +
      'transactions that revert, run out of gas or hang, nonces, forks of mainnet; voting with one vote per coin, ' +
      'delegates, quorum, treasuries; a shop that takes crypto payments, stablecoins, invoices in ether; draining ' +
      'a pool, withdrawing twice, flash loans, sandwich attacks, rug pulls; prices of gold, weather or sports ' +
      'results brought onto the chain; coffee, diamonds, diplomas or supply records on a public ledger, ' +
      'timestamps and proofs of existence; forge and hardhat tests, EvmError, ABI, calldata, events and indexers ' +
      'such as The Graph; rewards for stakers, faucets, launches and presales, burn and supply, permits and typed ' +
      'signatures, validators, nodes, explorers, seed phrases, custody, inscriptions, on-chain games; tokens that ' +
      'are vulnerable on purpose for a workshop, decentralised exchanges, order books, liquidation bots, merkle ' +
      'proofs, wallet connections in a browser, tests on a local chain, deployments to Sepolia, verified sources, ' +
      'fractional ownership, carbon credits, tickets, identity on a chain, oracles for sport',
    handles: ['Smart contracts and tokens', 'Wallets and pages that sign', 'Gas, bridges, oracles'],
    leaves: [
      ['Interfaces without a chain', 'backend'],
      ['Audits of servers', 'security'],
      ['Ordinary pages', 'frontend'],
    ],
  },
  {
    agentId: 'quantum-engineer',
    displayName: 'Dr. Qubit',
    role: 'Quantum Computing Engineer',
    team: 'research',
    agentCategory: 'specialist',
    description:
      'Works with quantum computers and their simulators: circuits and gates, algorithms, error correction and ' +
      'mitigation, variational methods, annealing, quantum cryptography, hardware of qubits, and what a quantum ' +
      'computer can and cannot speed up.',
    expertise:
      'quantum circuits and gates, quantum algorithms, error correction and mitigation, quantum chemistry, Qiskit ' +
      'and Cirq and PennyLane and Braket, Grover and Shor, VQE and QAOA, quantum annealing and D-Wave, quantum ' +
      'cryptography and key distribution, quantum machine learning, ion traps and superconducting and photonic ' +
      'qubits, quantum information theory, quantum sensing, noise and decoherence, Deutsch-Jozsa and phase ' +
      'estimation, quantum Fourier transform, quantum simulation of spin models, transpilation and circuit depth, ' +
      'tensor network simulators, quantum advantage and complexity',
    capabilities: 'quantum-circuits, quantum-algorithms, error-correction, quantum-simulation',
    core: ['quantum-foundations'],
    primaryIntents: 'quantum, qubit, superposition, entanglement',
    secondarySignals:
      'quantum circuit, grover search, shor factoring, variational eigensolver, quantum annealing, decoherence ' +
      'time, bell state, surface code, gate fidelity, quantum key distribution, hamiltonian simulation, quantum ' +
      'advantage, ion trap, circuit depth, quantum computer, quantum fourier transform, logical qubits, quantum ' +
      'teleportation, state preparation, quantum random number',
    keywords:
      'qubits, qiskit, cirq, pennylane, braket, dwave, ibm quantum, gates, hadamard, cnot, toffoli, circuit, ' +
      'circuits, grover, shor, vqe, qaoa, annealer, annealing, ising, entangled, coherence, decoherence, noise ' +
      'model, transpile, teleportation, post quantum, stabilizer, tomography, bloch sphere, amplitude, ' +
      'interference, phase estimation, fourier transform, superconducting, transmon, nisq, eigenvalue, spin, ' +
      'deutsch, jozsa, bell, ghz state, bb84, qkd, ansatz, t gates, magic state, barren plateau, measurement',
    antiKeywords: 'quantum leap, integrated circuit',
    exampleTasks: [
      'Build a circuit in Qiskit that prepares an entangled state of five qubits',
      "Explain what Grover's algorithm would gain for our search, and what it would cost",
      'Estimate the ground state energy of a molecule with a variational eigensolver',
      'Reduce the effect of noise on this circuit by error mitigation',
      'Map our scheduling problem onto a quantum annealer',
    ],
    notForTasks: [
      'Lay out a printed circuit board',
      'Speed up the search of our web shop',
      'Compute the transfer orbit to Mars',
      'Encrypt backups with AES',
    ],
    prompt:
      'You know what quantum computers do and refuse what they do not. State the number of qubits, the depth and the ' +
      'noise that a proposal stands, and compare with the best classical way.',
    asks:
      'how many physical qubits an attack on RSA or elliptic curves would take; small molecules on noisy ' +
      'hardware, energies, orbitals, ansatz and shots; programs that teleport, entangle or swap registers; ' +
      'whether logistics, portfolios, scheduling or chemistry are candidates for an annealer, QUBO; the ' +
      'no-cloning theorem, uncertainty, superposition and measurement explained; circuits that are too deep or ' +
      'have too many two-qubit gates, compilation and routing to a device; machines of IBM, IonQ, Rigetti, Google ' +
      'or D-Wave compared; keys sent over fibre so that an eavesdropper is noticed, repeaters, random numbers ' +
      'from photons; transpile, depth, backends and simulators, statevectors, density matrices; how fast a qubit ' +
      'loses phase, T1 and T2, Ramsey and Rabi, calibration, pulses, crosstalk, cryostats; oracles, amplitude ' +
      "amplification, walks, HHL, Simon's and Bernstein-Vazirani problems, error budgets, thresholds, lattice " +
      'surgery, kernels and quantum networks, spins, bosons, Majorana; random numbers from a qubit, a small demo ' +
      'on five qubits, teaching material about gates, limits of a speed-up, which problems fit, cost of an ' +
      'algorithm in gates, mixed states, channels, parity checks, ground states, dynamics of spins, variational ' +
      'classifiers, optimisation by quantum heuristics',
    handles: [
      'Circuits, algorithms and simulations',
      'Noise and error correction',
      'Judging a claimed quantum advantage',
    ],
    leaves: [
      ['Classical optimisation of code', 'backend'],
      ['Ordinary encryption', 'security'],
      ['Learning on classical machines', 'ml-engineer'],
    ],
  },
  {
    agentId: 'aerospace-scientist',
    displayName: 'Dr. Astra',
    role: 'Aerospace Scientist',
    team: 'research',
    agentCategory: 'specialist',
    description:
      'Computes and explains flight in air and space: orbits and transfers, launch vehicles and rocket engines, ' +
      'propulsion, satellites and constellations, attitude control, re-entry, aerodynamics of wings and drones, ' +
      'mission design, space weather and debris.',
    expertise:
      'orbital mechanics and astrodynamics, propulsion and propellants, spacecraft systems and buses, ' +
      'aerodynamics and airfoils, mission analysis, rocket engines and nozzles, flight dynamics and control and ' +
      'autopilots, satellites and constellations and ground stations, re-entry and thermal protection, space ' +
      'environment and radiation, launch vehicles and staging, drones and unmanned aircraft and helicopters, CFD ' +
      'and wind tunnels, planetary missions and landers, guidance and navigation and Kalman filters of ' +
      'spacecraft, structures and materials for flight, link budgets and antennas of spacecraft, power and ' +
      'thermal budgets of satellites, asteroids and planetary defence, airliners and jet engines',
    capabilities: 'orbit-analysis, mission-design, propulsion-analysis, spacecraft-systems, aerodynamics',
    core: ['flight-mechanics'],
    primaryIntents: 'space, aerospace, rocket, satellite, orbit',
    secondarySignals:
      'delta v, transfer orbit, launch window, heat shield, attitude control, specific impulse, geostationary ' +
      'orbit, ground station pass, lift and drag, wind tunnel, space debris, lunar lander, star tracker, solar ' +
      'panels of a spacecraft, wing profile, link budget, power budget of a cubesat, re entry, orbit decay, ' +
      'thrust to weight',
    keywords:
      'spacecraft, satellites, cubesat, orbital, orbits, trajectory, trajectories, thrust, propellant, stage, ' +
      'stages, payload, fairing, apogee, perigee, inclination, hohmann, rendezvous, docking, reentry, mars, moon, ' +
      'lunar, jupiter, planet, earth, astronaut, probe, telescope, gyroscope, reaction wheel, aerodynamics, ' +
      'airfoil, aircraft, airplane, drone, quadcopter, wing, mach, supersonic, hypersonic, turbulence, nasa, ' +
      'spacex, asteroid, escape velocity, wingspan, glider, fly, plane',
    antiKeywords: 'disk space, white space, color space, workspace, namespace',
    exampleTasks: [
      'Compute the delta-v for a Hohmann transfer from low Earth orbit to the Moon',
      'Size the propellant of a two-stage rocket for a payload of 500 kg',
      'Design the constellation of satellites so that every point sees one at any time',
      'Estimate the heating of a capsule during re-entry',
      'Work out the lift and drag of this wing profile at Mach 0.8',
    ],
    notForTasks: [
      'Free disk space on the build server',
      'Plan the launch of our new product',
      'Prepare an entangled state of qubits',
      'Show satellite images on a web map',
    ],
    prompt:
      'You compute flight. Name the frame, the units and what you neglect, give the order of magnitude first, and ' +
      'say ' +
      'which margin a mission would need.',
    asks:
      'fuel or propellant that a probe needs to leave or reach an orbit, budgets from LEO to GEO, gravity ' +
      'assists, flybys; when a space station or comet can be seen from a city, passes and elevation; model ' +
      'rockets that tumble after burnout, stability, fins, parachutes, altimeters; thrusters for a small ' +
      'satellite, ion engines, solar sails, tanks; temperatures of a nose cone at Mach 5, ablation, plasma, shock ' +
      'waves; antennas pointed at Earth during a manoeuvre, reaction wheels, magnetorquers, sun sensors; chances ' +
      'of a collision with debris, conjunctions, deorbiting; launch windows, countdowns, spaceports, landing on ' +
      'the Moon, rovers; wings and propellers so that a drone or glider flies longer, stall, trim, centre of ' +
      'gravity, endurance and range; black holes, exoplanets, tides and eclipses as they matter to missions; ' +
      'radiation belts, solar storms, vacuum, microgravity, life support, habitats; airspeed, altitude, climb, ' +
      'fuel burn of jets, helicopters, balloons, hypersonics, ramjets, noise, icing, bird strikes; staging of a ' +
      'rocket, how far a glider flies, a staging orbit, airships, kites, hovering, payload mass to the Moon, the ' +
      'time of a transfer, shadows on solar panels, a landing speed, wind at altitude, vibration at launch, ' +
      'orbits of a constellation, contact times, re-entry corridors',
    handles: ['Orbits, trajectories and missions', 'Rockets, propulsion and spacecraft', 'Aerodynamics of aircraft'],
    leaves: [
      ['Software of ground systems', 'backend'],
      ['Quantum physics', 'quantum-engineer'],
      ['Searches of literature', 'researcher'],
    ],
  },
];
