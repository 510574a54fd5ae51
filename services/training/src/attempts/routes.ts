import type { GrpoSpec } from '@ratchet/contracts/grpo-spec'
import { type TrainerCall, trainerCalls } from '@ratchet/contracts/trainer-protocol'
import { toolsCall } from '@ratchet/contracts/trainer-tools'
import { readJson } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Request, Router } from 'express'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { ToolCalls } from '../environment-tools/tool-calls.ts'
import { type Attempt, AttemptSettings, type AttemptStore } from './attempt.ts'
import { beginCheckpoint } from './begin-checkpoint.ts'
import { type CompleteDeps, completeCheckpoint } from './complete-checkpoint.ts'
import { countData, isCovered } from './count-data.ts'
import { endsAtMaximum } from './ends-at-maximum.ts'
import type { AttemptId, JobTokens } from './job-token.ts'
import { superseded, TrainerRefusal } from './trainer-refusal.ts'
import { type SpecDeps, trainerSpec } from './trainer-spec-of.ts'

export interface AttemptRouteDeps extends Pick<SpecDeps, 'limits' | 'jobIdOf'>, Pick<CompleteDeps, 'artifactRows'> {
  readonly attempts: AttemptStore
  readonly artifacts: ArtifactStore
  readonly tokens: JobTokens
  /** The spec of an attempt of a GRPO run. */
  readonly runSpec: (attempt: Attempt) => Promise<GrpoSpec>
  readonly toolCalls: Pick<ToolCalls, 'call'>
  readonly newId: () => string
  readonly now: () => Date
  readonly logger: Logger
}

/** Serves trainers. The token of a call says for which attempt it is; no other identity is asked for. */
export function attemptRoutes(router: Router, deps: AttemptRouteDeps): void {
  const { attempts, newId, logger, limits } = deps
  const on = createMount(router, deps.tokens)

  async function running(id: AttemptId): Promise<Attempt> {
    const attempt = await attempts.find(id)
    if (attempt === null) throw superseded()
    return attempt
  }

  on(trainerCalls.spec, async (id) => {
    const attempt = await running(id)
    const { method } = attempt
    return method === 'grpo' ? await deps.runSpec(attempt) : await trainerSpec(deps, { ...attempt, method })
  })
  on(trainerCalls.heartbeat, async (id, { step, phase, epoch, code_version: codeVersion }) => {
    const reply = await attempts.heartbeat(id, { step, phase, epoch, codeVersion }, limits.lease_seconds * 1_000)
    if (reply === null) throw superseded()
    return { command: reply.command, lease_until: reply.leaseUntil.toISOString(), token: null }
  })
  on(trainerCalls.events, async (id, { from_seq: fromSeq, items }) => {
    for (const item of items) if (item.type === 'log') logger.debug({ ...id, line: item.line }, 'trainer')
    const ids = items.map(() => newId())
    const next = await attempts.addEvents(id, { fromSeq, items, idOf: (index) => ids[index] ?? newId() })
    if (next === null) throw superseded()
    return { next_seq: next }
  })
  on(trainerCalls.data, async (id, data) => {
    const job = await attempts.changeData(id, (present) => countData(present, data))
    if (job === null) throw superseded()
    return { covered: isCovered(job), plan: AttemptSettings.shape.plan.parse(job.settings.plan) }
  })
  on(trainerCalls.beginCheckpoint, async (id, body) => beginCheckpoint(deps, await running(id), body))
  on(
    trainerCalls.commitCheckpoint,
    async (id, { step, trained_tokens: trainedTokens, served_as: servedAs, ...said }) => {
      const attempt = await running(id)
      const begun = await attempts.findCheckpoint(id, step)
      requireOwnModel(attempt, servedAs)
      if (begun === null) throw new ServiceError('invalid_request', 'Begin the checkpoint first.', { param: 'step' })
      const completed = await completeCheckpoint(deps, { attempt, begun }, { ...said, trainedTokens, servedAs })
      switch (completed.kind) {
        case 'superseded':
          throw superseded()
        case 'incomplete':
          throw new TrainerRefusal('checkpoint_incomplete', 'Upload these files again.', { files: completed.files })
        case 'invalid':
          throw new TrainerRefusal('invalid_artifact', 'These files may not be stored.', { files: completed.files })
        default: {
          const { at, trainedTokens: charged, isLast } = completed
          return { step, durable_at: at.toISOString(), trained_tokens: charged, stop: isLast }
        }
      }
    },
  )
  on(trainerCalls.fingerprint, async (id, body) => {
    await requireDurable(attempts, id, body.step)
    if (!(await attempts.setFingerprint(id, body))) throw superseded()
    return { stored: true as const }
  })
  on(trainerCalls.result, async (id, body) => {
    await requireDurable(attempts, id, body.step)
    const result = { ...body, stopped_early: body.stopped_early ?? maxCostOf(await running(id)) }
    return accepted(await attempts.end(id, { exit: 'succeeded', result }))
  })
  on(trainerCalls.failure, async (id, body) => accepted(await attempts.end(id, { exit: 'failed', ...body })))
  on(toolsCall, async (id, { rollout, call_id: callId, step, tool: toolName, arguments: text }) => {
    const { workspaceId, seed } = requireRun(await running(id))
    const call = { rolloutId: rollout, callId, step, seed, toolName, arguments: text }
    return deps.toolCalls.call({ workspaceId, runId: id.jobId }, call)
  })
  on(trainerCalls.stopped, async (id) => accepted(await attempts.end(id, { exit: 'stopped' })))
}

/** What tools answer is stored, and only runs have a maximum of it. */
function requireRun(attempt: Attempt): Attempt {
  if (attempt.method === 'grpo') return attempt
  throw new ServiceError('invalid_request', 'Only runs call tools.', { param: 'tool' })
}

/** Why a job that no trainer stopped early ends before its last step. */
function maxCostOf(attempt: Attempt): 'max_cost' | null {
  return attempt.durable !== null && endsAtMaximum(attempt, attempt.durable) ? 'max_cost' : null
}

function accepted(isEnded: boolean): { readonly accepted: true } {
  if (!isEnded) throw superseded()
  return { accepted: true }
}

/** A trainer names a model that it serves itself: requests to the version reach that model at the price of the base. */
function requireOwnModel({ trainer }: Attempt, servedAs: string | null): void {
  if (servedAs === null || servedAs.startsWith(`${trainer}/`)) return
  const message = 'A trainer may only name models that it serves itself.'
  throw new ServiceError('invalid_request', message, { param: 'served_as' })
}

async function requireDurable(attempts: AttemptStore, id: AttemptId, step: number): Promise<void> {
  const checkpoint = await attempts.findCheckpoint(id, step)
  if (checkpoint !== null && checkpoint.durableAt !== null) return
  if ((await attempts.find(id)) === null) throw superseded()
  throw new ServiceError('invalid_request', 'No durable checkpoint has this step.', { param: 'step' })
}

type Handle<C extends TrainerCall> = (id: AttemptId, body: z.output<C['body']>) => Promise<z.input<C['reply']>>

function createMount(router: Router, tokens: JobTokens) {
  return <C extends TrainerCall>(call: C, handle: Handle<C>): void => {
    router[call.method](call.path, async (request, response) => {
      request.routeName = call.path
      try {
        const attempt = attemptOf(tokens, request)
        request.bodyOwner = attempt.jobId
        const sent = call.method === 'get' ? {} : await readJson(request, response, call.maxBodyBytes)
        const body = parseInput<C['body']>(call.body, sent)
        response.json(call.reply.parse(await handle(attempt, body)))
      } catch (error) {
        if (!(error instanceof TrainerRefusal)) throw error
        response.status(error.status).json(error.envelope(request.id))
      }
    })
  }
}

/** The attempt of a call's token. @throws TrainerRefusal without a valid one */
export function attemptOf(tokens: JobTokens, request: Request): AttemptId {
  const [, token = ''] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? []
  const attempt = tokens.verify(token)
  if (attempt === null) throw new TrainerRefusal('invalid_job_token', 'The job token is missing or not valid.')
  return attempt
}
