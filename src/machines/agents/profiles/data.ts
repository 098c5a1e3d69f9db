/** Shipped profiles of those who learn from data: ml-engineer, mlops-engineer, data-scientist. */
import { type WrittenProfile } from './written-profile.ts';

/** The profiles for machine learning, its operation, and data. */
export const DATA: readonly WrittenProfile[] = [
  {
    agentId: 'ml-engineer',
    displayName: 'Tensor',
    role: 'Machine Learning Engineer',
    team: 'engineering',
    agentCategory: 'specialist',
    description:
      'Builds and trains models that learn: neural networks, language and vision models, classifiers, ' +
      'recommenders, fine-tuning, embeddings, retrieval for assistants and chatbots, loss functions, ' +
      'hyperparameters, evaluation of models. Ends where the model is to be served.',
    expertise:
      'deep learning with PyTorch and TensorFlow and Keras and JAX, natural language processing, computer vision ' +
      'and OCR, fine-tuning with LoRA, transformers and large language models, convolutional and recurrent ' +
      'networks, reinforcement learning, generative models and diffusion, speech and audio, recommender systems, ' +
      'retrieval-augmented generation and vector search, prompt design and agents with tools, dataset labelling ' +
      'and augmentation, transfer learning, GPU training and mixed precision, hyperparameter search, gradient ' +
      'boosting and XGBoost and scikit-learn, evaluation sets and accuracy, model compression and quantisation, ' +
      'anomaly and fraud detectors',
    capabilities: 'model-training, fine-tuning, deep-learning, model-evaluation, feature-engineering',
    core: ['model-evaluation-guide'],
    primaryIntents: 'machine-learning, ml, model, training, ai',
    secondarySignals:
      'neural network, fine tune a model, language model, image classification, overfitting, hyperparameters, ' +
      'embeddings, transformer, object detection, speech recognition, reinforcement learning, recommendation ' +
      'model, train a classifier, prompt engineering, validation accuracy, which model should I use, rag ' +
      'pipeline, sentiment analysis, predict with a trained network, assistant that answers questions',
    negativeIntents: 'deploy',
    keywords:
      'train, trains, trained on, pytorch, tensorflow, keras, xgboost, huggingface, llm, gpt, bert, llama, lora, ' +
      'rag, cnn, lstm, gan, diffusion, classifier, classify, classification, recognise, recognize, detector, ' +
      'detect objects, segmentation, gradient, epoch, loss, accuracy, overfits, augmentation, labels, embedding, ' +
      'attention, quantise, distillation, nlp, vision, ocr, speech, recommender, neural, chatbot, photos, teach, ' +
      'nan loss, backpropagation, prompt, detection',
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
    asks:
      'handwritten numbers on slips, licence plates, faces, scratches on doors, tumours or plants in pictures and ' +
      'video; networks that answer the same for everything, gradients that vanish, batches, CUDA out of memory; ' +
      'which open model summarises, translates or answers best, and how to tune it; three hundred labelled ' +
      'examples, few-shot, synthetic data, imbalance, weak labels; robots that learn by trial and error, rewards, ' +
      'policies, self-play; similar products by what people looked at, ranking, personalisation; voice messages ' +
      'into text, speakers, wake words, music; assistants that invent facts, hallucinations, grounding, context ' +
      'windows, tokenizers, agents that call tools, moderation of posts; spam, toxicity, sentiment, topics, ' +
      'entities and intents in texts; predicting failures from sensors, waveforms, weather; pruning a model for a ' +
      'phone, ensembles, cross-validation, confusion matrices, precision and recall, benchmarks of models, data ' +
      'leakage between train and test; street signs in photographs, birds by their song, legal or medical texts ' +
      'for an open language model, a pipeline that trains on customer data, sentiment of reviews, translation of ' +
      'speech, poses, depth, satellite images labelled by a network, chess or game players that learn, ' +
      'autocomplete, duplicates among pictures, drift of words, zero-shot labels',
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
      'Brings trained models into production and keeps them good: serving of predictions, registries and versions ' +
      'of models, feature stores, automatic retraining, drift and decay, experiment tracking, GPU clusters, ' +
      'latency and cost of inference, rollout and rollback of a model.',
    expertise:
      'model serving and inference servers, training pipelines and automation, drift monitoring, feature stores, ' +
      'experiment tracking and reproducibility, MLflow and Kubeflow and Airflow, SageMaker and Vertex AI and ' +
      'Databricks, Triton and vLLM and TorchServe and BentoML, model versioning and registry, data versioning ' +
      'with DVC, A/B rollout and shadow mode of models, GPU scheduling and autoscaling, model observability, ' +
      'continuous training, edge inference with ONNX, model governance and lineage, vector database operations, ' +
      'batch scoring, CI/CD for machine learning, notebooks turned into pipelines',
    capabilities: 'model-serving, ml-pipelines, drift-monitoring, model-registry, gpu-infrastructure',
    core: ['model-operations', 'infrastructure-practices'],
    primaryIntents: 'deploy, mlops, infrastructure, pipeline, serving',
    secondarySignals:
      'serve the model, model registry, feature store, model drift, retrain automatically, experiment tracking, ' +
      'inference latency, gpu cluster, batch predictions, model versions, model in production, shadow mode, ' +
      'training pipeline, model monitoring, online inference, deploy a model, predictions got worse, scale ' +
      'inference, roll back the model, accuracy dropped in production',
    keywords:
      'mlflow, kubeflow, sagemaker, vertex, databricks, bentoml, triton, torchserve, vllm, ray serve, airflow, ' +
      'dagster, dvc, wandb, feast, drift, drifting, degrade, degraded, retrain, retraining, retrained, models, ' +
      'model deployment, predictions, inference, gpu, gpus, registry, lineage, reproducible, batching, training ' +
      'jobs, nightly training, onnx, serve, serving, canary model, stale model, fraud model, scoring, pickle ' +
      'file, model endpoint, champion, challenger, prediction service, ml pipeline, ml platform, quota of gpus, ' +
      'scalable',
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
    asks:
      'which version of a model is live, who approved it, what data it saw; scores recomputed every night and ' +
      'stored; GPUs that idle at night and are full at noon, queues, spot instances, quotas; traffic that is ' +
      'switched slowly from the old model to the new, canaries, comparison of two models on live requests; a ' +
      'recommender that was great in May and is useless in November, degradation found early, alerts on input and ' +
      'output of models, ground truth that arrives late; repeatable training runs, seeds, pinned data and ' +
      'environments; predictions that take 900 milliseconds, batching, caching, cold starts, quantised servers; a ' +
      'classifier packaged as a container with health checks and an API for predictions; endpoints of SageMaker ' +
      'or Vertex that fail after an update; features kept in one place for training and live use, backfills, ' +
      'skew; notebooks of data scientists that must run without them, pipelines for labelling, cost per ' +
      'prediction, audits of models, retiring a model, LLM gateways and token budgets; trained models served in a ' +
      'scalable way, thousands of predictions a second, a model behind an endpoint, dashboards of accuracy in ' +
      'production, rollbacks of a model, drift of inputs, automatic training on new data, lineage from data to ' +
      'prediction, tests before a model goes live, shared GPU machines, model cards, embeddings refreshed nightly',
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
      'dashboards that answer a question of the business with figures and their uncertainty. Says what drives a ' +
      'number, whether a change is real or chance, and what comes next.',
    expertise:
      'statistics and probability, exploratory analysis, experiments and A/B tests, forecasting and time series, ' +
      'data visualisation, pandas and NumPy and R, SQL for analysis in BigQuery and Snowflake, Bayesian methods, ' +
      'hypothesis tests and p-values, regression and classification of tabular data, clustering and segmentation, ' +
      'dashboards in Tableau and Power BI and Looker, causal inference, survival and churn analysis, surveys and ' +
      'sampling, business intelligence and KPIs, data cleaning, funnels and cohorts and retention curves, ' +
      'correlation and outliers, histograms and scatter plots',
    capabilities: 'data-analysis, statistics, forecasting, experiment-design, data-visualisation',
    core: ['statistical-method', 'chart-choice'],
    primaryIntents: 'data, analysis, ml, machine-learning, statistics, model',
    secondarySignals:
      'a b test, statistical significance, time series, customer segments, correlation between, outliers, ' +
      'forecast demand, exploratory data analysis, confidence interval, cohort analysis, churn prediction, survey ' +
      'results, what drives the drop, conversion rate, sales by region, bounce rate, analyse user engagement, ' +
      'query for a report, better or just chance, how much will we sell',
    keywords:
      'dataset, csv, spreadsheet, excel, pandas, jupyter, bigquery, tableau, power bi, figures, numbers, sales, ' +
      'metrics, kpi, trend, trends, seasonality, predict, forecast, cluster, segment, variance, distribution, ' +
      'probability, bayesian, hypothesis, experiment, p value, chart, plot, visualise, visualize, anomaly, ' +
      'missing values, duplicates, statistical, significant, chance, correlate, correlation, median, average, ' +
      'sample size, cohort, funnel, conversion rates, analyse, usage data, unusual, sell',
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
    asks:
      'which channel brings customers that stay, lifetime value, acquisition cost, attribution; whether a price ' +
      'rise, a redesign or an advert cost or brought us orders, before and after; what people who cancel have in ' +
      'common, profiles of buyers, baskets bought together; how many staff, beds or trucks we will need on ' +
      'Saturdays in July, next month, next winter; complaints, visits or incidents per product, region and month ' +
      'as a plot; whether 51 to 49 is a real lead, margins of error, enough answers, sample sizes, significance; ' +
      'grouping shops, patients or songs by behaviour, similarity; rents, prices or grades explained by size, ' +
      'place or age, coefficients; spreadsheets with blanks, double rows, mixed dates, totals and pivots; share ' +
      'of visits that end in an order by device, funnels, drop-off, bounce; unusual payments, fraud rates, ' +
      'outlier days; seasons, holidays, moving averages, growth rates, percentiles, heat maps, histograms, box ' +
      "plots, surveys with scales, polls, bias, simpson's paradox, controls and treatment, odds, risk, " +
      'elasticity; is it really better or is it chance, an A/B test of a sign-up page evaluated, demand for next ' +
      "quarter, customers who stay by channel, unusual payments in last year's records, scratch calculations " +
      'checked, average order value, cohorts by month, what predicts a cancellation, numbers for a board slide, a ' +
      'chart for the report, how sure we can be',
    handles: ['Exploration, statistics and experiments', 'Forecasts and segments', 'Charts that answer a question'],
    leaves: [
      ['Deep networks', 'ml-engineer'],
      ['Models in production', 'mlops-engineer'],
      ['Databases of applications', 'backend'],
      ['What others have published', 'researcher'],
    ],
  },
];
