/**
 * `bosun schedule PLAN`: the schedule of a plan, without running any of it. Data goes to `out`, messages to `err`; the
 * caller owns the streams and the process.
 */
import { resolve } from 'node:path';
import { checkAgents, type Plan } from '../../machines/coordination/plan/plan.ts';
import { schedule, type Schedule } from '../../machines/coordination/plan/schedule.ts';
import { carriedOut, type ExitCode } from '../exit-codes.ts';
import { ganttSvg, ganttText, summaryOf } from './gantt.ts';
import { writeOutput } from '../output-file.ts';
import { type AgentModule } from '../files/agents-module.ts';
import { chosenPlan, type PlanSource, readPlanFile } from '../files/plan-file.ts';
import { tableText } from '../table.ts';
import { type Output } from '../surroundings.ts';

export interface ScheduleCommand {
  /** The plan file. */
  readonly file: string;
  /** The working directory, an absolute path, against which relative paths are resolved. */
  readonly cwd: string;
  /** Whether to print one JSON object and nothing else. */
  readonly json?: boolean;
  /** Output file of the chart. */
  readonly svg?: string | undefined;
  readonly out: Output;
  readonly err: Output;
  /** Width of the terminal in characters. */
  readonly width?: number;
  /** Whether to colour the chart. */
  readonly colour?: boolean;
  /**
   * Loads the agents of a plan, so that unknown ones are reported, and agents are chosen. Without it the plan is shown
   * as it is written.
   */
  readonly agentsOf?: (source: PlanSource) => Promise<AgentModule>;
}

/** Resolves to the exit code: 0, or 2 for invalid input after one line on `err`. Rejects only for internal errors. */
export function scheduleCommand(command: ScheduleCommand): Promise<ExitCode> {
  const { json = false, svg, out, err, width = 100, colour = false } = command;
  return carriedOut({ err, json }, async () => {
    const plan = await readPlan(command);
    const result = schedule(plan);
    if (svg !== undefined) await write(svg, ganttSvg(result, plan), command);
    out.write(json ? `${JSON.stringify(result)}\n` : report(result, plan, { width, colour }));
  });
}

async function readPlan({ file, cwd, agentsOf }: ScheduleCommand): Promise<Plan> {
  const source = await readPlanFile({ file, cwd });
  if (source.agents === null || agentsOf === undefined) return source.plan;
  const agents = await agentsOf(source);
  const plan = chosenPlan(source, agents);
  const problems = checkAgents(plan, [...agents.keys()]);
  if (problems.length > 0) throw source.refuse(problems);
  return plan;
}

async function write(file: string, text: string, { cwd, err }: ScheduleCommand): Promise<void> {
  await writeOutput(resolve(cwd, file), text);
  err.write(`chart written to ${file}\n`);
}

function report(result: Schedule, plan: Plan, style: { width: number; colour: boolean }): string {
  const path = `critical path (◆): ${result.criticalPath.join(' -> ')}`;
  return [`${plan.name}: ${summaryOf(result, plan)}`, path, '', table(result), ganttText(result, plan, style)].join(
    '\n',
  );
}

/** One line per task, in the order in which tasks start. */
function table({ tasks }: Schedule): string {
  const rows = tasks.map(({ task, agent, start, end, critical }) => [
    critical ? '◆' : '',
    task,
    agent,
    String(start),
    String(end),
  ]);
  return tableText([['', 'task', 'agent', 'start', 'end'], ...rows], { numbersFrom: 3 });
}
