/**
 * The delivery organisation for a system: agents for createSystem, and children of a root Boss. The ticket desk and the
 * answer desk have to be children, too: people decide where nothing else does.
 */
import { type AnyAgent } from '../../actors/model/agent.ts';
import { WORK_DESKS } from '../work/system-ids.ts';
import { coderAgent } from './tasks/coder.ts';
import { type DeliveryPorts } from './delivery-ports.ts';
import { dashboard } from './organisation/dashboard.ts';
import { organisation } from './organisation/organisation.ts';
import { PLAN_BUILDER, planBuilder } from './plans/builder.ts';
import { planReviewer } from './plans/reviewer.ts';
import { type RaciRow } from './organisation/raci.ts';
import { critic } from './oversight/critic.ts';
import { overseer } from './oversight/overseer.ts';
import { type OversightSettings } from './oversight/oversight-rules.ts';
import { DELIVERY_DESKS } from './system-ids.ts';
import { decompositionWork } from './teams/decomposition-work.ts';
import { planningWork } from './teams/planning-work.ts';
import { teamAgent } from './teams/team.ts';
import { verificationWork } from './teams/verification-work.ts';
import { orchestrator } from './tasks/orchestrator.ts';
import { type OrchestratorInput, PLACES } from './tasks/orchestrator-state.ts';
import { DELIVERY_TASK, deliveryTaskAgent } from './tasks/task.ts';
import { type CommunicationSettings } from './upkeep/communication-rules.ts';
import { type UpkeepSettings } from './upkeep/junk-rules.ts';
import { type ResearchSettings } from './upkeep/research-rules.ts';
import { researchPort, researchWork } from './upkeep/researcher.ts';
import { communicationPort, communicationWork } from './upkeep/scraper.ts';
import { updater } from './upkeep/updater.ts';

/** The options of a delivery organisation. */
export interface DeliveryOptions extends OrchestratorInput {
  /** Functions of the host. docs/delivery.md says what happens without each of them. */
  readonly ports?: Partial<DeliveryPorts>;
  /** The table of responsibilities. Default: that of the package. */
  readonly raci?: readonly RaciRow[];
  /** How the overseer judges (docs/delivery.md). */
  readonly oversight?: OversightSettings;
  /** Bounds of research, of the check of communication, and how the Updater cleans up (docs/delivery.md). */
  readonly research?: ResearchSettings;
  readonly communication?: CommunicationSettings;
  readonly upkeep?: UpkeepSettings;
  /** Coding sessions of the host, with the port `code`. Default: as many as there are places. */
  readonly coders?: number;
}

/** The agents of the delivery organisation for createSystem, together with {@link deliveryChildren}. */
export function deliveryAgents(ports: Partial<DeliveryPorts> = {}): readonly AnyAgent[] {
  const { estimate, decompose, verify, changedAt, scan, documents, openPoints, code } = ports;
  const looks = [changedAt, documents, openPoints].some((port) => port !== undefined);
  return [
    ...[organisation, dashboard, orchestrator, deliveryTaskAgent(changedAt)],
    ...[overseer, critic, updater, planReviewer, planBuilder(scan)],
    teamAgent(planningWork(estimate !== undefined), estimate),
    teamAgent(decompositionWork, decompose),
    teamAgent(verificationWork, verify),
    teamAgent(researchWork(ports), researchPort(ports)),
    teamAgent(communicationWork, looks ? communicationPort(ports) : undefined),
    ...(code === undefined ? [] : [coderAgent(code)]),
  ];
}

/** Restart intensity of the Boss of tasks: so high that one task does not end the others. */
const INTENSITY = 100;

/** A Boss of many actors of one agent. */
function many(systemId: string, agent: string, id = systemId) {
  const template = { agent, restart: 'transient' as const };
  return { id, systemId, boss: { strategy: 'dynamic' as const, template, intensity: INTENSITY } };
}

/** The Boss of the delivery organisation, which restarts what fails (MX-016), with its children. */
export function deliveryChildren(options: DeliveryOptions = {}) {
  const { ports, raci, coders, oversight = {}, research, communication, upkeep = {}, ...settings } = options;
  const ids = DELIVERY_DESKS;
  const child = (id: string, agent = `${id}-team`, input = {}) => ({ id, systemId: id, agent, input });
  const length = ports?.code === undefined ? 0 : (coders ?? settings.places ?? PLACES);
  const names = Array.from({ length }, (_, at) => `session-${at + 1}`);
  const children = [
    child(ids.organisation, organisation.name, raci && { raci }),
    child(ids.dashboard, dashboard.name),
    many(ids.deliveryTasks, DELIVERY_TASK, 'tasks'),
    many(ids.reviewers, planReviewer.name),
    many(ids.builders, PLAN_BUILDER),
    child(WORK_DESKS.orchestrator, orchestrator.name, settings),
    child(ids.overseer, overseer.name, oversight),
    child(ids.critic, critic.name),
    child(ids.researcher, undefined, research),
    child(ids.scraper, undefined, communication),
    child(ids.updater, updater.name, upkeep),
    ...[ids.planning, ids.decomposition, ids.verification].map((id) => child(id)),
    ...names.map((name) => ({ id: name, agent: 'coder', input: { name } })),
  ];
  return [{ id: ids.delivery, systemId: ids.delivery, boss: { children } }];
}
