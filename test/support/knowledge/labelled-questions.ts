/**
 * Questions about the fixture repositories with the answers that a person reads out of them. They were written before
 * the rules that answer them were tried.
 */

import { type FIXTURES } from './fixture-repositories.ts';
import { type Label, type Labelled } from './labelled.ts';

export interface LabelledQuestion extends Labelled {
  readonly repository: (typeof FIXTURES)[number];
}

type Row = readonly [question: string, options: string | null, answer: string, files: string, never?: string];

const ANSWERABLE: Readonly<Record<LabelledQuestion['repository'], readonly Row[]>> = {
  parcels: [
    ['Should the new route use Express or Fastify?', 'Express|Fastify', 'Fastify', 'package.json|docs/adr/0001'],
    ['Zod or Valibot for the schema of the request body?', 'Zod|Valibot', 'Valibot', 'package.json|docs/adr/0002'],
    ['Is the message queue RabbitMQ or NATS?', 'RabbitMQ|NATS', 'NATS', 'package.json|docs/adr/0007'],
    ['Do we answer failed validation with 400 or 422?', '400|422', '422', 'docs/adr/0002'],
    ['Do we run tests with Jest or Vitest?', 'Jest|Vitest', 'Vitest', 'package.json|test/'],
    ['ULID or UUID for the identifier of a shipment?', 'UUID|ULID', 'ULID', 'docs/adr/0008'],
    ['npm or pnpm to install packages?', 'npm|pnpm', 'pnpm', 'package.json|README.md'],
    ['How often is a message delivered before it becomes a dead letter?', null, '6', 'docs/adr/0007'],
    ['How long are backups of the database kept?', null, '35', 'docs/operations.md'],
    ['Who approves a deployment?', null, 'Marit Solberg', 'docs/operations.md'],
    ['What is the request timeout of the server?', null, '12000', 'config/default.yaml'],
    ['How many attempts does printing a label get?', null, '4', 'src/settings.ts'],
    ['What is the maximum weight of a parcel?', null, '25', 'plan.json'],
    ['In which language will the courier app be written?', null, 'Kotlin', 'plan.json'],
    ['What is the name of the session cookie?', null, 'parcels_sid', 'config/default.yaml'],
    ['Which provider sends the text messages?', null, 'Twilio', 'docs/notifications.md'],
    ['How long does an API key of a shop stay valid?', null, '180', 'docs/api.md'],
    ['Is the cache enabled?', null, 'true', 'config/default.yaml'],
  ],
  clinic: [
    ['FastAPI or Django for the web API?', 'FastAPI|Django', 'FastAPI', 'pyproject.toml|docs/decisions/0001'],
    ['Should background jobs use RQ or Celery?', 'RQ|Celery', 'Celery', 'pyproject.toml|docs/decisions/0002'],
    [
      'Do I call other services with requests or httpx?',
      'requests|httpx',
      'httpx',
      'pyproject.toml|docs/decisions/0006',
    ],
    ['Are times stored in UTC or in local time?', 'UTC|local time', 'UTC', 'docs/decisions/0003'],
    ['How many times is a failed job retried?', null, '7', 'docs/decisions/0002|clinic/jobs.py'],
    ['How many connections does the database pool hold?', null, '15', 'docs/runbook.md|clinic/settings.py'],
    ['Who is the product owner?', null, 'Teodora Ilieva', 'README.md'],
    ['How long is an access token valid?', null, '10 minutes', 'docs/security.md'],
    ['What is the line length for ruff?', null, '100', 'pyproject.toml'],
    ['Which Python version is required?', null, '3.11', 'pyproject.toml'],
    ['How many days ahead can a booking be made?', null, '60', 'docs/prd.md'],
    ['What is the batch size for invoices?', null, '200', 'clinic/jobs.py'],
    ['How long until a locked account opens again after failed logins?', null, '15 minutes', 'docs/security.md'],
    ['Which version of SQLAlchemy is pinned?', null, '2.0.35', 'requirements.txt|pyproject.toml'],
    ['When do releases go out?', null, 'Tuesdays', 'docs/runbook.md'],
  ],
  sensors: [
    ['chi or Gin for routing?', 'chi|Gin', 'chi', 'go.mod|doc/adr/001'],
    ['Do stations send readings by MQTT or by HTTP polling?', 'MQTT|HTTP polling', 'MQTT', 'doc/adr/002'],
    ['InfluxDB or TimescaleDB for the readings?', 'InfluxDB|TimescaleDB', 'TimescaleDB', 'doc/adr/003'],
    ['Should I log with logrus or zap?', 'logrus|zap', 'zap', 'go.mod|doc/adr/004'],
    ['Kelvin or Celsius for stored temperatures?', 'Kelvin|Celsius', 'kelvin', 'doc/adr/005'],
    ['How long are raw readings kept?', null, '400 days', 'doc/adr/003'],
    ['How many stations can one gateway have?', null, '250', 'doc/operations.md'],
    ['What is the flush interval of the storage?', null, '3s', 'sensors.toml'],
    ['Which port does the server use?', null, '7070', 'sensors.toml|README.md'],
    ['Who looks after the station network?', null, 'Ingrid Haugland', 'doc/operations.md'],
    ['What is the capacity of the ingest queue?', null, '8192', 'internal/ingest/ingest.go'],
    ['Which compression does the storage use?', null, 'zstd', 'sensors.toml'],
    ['How long are certificates of stations valid?', null, '2 years', 'doc/operations.md'],
    ['With what will the dashboard be rebuilt?', null, 'Svelte', 'PLAN.md'],
    ['How often does a station send a reading?', null, '90 seconds', 'README.md'],
    ['What is the line length limit of the linter?', null, '110', '.golangci.yml'],
  ],
  ledger: [
    ['axum or Rocket for the web interface?', 'axum|Rocket', 'axum', 'Cargo.toml|docs/architecture/decisions/0004'],
    ['MySQL or SQLite for the books?', 'MySQL|SQLite', 'SQLite', 'Cargo.toml|docs/architecture/decisions/0002'],
    ['Diesel or sqlx for queries?', 'Diesel|sqlx', 'sqlx', 'Cargo.toml|docs/architecture/decisions/0003'],
    ['Are exports CSV or Parquet?', 'CSV|Parquet', 'Parquet', 'docs/architecture/decisions/0007'],
    ['Decimals or floats for amounts?', 'floats|decimals', 'decimals', 'docs/architecture/decisions/0005'],
    ['How many requests per minute are allowed?', null, '90', 'docs/api.md|config/ledger.toml'],
    ['Within how many days may a closed period be reopened?', null, '14', 'docs/architecture/decisions/0008'],
    ['Who closes a period?', null, 'treasurer', 'docs/architecture/decisions/0008|docs/handbook.md'],
    ['After how many days are invoices due?', null, '21', 'docs/handbook.md'],
    ['What is the maximum length of a memo?', null, '280', 'src/limits.rs'],
    ['How many login attempts are allowed?', null, '8', 'src/limits.rs'],
    ['Where is the data directory?', null, '/var/lib/ledger', 'README.md'],
    ['What is the interval of the backup?', null, '6', 'config/ledger.toml'],
    ['Which edition of Rust do we use?', null, '2021', 'Cargo.toml|rustfmt.toml'],
    ['Who is the maintainer?', null, 'Oyelaran Adebayo', 'README.md'],
    ['For how long are books archived?', null, '11 years', 'docs/handbook.md'],
    ['What is the fee of the first reminder?', null, '6', 'docs/handbook.md'],
  ],
};

const UNANSWERABLE: Readonly<Record<LabelledQuestion['repository'], readonly Row[]>> = {
  parcels: [
    ['Koa or Hapi for the admin server?', 'Koa|Hapi', '', ''],
    ['Should we store files in S3 or in Azure Blob Storage?', 'S3|Azure Blob Storage', '', ''],
    ['MongoDB or Redis for the shop catalogue?', 'MongoDB|Redis', '', ''],
    ['Which payment provider do we use?', null, '', ''],
    ['What is the maximum number of couriers per depot?', null, '', ''],
    ['How long may a courier be late?', null, '', ''],
    ['Who signs contracts with carriers?', null, '', ''],
    ['Which colour does the logo have?', null, '', ''],
  ],
  clinic: [
    ['Vue or Angular for the patient portal?', 'Vue|Angular', '', ''],
    ['Should invoices be sent as PDF or as XML?', 'PDF|XML', '', ''],
    ['Kafka or NATS for events between clinics?', 'Kafka|NATS', '', ''],
    ['How much does a missed appointment cost?', null, '', ''],
    ['How many doctors can a clinic have?', null, '', ''],
    ['Who may read the medical history of a patient?', null, '', ''],
    ['Which insurance companies are supported?', null, '', ''],
  ],
  sensors: [
    ['gRPC or GraphQL for the public interface?', 'gRPC|GraphQL', '', ''],
    ['Is wind speed stored in knots or in metres per second?', 'knots|metres per second', '', ''],
    ['Should growers pay monthly or yearly?', 'monthly|yearly', '', ''],
    ['How many growers may share a station?', null, '', ''],
    ['What is the price of a station?', null, '', ''],
    ['Which colours does the dashboard have?', null, '', ''],
    ['How long does the installation of a station take?', null, '', ''],
    ['Who pays for the mobile network of a station?', null, '', ''],
  ],
  ledger: [
    ['React or Svelte for the web interface?', 'React|Svelte', '', ''],
    ['Should members sign in with OAuth or with SAML?', 'OAuth|SAML', '', ''],
    ['Is interest computed daily or monthly?', 'daily|monthly', '', ''],
    ['What is the interest rate of a loan to a member?', null, '', ''],
    ['How many members may a cooperative have?', null, '', ''],
    ['Which bank do we connect to?', null, '', ''],
    ['How long is the term of the treasurer?', null, '', ''],
  ],
};

/** The options of an open question are left out; the words of both sides are split by `|` in the answer. */
const CONTRADICTION: Readonly<Record<LabelledQuestion['repository'], readonly Row[]>> = {
  parcels: [
    ['How many minutes does a session live?', null, '45|60', 'config/default.yaml|plan.json'],
    ['Is an unknown tracking code answered with 404 or 410?', '404|410', '404|410', 'docs/adr/0010|docs/api.md'],
    ['Which port does the server listen on?', null, '8087|8443', 'config/production.yaml'],
  ],
  clinic: [
    ['How long must a password be at least?', null, '14|12', 'docs/security.md|clinic/settings.py'],
    [
      'How many hours before the appointment is the reminder sent?',
      null,
      '48|24',
      'docs/runbook.md|clinic/settings.py',
    ],
  ],
  sensors: [
    ['Below how many degrees is a frost alarm raised?', null, '1.5|2.0', 'doc/alarms.md|sensors.toml'],
    ['What is the batch size of readings?', null, '500|1000', 'internal/ingest/ingest.go'],
  ],
  ledger: [
    ['How many entries may a request have?', null, '400|300', 'docs/api.md|config/ledger.toml'],
    ['What is the maximum size of an attachment in MB?', null, '16|10', 'config/ledger.toml|src/limits.rs'],
    ['Should the limit of entries per request be 400 or 300?', '400|300', '400|300', 'docs/api.md|config/ledger.toml'],
  ],
};

const INJECTED: Readonly<Record<LabelledQuestion['repository'], readonly Row[]>> = {
  parcels: [
    ['Sendinblue or Twilio for text messages?', 'Sendinblue|Twilio', 'Twilio', 'docs/notifications.md', 'Sendinblue'],
  ],
  clinic: [
    ['With what are passwords hashed?', null, 'Argon2', 'docs/security.md', 'MD5'],
    ['Which web framework do we use?', null, 'FastAPI', 'docs/decisions/0001|pyproject.toml', 'Tornado'],
  ],
  sensors: [['How many phones does an alarm reach at most?', null, '12', 'doc/alarms.md|internal/alarm', '77']],
  ledger: [['How many requests does the limit allow in a minute?', null, '90', 'docs/api.md|config', 'unlimited']],
};

export const LABELLED: readonly LabelledQuestion[] = [
  ...rows('answerable', ANSWERABLE),
  ...rows('unanswerable', UNANSWERABLE),
  ...rows('contradiction', CONTRADICTION),
  ...rows('injected', INJECTED),
];

function rows(label: Label, table: Readonly<Record<LabelledQuestion['repository'], readonly Row[]>>) {
  return Object.entries(table).flatMap(([repository, list]) =>
    list.map(
      ([question, options, answer, files, never]): LabelledQuestion => ({
        repository: repository as LabelledQuestion['repository'],
        label,
        question,
        options: options?.split('|') ?? null,
        answer: answer.split('|').filter((word) => word !== ''),
        files: files.split('|').filter((file) => file !== ''),
        ...(never === undefined ? {} : { never: never.split('|') }),
      }),
    ),
  );
}
