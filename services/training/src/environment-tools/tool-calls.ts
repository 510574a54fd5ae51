import type { ToolAnswer } from '@ratchet/contracts/environment-tools'
import type { ToolMiss } from '@ratchet/contracts/environment-tools-body'
import type { TrainerTool } from '@ratchet/contracts/trainer-tool'

/** A run that calls tools: a GRPO run, by its id. */
export interface ToolRun {
  readonly workspaceId: string
  /** UUID. */
  readonly runId: string
}

/** A call of a model in a run. */
export interface RunCall {
  /** The episode, in the words of the trainer. */
  readonly rolloutId: string
  /** The same in every repetition. */
  readonly callId: string
  readonly step: number
  readonly seed: number
  /** As the model wrote it. */
  readonly toolName: string
  /** JSON text, as the model wrote it. */
  readonly arguments: string
}

/** Counts of the calls of a run. */
export interface RunToolCounts {
  readonly calls: number
  /** Calls whose address failed: `timeout`, `unavailable`, `refused`, `invalid_answer`, `suspended`. */
  readonly failures: number
  /** Calls of recorded tools, and how many of them had a recording. */
  readonly recordedCalls: number
  readonly recordedHits: number
}

/** What a run does with tools. */
export interface ToolCalls {
  /**
   * Finds what is wrong with tools before a run exists.
   *
   * @returns the names of the tools, in the order of the ids
   * @throws ServiceError as {@link ToolCalls.freeze}
   */
  check(owner: Pick<ToolRun, 'workspaceId'>, toolIds: readonly string[], where: FreezeWhere): Promise<readonly string[]>
  /**
   * Keeps the present versions of tools for a run, until {@link ToolCalls.release}. A repetition changes nothing.
   *
   * @param toolIds public ids
   * @param param the field of the request that names them, for errors
   * @param use `reward`: only tools that grade
   * @returns the tools as the model is offered them, in the order of the ids
   * @throws ServiceError `not_found`; `invalid_request` for a tool with side effects, one of another use, or equal names
   */
  freeze(run: ToolRun, toolIds: readonly string[], where: FreezeWhere): Promise<readonly TrainerTool[]>
  /** The tools that a run was given as `tool`, in the form that the model is offered. */
  offered(run: ToolRun): Promise<readonly TrainerTool[]>
  /** Lets a run's tools be deleted. To be called when it has ended. */
  release(run: ToolRun): Promise<void>
  /**
   * Calls a tool once per `callId`; a repetition gets the same answer, also after a restart. Errors of the tool are answers.
   *
   * @throws ServiceError `service_unavailable` while another request with the same `callId` is under way
   */
  call(run: ToolRun, call: RunCall): Promise<ToolAnswer>
  /**
   * The reward that a tool gives an answer. A tool that the model has called in the episode may have said it there: then the last
   * one counts. Else it is asked, once per `callId`, as a call.
   *
   * @returns from 0 to 1; null when the tool refused or said none
   * @throws ServiceError `service_unavailable` while it cannot be reached, or another request with the same `callId` is under way
   */
  grade(run: ToolRun, grading: Grading): Promise<number | null>
  /** Asks a tool that grades, without a run. Nothing is kept. @returns and throws as {@link ToolCalls.grade} */
  tryGrade(owner: Pick<ToolRun, 'workspaceId'>, trial: GradeTrial): Promise<number | null>
  /** For {@link toolTrouble}: calls since a time. */
  counts(run: ToolRun, since: Date): Promise<RunToolCounts>
}

export interface FreezeWhere {
  readonly use: 'tool' | 'reward'
  readonly param: string
  /** What a call without a recording gets in this run; null or absent: what the tool says. */
  readonly onMiss?: ToolMiss | null
}

export interface GradeTrial {
  readonly callId: string
  /** Public id of the tool. */
  readonly toolId: string
  /** What is graded: `{messages, completion, reference}`. */
  readonly arguments: Readonly<Record<string, unknown>>
}

export interface Grading extends GradeTrial {
  readonly rolloutId: string
  readonly step: number
  readonly seed: number
}

/** Fewest calls of a run before its tools are found in trouble. */
const minCalls = 20
const maxFailedShare = 0.2
const minHitShare = 0.5

/**
 * Whether a run should pause because of its tools: more than a fifth of the calls failed, or less than half of those to
 * recorded tools had a recording.
 */
export function toolTrouble({ calls, failures, recordedCalls, recordedHits }: RunToolCounts): 'tool_misses' | null {
  const failsOften = calls >= minCalls && failures > maxFailedShare * calls
  const missesOften = recordedCalls >= minCalls && recordedHits < minHitShare * recordedCalls
  return failsOften || missesOften ? 'tool_misses' : null
}
