import {
  type FineTuningCheckpoint,
  listFineTuningCheckpoints,
  listFineTuningEvents,
  listFineTuningMetrics,
} from '@ratchet/contracts/fine-tuning-progress'
import { type IdKind, publicId, uuidOf } from '@ratchet/contracts/public-id'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { type Waiters, waitersName } from '@ratchet/service-kit/http/prefer-wait'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { writePieces } from '@ratchet/service-kit/http/write-pieces'
import { pauseUnlessAborted } from '@ratchet/service-kit/timing/pause-unless-aborted'
import type { Request, Response, Router } from 'express'
import { eventReply, followEvents } from './event-stream.ts'
import { isFinal, type TrainingJob } from './job.ts'
import { secondsOf } from './job-reply.ts'
import type { JobStore } from './job-store.ts'
import type { JobCheckpoint, ProgressStore } from './progress-store.ts'
import { requireJob } from './require-job.ts'
import { thinMetrics, withNames } from './thin-metrics.ts'

export interface ProgressRouteDeps {
  readonly jobs: Pick<JobStore, 'get'>
  readonly progress: Omit<ProgressStore, 'addEvent'>
  /** Milliseconds between two reads of a stream. */
  readonly followEveryMs: number
}

const eventsAtOnce = 200
/** Steps out of which those are chosen that a client asks for. */
const maxStepsRead = 10_000

export function progressRoutes(router: Router, deps: ProgressRouteDeps): void {
  const { jobs, progress } = deps
  mountRaw(router, listFineTuningEvents, async ({ params, query, identity, request }, response) => {
    const job = await requireJob(jobs, identity, params.id)
    const of = { workspaceId: job.workspaceId, jobId: job.id }
    const isStream = request.get('accept')?.includes('text/event-stream') === true
    const after = query.after ?? (isStream ? request.get('last-event-id') : undefined)
    const place = await idPlace(after, 'fineTuningEvent', (id) => progress.placeOf(of, id))
    if (isStream) return stream(deps, { job, from: place ?? 0, request, response })
    const found = await progress.eventsBefore(of, place, query.limit + 1)
    const data = found.slice(0, query.limit).map(eventReply)
    const reply = { object: 'list', data, has_more: found.length > query.limit }
    return response.json(listFineTuningEvents.reply.parse(reply))
  })
  mount(router, listFineTuningCheckpoints, async ({ params, query: { limit, after }, identity }) => {
    const job = await requireJob(jobs, identity, params.id)
    const of = { workspaceId: job.workspaceId, jobId: job.id }
    const step = await idPlace(after, 'fineTuningCheckpoint', (id) => progress.stepOf(of, id))
    const found = await progress.checkpoints(of, step, limit + 1)
    const data = found.slice(0, limit).map((checkpoint) => checkpointReply(job, checkpoint))
    const ids = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
    return { object: 'list' as const, data, ...ids, has_more: found.length > limit }
  })
  mount(router, listFineTuningMetrics, async ({ params, query: { names, from_step, points }, identity }) => {
    const job = await requireJob(jobs, identity, params.id)
    const asked = names?.split(',').map((name) => name.trim())
    const range = { fromStep: from_step, names: asked ?? null, limit: maxStepsRead }
    const all = await progress.metrics({ workspaceId: job.workspaceId, jobId: job.id }, range)
    const named = asked === undefined ? all : withNames(all, asked)
    const data = thinMetrics(named, points, asked?.[0])
    return {
      object: 'list' as const,
      data: data.map(({ step, at, values }) => ({ step, at: at.toISOString(), values: { ...values } })),
    }
  })
}

/** The place of what `after` names; null without it. @throws ServiceError `not_found` */
async function idPlace(
  after: string | undefined,
  kind: IdKind,
  find: (uuid: string) => Promise<number | null>,
): Promise<number | null> {
  if (after === undefined) return null
  const uuid = uuidOf(kind, after)
  const place = uuid === null ? null : await find(uuid)
  if (place === null) throw notFound(kind === 'fineTuningEvent' ? 'event' : 'checkpoint', 'after')
  return place
}

interface Streaming {
  readonly job: TrainingJob
  readonly from: number
  readonly request: Request
  readonly response: Response
}

async function stream(
  { jobs, progress, followEveryMs }: ProgressRouteDeps,
  { job, from, request, response }: Streaming,
): Promise<void> {
  const { id, workspaceId } = job
  const waiters = request.app.locals[waitersName] as Waiters
  const leave = waiters.enter(workspaceId)
  if (leave === null) {
    const message = 'Too many streams of this workspace are open. Read the list instead, or close some.'
    throw new ServiceError('rate_limit_exceeded', message, { retryAfterSeconds: 5 })
  }
  const left = new AbortController()
  response.once('close', () => left.abort())
  const signal = AbortSignal.any([left.signal, waiters.stopping])
  response.set({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  const frames = followEvents(
    {
      readAfter: (seq) => progress.eventsAfter({ workspaceId, jobId: id }, seq, eventsAtOnce),
      async readEnd() {
        const present = await jobs.get({ workspaceId, id })
        return present === null || isFinal(present) ? (present?.status ?? 'gone') : null
      },
      pause: () => pauseUnlessAborted(followEveryMs, signal),
      isOver: () => signal.aborted,
    },
    from,
  )
  try {
    await writePieces(response, 'text/event-stream; charset=utf-8', frames)
  } finally {
    leave()
  }
}

function checkpointReply(job: TrainingJob, checkpoint: JobCheckpoint): FineTuningCheckpoint {
  const { id, step, metrics, trainedTokens, versionName, sha256, bytes, durableAt } = checkpoint
  return {
    object: 'fine_tuning.job.checkpoint',
    id: publicId('fineTuningCheckpoint', id),
    created_at: secondsOf(durableAt),
    step_number: step,
    fine_tuned_model_checkpoint: versionName,
    model_version_id: versionName === null ? null : publicId('modelVersion', id),
    fine_tuning_job_id: publicId('fineTuningJob', job.id),
    metrics: { step, ...metrics },
    trained_tokens: trainedTokens,
    sha256,
    size_bytes: bytes,
  }
}
