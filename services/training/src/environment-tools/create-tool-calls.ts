import type { ToolAnswer, ToolError } from '@ratchet/contracts/environment-tools'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { TrainerTool } from '@ratchet/contracts/trainer-tool'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { SecretUnreadable } from '@ratchet/service-kit/identity/secret-box'
import { type AnswerDeps, type Answered, answerCall, answerOf, refusedCall } from './answer-call.ts'
import type { StoredTool, ToolSettings } from './environment-tool.ts'
import type { RunToolLimits, ToolCallStore, UsedTool } from './tool-call-store.ts'
import type { FreezeWhere, Grading, RunCall, ToolCalls, ToolRun } from './tool-calls.ts'
import type { ToolStore } from './tool-store.ts'

export interface ToolCallDeps extends AnswerDeps {
  readonly tools: Pick<ToolStore, 'get'>
  readonly calls: ToolCallStore
}

/** Beyond the tries of a call: it may wait for its turn. */
const leaseSlackMs = 60_000
/** Most calls of names that are no tools, in one episode. */
const maxUnknownCalls = 50
/** Most calls of a run, and bytes of what they answered: the trainer names the episodes, so there may be any number of them. */
export const runToolLimits: RunToolLimits = { maxCalls: 2_000_000, maxBytes: 4 * 1_024 ** 3 }

export function createToolCalls(deps: ToolCallDeps): ToolCalls {
  const { calls } = deps
  return {
    async check(owner, toolIds, where) {
      const tools = await requireUsable(deps, owner, { toolIds, where })
      return tools.map(({ settings }) => settings.name)
    },
    async freeze(run, toolIds, where) {
      const tools = await requireUsable(deps, run, { toolIds, where })
      const ids = tools.map((tool) => tool.toolId)
      await calls.use(run, { toolIds: ids, use: where.use, onMiss: where.onMiss ?? null })
      const kept = (await calls.used(run)).filter(({ use }) => use === where.use)
      if (kept.length < ids.length) throw notFound('environment tool', where.param)
      return kept.map(offeredOf)
    },
    offered: async (run) => offeredTools(await calls.used(run)),
    release: (run) => calls.release(run),
    async call(run, call) {
      const used = (await calls.used(run)).find(
        ({ use, settings }) => use === 'tool' && settings.name === call.toolName,
      )
      return once(deps, run, { ...call, tool: used ?? null })
    },
    grade: (run, grading) => grade(deps, run, grading),
    async tryGrade({ workspaceId }, { callId, toolId, arguments: graded }) {
      const id = uuidOf('environmentTool', toolId)
      const tool = id === null ? null : await deps.tools.get({ workspaceId, id })
      if (tool === null) throw notFound('environment tool')
      const context = { callId, runId: null, rolloutId: null, step: null, seed: null }
      return rewardOf(await answerCall(deps, tool, JSON.stringify(graded), context))
    },
    counts: (run, since) => calls.counts(run, since),
  }
}

async function grade(deps: ToolCallDeps, run: ToolRun, grading: Grading): Promise<number | null> {
  const { toolId, arguments: graded, ...named } = grading
  const id = uuidOf('environmentTool', toolId)
  const used = (await deps.calls.used(run)).filter((each) => each.toolId === id)
  const tool = used.find(({ use }) => use === 'reward')
  if (tool === undefined) return null
  const isOffered = used.some(({ use }) => use === 'tool')
  const said = isOffered ? await deps.calls.lastReward(run, { rolloutId: named.rolloutId, toolId: tool.toolId }) : null
  if (said !== null) return said
  const call = { ...named, toolName: tool.settings.name, arguments: JSON.stringify(graded), tool }
  return rewardOf(await once(deps, run, { ...call, isGrading: true }))
}

/** Failures of an address that may pass. */
const passing: ReadonlySet<ToolError['code'] | null> = new Set(['timeout', 'unavailable', 'suspended'])

/** @throws ServiceError `service_unavailable` for a failure that may pass */
function rewardOf({ ok, reward, error }: Pick<ToolAnswer, 'ok' | 'reward' | 'error'>): number | null {
  if (passing.has(error?.code ?? null)) throw notGraded(error?.message ?? '')
  return ok ? reward : null
}

function notGraded(why: string): ServiceError {
  const message = `A tool of the reward does not answer at the moment: ${why} Retry.`
  return new ServiceError('service_unavailable', message, { retryAfterSeconds: 5 })
}

/** The tools that a model is offered. */
function offeredTools(used: readonly UsedTool[]): readonly TrainerTool[] {
  return used.filter(({ use }) => use === 'tool').map(offeredOf)
}

function offeredOf({ settings: { name, description, parameters } }: UsedTool): TrainerTool {
  return { type: 'function', function: { name, description, parameters: { ...parameters } } }
}

interface Asked {
  readonly toolIds: readonly string[]
  readonly where: FreezeWhere
}

/** @returns the tools, in the order of the ids */
async function requireUsable(
  { tools }: Pick<ToolCallDeps, 'tools'>,
  { workspaceId }: Pick<ToolRun, 'workspaceId'>,
  { toolIds, where }: Asked,
): Promise<readonly StoredTool[]> {
  const found: StoredTool[] = []
  const names = new Set<string>()
  for (const toolId of toolIds) {
    const id = uuidOf('environmentTool', toolId)
    const tool = id === null ? null : await tools.get({ workspaceId, id })
    if (id === null || tool === null) throw notFound('environment tool', where.param)
    const problem = problemOf(tool.settings, where) ?? (names.has(tool.settings.name) ? 'is named twice' : null)
    if (problem !== null) {
      const message = `The tool ${tool.settings.name} ${problem}.`
      throw new ServiceError('invalid_request', message, { param: where.param })
    }
    names.add(tool.settings.name)
    found.push(tool)
  }
  return found
}

function problemOf(settings: ToolSettings, { use, onMiss = null }: FreezeWhere): string | null {
  const { sideEffects, usableAs, http, recorded } = settings
  if (sideEffects) return 'has side effects, which no run may have'
  if (!usableAs.includes(use)) return `is not usable as \`${use}\``
  if (use === 'reward' && http === null) return 'has no address, so it cannot grade'
  const hasBlock = onMiss === null || onMiss === 'error' || settings[onMiss] !== null
  return recorded === null || hasBlock ? null : `has no \`${onMiss}\`, which \`onMiss\` needs`
}

interface OnceCall extends RunCall {
  /** Null: the run has no such tool. */
  readonly tool: UsedTool | null
  /** Asked by the fleet after the episode: no call of the model, and asked again after a failure that may pass. */
  readonly isGrading?: boolean
}

async function once(deps: ToolCallDeps, run: ToolRun, call: OnceCall): Promise<ToolAnswer> {
  const { callId, rolloutId, tool, isGrading = false } = call
  const begun = await deps.calls.begin(run, {
    callId,
    rolloutId,
    toolId: tool?.toolId ?? null,
    maxCalls: isGrading ? Number.MAX_SAFE_INTEGER : (tool?.settings.maxCallsPerRollout ?? maxUnknownCalls),
    ofRun: isGrading ? null : runToolLimits,
    isGrading,
    leaseMs: leaseMsOf(tool),
    at: deps.now(),
  })
  if (begun.kind === 'known') return begun.answer
  if (begun.kind === 'exhausted') {
    const message = 'The run has called its tools as often as it may, and may not call them again.'
    return answerOf(refusedCall('too_many_calls', message))
  }
  if (begun.kind === 'busy') {
    const message = 'This call is under way. Repeat it.'
    throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1 })
  }
  const startedMs = performance.now()
  try {
    const answer = answerOf(begun.kind === 'over' ? tooMany(tool) : await made(deps, run, call))
    if (isGrading && passing.has(answer.error?.code ?? null)) throw notGraded(answer.error?.message ?? '')
    return await deps.calls.end(run, { callId, answer, durationMs: performance.now() - startedMs })
  } catch (error) {
    await deps.calls.giveUp(run, callId).catch(() => undefined)
    throw unreadableAsUnavailable(error)
  }
}

function leaseMsOf(tool: UsedTool | null): number {
  const http = tool?.settings.http ?? null
  return leaseSlackMs + (http === null ? 0 : http.timeoutMs * (http.retries + 1))
}

function tooMany(tool: UsedTool | null): Answered {
  const most = tool?.settings.maxCallsPerRollout ?? maxUnknownCalls
  return refusedCall('too_many_calls', `The tool was called ${most} times already, and may not be called again.`)
}

async function made(deps: ToolCallDeps, { runId }: ToolRun, call: OnceCall): Promise<Answered> {
  const { tool, callId, rolloutId, step, seed } = call
  if (tool === null) {
    return refusedCall('invalid_arguments', `There is no tool ${JSON.stringify(call.toolName.slice(0, 100))}.`)
  }
  return answerCall(deps, tool, call.arguments, { callId, runId, rolloutId, step, seed })
}

/** An operator can configure the key again. */
export function unreadableAsUnavailable(error: unknown): unknown {
  if (!(error instanceof SecretUnreadable)) return error
  const message = 'The secrets of this tool cannot be read. Set them again, or ask the operator.'
  return new ServiceError('service_unavailable', message, { retryAfterSeconds: 30, cause: error })
}
