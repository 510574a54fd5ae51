import type { ToolAnswer } from '@ratchet/contracts/environment-tools'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { TrainerTool } from '@ratchet/contracts/trainer-tool'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { SecretUnreadable } from '@ratchet/service-kit/identity/secret-box'
import { type AnswerDeps, type Answered, answerCall, answerOf, refusedCall } from './answer-call.ts'
import type { ToolSettings } from './environment-tool.ts'
import type { ToolCallStore, UsedTool } from './tool-call-store.ts'
import type { FreezeWhere, RunCall, ToolCalls, ToolRun } from './tool-calls.ts'
import type { ToolStore } from './tool-store.ts'

export interface ToolCallDeps extends AnswerDeps {
  readonly tools: Pick<ToolStore, 'get'>
  readonly calls: ToolCallStore
}

/** Beyond the tries of a call: it may wait for its turn. */
const leaseSlackMs = 60_000
/** Most calls of names that are no tools, in one episode. */
const maxUnknownCalls = 50

export function createToolCalls(deps: ToolCallDeps): ToolCalls {
  const { calls } = deps
  return {
    async check(owner, toolIds, where) {
      await requireUsable(deps, owner, { toolIds, where })
    },
    async freeze(run, toolIds, where) {
      const ids = await requireUsable(deps, run, { toolIds, where })
      await calls.use(run, ids, where.use)
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
    async grade(run, { toolId, arguments: graded, ...grading }) {
      const id = uuidOf('environmentTool', toolId)
      const used = (await calls.used(run)).find((each) => each.use === 'reward' && each.toolId === id)
      const call = { ...grading, toolName: used?.settings.name ?? toolId, arguments: JSON.stringify(graded) }
      return once(deps, run, { ...call, tool: used ?? null })
    },
    counts: (run, since) => calls.counts(run, since),
  }
}

/** The tools that a model is offered. */
export function offeredTools(used: readonly UsedTool[]): readonly TrainerTool[] {
  return used.filter(({ use }) => use === 'tool').map(offeredOf)
}

function offeredOf({ settings: { name, description, parameters } }: UsedTool): TrainerTool {
  return { type: 'function', function: { name, description, parameters: { ...parameters } } }
}

interface Asked {
  readonly toolIds: readonly string[]
  readonly where: FreezeWhere
}

/** @returns the ids of the tools as UUIDs */
async function requireUsable(
  { tools }: Pick<ToolCallDeps, 'tools'>,
  { workspaceId }: Pick<ToolRun, 'workspaceId'>,
  { toolIds, where }: Asked,
): Promise<readonly string[]> {
  const ids: string[] = []
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
    ids.push(id)
  }
  return ids
}

function problemOf({ sideEffects, usableAs }: ToolSettings, { use }: FreezeWhere): string | null {
  if (sideEffects) return 'has side effects, which no run may have'
  return usableAs.includes(use) ? null : `is not usable as \`${use}\``
}

interface OnceCall extends RunCall {
  /** Null: the run has no such tool. */
  readonly tool: UsedTool | null
}

async function once(deps: ToolCallDeps, run: ToolRun, call: OnceCall): Promise<ToolAnswer> {
  const { callId, rolloutId, tool } = call
  const begun = await deps.calls.begin(run, {
    callId,
    rolloutId,
    toolId: tool?.toolId ?? null,
    maxCalls: tool?.settings.maxCallsPerRollout ?? maxUnknownCalls,
    leaseMs: leaseMsOf(tool),
    at: deps.now(),
  })
  if (begun.kind === 'known') return begun.answer
  if (begun.kind === 'busy') {
    const message = 'This call is under way. Repeat it.'
    throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1 })
  }
  const startedMs = performance.now()
  try {
    const answer = answerOf(begun.kind === 'over' ? tooMany(tool) : await made(deps, run, call))
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
