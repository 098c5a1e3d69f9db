/** Shipped profiles of experts for one field each: chains, learning, data, quanta and space. */
import { type WrittenProfile } from './written-profile.ts';

/** The profiles for blockchain, machine learning and its operation, data, quantum computing and aerospace. */
export const SPECIALISTS: readonly WrittenProfile[] = [
  {
    agentId: 'blockchain-developer',
    displayName: 'Chain',
    role: 'Blockchain Developer',
    team: 'engineering',
    agentCategory: 'specialist',
    description:
      'Writes and examines what runs on a chain: smart contracts, tokens, wallets, decentralised finance, gas costs, ' +
      'bridges, oracles, and the pages that sign transactions.',
    expertise:
      'Solidity, smart contract safety, DeFi protocols, token standards, zero-knowledge proofs, ' +
      'Ethereum and EVM chains, Solana and Rust programs, Hardhat and Foundry, NFTs and marketplaces, ' +
      'DAOs and governance, bridges and rollups, oracles, tokenomics, wallets and signatures, ' +
      'IPFS and decentralised storage, MEV, contract audits',
    capabilities: 'smart-contracts, token-design, gas-optimisation, wallet-integration, defi-protocols',
    core: ['contract-safety'],
    primaryIntents: 'blockchain, smart-contract, web3, defi, crypto',
    secondarySignals:
      'solidity, ethereum, erc20 token, nft collection, gas fees, crypto wallet, on chain, dao, staking pool, ' +
      'liquidity pool, reentrancy, layer two rollup, oracle, merkle tree, consensus',
    keywords:
      'contract, contracts, evm, solana, polygon, bitcoin, ledger, token, tokens, erc, erc721, nft, mint, ' +
      'minting, gas, wallet, metamask, hardhat, foundry, ethers, viem, uniswap, swap, stablecoin, staking, ' +
      'bridge, rollup, zk, multisig, governance vote, airdrop, dapp, decentralized, decentralised, chain, ' +
      'ipfs, block, escrow, cryptocurrency, coin, crowdfunding, rewards, lock up, withdraw, drop',
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
    handles: ['Smart contracts and tokens', 'Wallets and pages that sign', 'Gas, bridges, oracles'],
    leaves: [
      ['Interfaces without a chain', 'backend'],
      ['Audits of servers', 'security'],
      ['Ordinary pages', 'frontend'],
    ],
  },
  {
    agentId: 'ml-engineer',
    displayName: 'Tensor',
    role: 'Machine Learning Engineer',
    team: 'engineering',
    agentCategory: 'specialist',
    description:
      'Builds and trains models that learn: neural networks, language and vision models, fine-tuning, embeddings, ' +
      'loss functions, hyperparameters, evaluation of models. Ends where the model is to be served.',
    expertise:
      'deep learning, PyTorch, natural language processing, computer vision, fine-tuning, ' +
      'TensorFlow and Keras, transformers and language models, convolutional and recurrent networks, ' +
      'reinforcement learning, generative models, speech and audio, recommender systems, ' +
      'retrieval-augmented generation, prompt design, dataset labelling, transfer learning, GPU training, ' +
      'hyperparameter search, time series networks',
    capabilities: 'model-training, fine-tuning, deep-learning, model-evaluation, feature-engineering',
    core: ['model-evaluation-guide'],
    primaryIntents: 'machine-learning, ml, model, training, ai',
    secondarySignals:
      'neural network, fine tune, language model, image classification, overfitting, hyperparameters, ' +
      'embeddings, transformer, training loss, object detection, speech recognition, reinforcement learning, ' +
      'recommendation model, gpu memory, prompt engineering',
    negativeIntents: 'deploy',
    keywords:
      'train, pytorch, tensorflow, keras, huggingface, llm, gpt, lora, rag, cnn, diffusion, classifier, ' +
      'classify, recognise, recognize, detect objects, segmentation, gradient, epoch, loss, accuracy, ' +
      'overfits, augmentation, labels, dataset, embedding, attention, inference, quantise, distillation, gpu, ' +
      'nlp, vision, speech, recommender, deep, neural, learning, images, chatbot, photographs, photos, ' +
      'pictures, teach, memorises, texts, sentences, learning rate, batch size, translate',
    antiKeywords: 'business model, data model, threat model, employee training',
    exampleTasks: [
      'Train a neural network that classifies X-ray images',
      'Fine-tune a language model on our support tickets',
      'Find out why the training loss goes down while validation accuracy falls',
      'Choose the loss function and hyperparameters for an object detector',
      'Build a recommendation model from clicks with learned embeddings',
    ],
    notForTasks: [
      'Put the trained model into production with a feature store',
      'Model the threats against our login',
      'Draw the data model of the shop',
      'Test whether the difference between the two groups is significant',
    ],
    prompt:
      'You train models that hold on data they have not seen. Begin with a simple baseline, keep test data apart, ' +
      'look at what the model gets wrong, and report spread with every figure.',
    handles: [
      'Choice, training and fine-tuning of models',
      'Evaluation and errors of models',
      'Features and embeddings',
    ],
    leaves: [
      ['Serving, retraining, drift', 'mlops-engineer'],
      ['Statistics and dashboards', 'data-scientist'],
      ['Applications around the model', 'backend', 'fullstack'],
    ],
  },
  {
    agentId: 'mlops-engineer',
    displayName: 'Devin',
    role: 'MLOps Engineer',
    team: 'platform',
    agentCategory: 'specialist',
    description:
      'Brings trained models into production and keeps them good: serving, registries of models, feature stores, ' +
      'automatic retraining, drift, experiment tracking, GPU clusters, cost of inference.',
    expertise:
      'model serving, training pipelines, drift monitoring, feature stores, experiment tracking, ' +
      'MLflow and Kubeflow, SageMaker and Vertex AI, Triton and vLLM, model versioning, data versioning, ' +
      'A/B rollout of models, GPU scheduling, model observability, continuous training, edge inference, ' +
      'model governance, vector database operations',
    capabilities: 'model-serving, ml-pipelines, drift-monitoring, model-registry, gpu-infrastructure',
    core: ['model-operations', 'infrastructure-practices'],
    primaryIntents: 'deploy, mlops, infrastructure, pipeline, serving',
    secondarySignals:
      'serve the model, model registry, feature store, model drift, retraining, experiment tracking, ' +
      'inference latency, gpu cluster, batch predictions, model versions, a model in production, shadow mode, ' +
      'training pipeline, model monitoring, online inference',
    keywords:
      'mlflow, kubeflow, sagemaker, vertex, bentoml, triton, torchserve, vllm, ray, airflow, dvc, wandb, ' +
      'feast, drift, drifting, retrain, retrained, model, models, trained, predictions, inference, gpu, gpus, ' +
      'registry, lineage, reproducible training, batching, throughput, autoscale inference, training jobs, ' +
      'nightly training, onnx, serve, serving, stale, production, fraud model, input changed, got worse, ' +
      'versions of the model, side by side, shared features, gpu queue',
    antiKeywords: 'website, smart contract',
    exampleTasks: [
      'Serve the trained model behind an endpoint with low inference latency on GPUs',
      'Retrain the model automatically when its input drifts',
      'Set up MLflow for experiment tracking and a model registry',
      'Build a feature store so that training and prediction see the same values',
      'Roll out model version 5 in shadow mode beside version 4',
    ],
    notForTasks: [
      'Invent a better network for image recognition',
      'Deploy the web shop to Kubernetes',
      'Explore the survey data for trends',
      'Write the smart contract for a token',
    ],
    prompt:
      'You run models as others run services. Every prediction can be traced to data, code and version; drift is ' +
      'seen ' +
      'before users see it; the old model is one step away.',
    handles: [
      'Serving and release of models',
      'Pipelines for training and features',
      'Drift, versions, cost of inference',
    ],
    leaves: [
      ['Inventing and training models', 'ml-engineer'],
      ['Pipelines of ordinary software', 'devops'],
      ['Analysis of data', 'data-scientist'],
    ],
  },
  {
    agentId: 'data-scientist',
    displayName: 'Dana',
    role: 'Data Scientist',
    team: 'data',
    agentCategory: 'specialist',
    description:
      'Learns from data: cleaning, exploration, statistics, experiments, forecasts, segments, causes, charts and ' +
      'dashboards that answer a question of the business with figures and their uncertainty.',
    expertise:
      'statistics, exploratory analysis, experiments, forecasting, data visualisation, pandas and R, ' +
      'SQL for analysis, Bayesian methods, hypothesis tests, regression and classification of tabular data, ' +
      'clustering, time series, dashboards in Tableau and Power BI, A/B testing, causal inference, ' +
      'surveys and sampling, business intelligence, data cleaning, feature importance, ' +
      'histograms and scatter plots',
    capabilities: 'data-analysis, statistics, forecasting, experiment-design, data-visualisation',
    core: ['statistical-method', 'chart-choice'],
    primaryIntents: 'data, analysis, ml, machine-learning, statistics, model',
    secondarySignals:
      'a b test, significance, regression, time series, customer segments, correlation, outliers, ' +
      'forecast demand, exploratory data analysis, confidence interval, cohort, churn prediction, ' +
      'cleaning data, survey results, causal effect, how much will we sell, is it better or chance, ' +
      'evaluate an a b test, draw a chart of figures',
    keywords:
      'dataset, csv, spreadsheet, excel, pandas, jupyter, notebook, sklearn, figures, numbers, sales, metrics, ' +
      'kpi, trend, trends, seasonality, predict, prediction, forecast, cluster customers, segment, variance, ' +
      'distribution, probability, bayesian, hypothesis, experiment, chart, visualise, anomaly, anomalies, ' +
      'missing values, duplicates, statistical, significant, sell, chance, luck, revenue, region, usage data, ' +
      'unusual, records, average, random, gaps, double rows, group, behaviour, likely',
    antiKeywords: 'database migration, neural network',
    exampleTasks: [
      "Analyse last year's sales figures and find out what drives the drop in spring",
      'Test whether the difference between both variants of the experiment is statistically significant',
      'Forecast demand per week from three years of orders',
      'Clean this CSV with missing values and outliers and plot the distribution',
      'Segment our customers by how they buy',
    ],
    notForTasks: [
      'Train a deep network for speech',
      'Move the tables to another database',
      'Find papers about causal inference',
      'Serve predictions at low latency',
    ],
    prompt:
      'You let data answer a question that somebody asked. Say what the data can not show, look before you fit, give ' +
      'intervals, and draw the one chart that carries the point.',
    handles: ['Exploration, statistics and experiments', 'Forecasts and segments', 'Charts that answer a question'],
    leaves: [
      ['Deep networks', 'ml-engineer'],
      ['Models in production', 'mlops-engineer'],
      ['Databases of applications', 'backend'],
      ['What others have published', 'researcher'],
    ],
  },
  {
    agentId: 'quantum-engineer',
    displayName: 'Dr. Qubit',
    role: 'Quantum Computing Engineer',
    team: 'research',
    agentCategory: 'specialist',
    description:
      'Works with quantum computers and their simulators: circuits and gates, algorithms, error correction, ' +
      'variational methods, annealing, what a quantum computer can and cannot speed up.',
    expertise:
      'quantum circuits, quantum algorithms, error correction, Qiskit, quantum chemistry, ' +
      'Qiskit and Cirq and PennyLane, Grover and Shor, VQE and QAOA, quantum annealing, quantum cryptography, ' +
      'quantum machine learning, hardware such as ion traps and superconducting qubits, ' +
      'quantum information theory, quantum sensing, noise and decoherence, Deutsch-Jozsa and phase estimation',
    capabilities: 'quantum-circuits, quantum-algorithms, error-correction, quantum-simulation',
    core: ['quantum-foundations'],
    primaryIntents: 'quantum, qubit, superposition, entanglement',
    secondarySignals:
      'quantum circuit, grover search, shor factoring, variational eigensolver, quantum annealing, ' +
      'decoherence, bell state, surface code, gate fidelity, quantum key distribution, hamiltonian, ' +
      'quantum advantage, ion trap',
    keywords:
      'qubits, qiskit, cirq, pennylane, braket, gates, hadamard, cnot, circuit, circuits, grover, shor, vqe, ' +
      'qaoa, annealer, ising, entangled, coherence, noise, transpile, teleportation, post quantum, stabilizer, ' +
      'tomography, bloch sphere, amplitude, interference, phase estimation, fourier, superconducting, oracle, ' +
      'nisq, eigenvalue, spin, deutsch, jozsa, bell, qkd, write a circuit, rsa, measure, measured',
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
      'Computes and explains flight in air and space: orbits and transfers, launch vehicles, propulsion, satellites, ' +
      'attitude control, re-entry, aerodynamics, mission design.',
    expertise:
      'orbital mechanics, propulsion, spacecraft systems, aerodynamics, mission analysis, ' +
      'rocket engines and nozzles, flight dynamics and control, satellites and constellations, ' +
      're-entry and thermal protection, space environment and radiation, astrodynamics software, ' +
      'launch vehicles, drones and unmanned aircraft, CFD and wind tunnels, planetary missions, ' +
      'guidance and navigation, structures and materials for flight',
    capabilities: 'orbit-analysis, mission-design, propulsion-analysis, spacecraft-systems, aerodynamics',
    core: ['flight-mechanics'],
    primaryIntents: 'space, aerospace, rocket, satellite, orbit',
    secondarySignals:
      'delta v, transfer orbit, launch window, heat shield, attitude control, specific impulse, geostationary, ' +
      'ground station pass, lift and drag, wind tunnel, space debris, lunar lander, star tracker, ' +
      'solar panels of a spacecraft, wing profile',
    keywords:
      'spacecraft, satellites, cubesat, orbital, orbits, trajectory, trajectories, thrust, thruster, ' +
      'propellant, fuel, stage, stages, payload, fairing, apogee, perigee, inclination, hohmann, rendezvous, ' +
      'reentry, mars, moon, lunar, planet, earth, astronaut, probe, gyroscope, aerodynamics, airfoil, ' +
      'aircraft, drone flight, wing, mach, supersonic, turbulence, constellation, nasa, flight, glider, fly, ' +
      'flies, plane, sounding rocket, land on the moon, debris, collision in orbit, how far, sun pointing',
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
    handles: ['Orbits, trajectories and missions', 'Rockets, propulsion and spacecraft', 'Aerodynamics of aircraft'],
    leaves: [
      ['Software of ground systems', 'backend'],
      ['Quantum physics', 'quantum-engineer'],
      ['Searches of literature', 'researcher'],
    ],
  },
];
