import { grpoCalls } from '@ratchet/contracts/grpo-protocol'
import { trainerCalls, trainerErrors } from '@ratchet/contracts/trainer-protocol'
import { toolsCall } from '@ratchet/contracts/trainer-tools'
import { answerGrpo, answerTool, findGrpoCall } from './grpo-steps.ts'
import { type Given, missingFiles, type ProtocolJob, specOf } from './protocol-job.ts'

export interface Answer {
  readonly status: number
  readonly body: unknown
}

interface Call {
  readonly job: ProtocolJob
  readonly given: Given
  /** The attempt that calls, by its token. */
  readonly generation: number
  readonly body: unknown
  readonly fileUrl: (sha256: string) => string
  readonly now: Date
}

type CallName = keyof typeof trainerCalls

export function refuse(status: number, code: string, message: string, details: unknown = {}): Answer {
  return { status, body: { error: { code, message, type: 'invalid_request_error', param: null, details } } }
}

/** Answers a call of the protocol. Its body and its answer are checked against the contract. */
export function answerCall(method: string, path: string, call: Call): Answer {
  const found = Object.entries(trainerCalls).find(
    ([, each]) => each.path === path && each.method === method.toLowerCase(),
  )
  const step = findGrpoCall(method, path)
  if (found === undefined && step === null && path !== toolsCall.path)
    return refuse(404, 'unknown_url', `${method} ${path}`)
  if (call.job.supersedeAt === path) {
    call.job.generation += 1
    call.job.supersedeAt = null
  }
  if (call.generation !== call.job.generation) {
    return refuse(trainerErrors.attempt_superseded.status, 'attempt_superseded', 'The job goes on in another attempt.')
  }
  if (step !== null) return answerStep(step, call)
  if (path === toolsCall.path) return callTool(call)
  const [name, { body, reply }] = found as NonNullable<typeof found>
  const parsed = body.safeParse(call.body ?? {})
  if (!parsed.success) return refuse(400, 'invalid_request', parsed.error.message)
  const answer = handlers[name as CallName](call, parsed.data)
  if (answer.status !== 200) return answer
  return { status: 200, body: reply.parse(answer.body) }
}

function answerStep({ name, step }: NonNullable<ReturnType<typeof findGrpoCall>>, call: Call): Answer {
  const { job, given, generation } = call
  if (given.kind !== 'grpo') return refuse(400, 'invalid_request', 'This job has no steps.')
  const { body, reply } = grpoCalls[name]
  const parsed = body.safeParse(call.body ?? {})
  if (!parsed.success) return refuse(400, 'invalid_request', parsed.error.message)
  const answer = answerGrpo(name, { run: job.run, given, generation, step, body: parsed.data })
  return { status: 200, body: reply.parse(answer) }
}

function callTool({ job, given, body }: Call): Answer {
  if (given.kind !== 'grpo') return refuse(400, 'invalid_request', 'This job has no tools.')
  const parsed = toolsCall.body.safeParse(body)
  if (!parsed.success) return refuse(400, 'invalid_request', parsed.error.message)
  return { status: 200, body: toolsCall.reply.parse(answerTool({ run: job.run, given }, parsed.data)) }
}

const stored: Answer = { status: 200, body: { stored: true } }
const accepted: Answer = { status: 200, body: { accepted: true } }

// biome-ignore lint/suspicious/noExplicitAny: each body has just been parsed by the schema of its call.
const handlers: Readonly<Record<CallName, (call: Call, body: any) => Answer>> = {
  spec: ({ job, given, generation, fileUrl }) => ({ status: 200, body: specOf(job, given, { generation, fileUrl }) }),
  heartbeat({ job, now }, body) {
    job.heartbeats.push({ step: body.step, phase: body.phase })
    if (job.planted !== null && body.step >= job.planted.step) {
      job.command = job.planted.command
      job.planted = null
    }
    const leaseUntil = new Date(now.getTime() + 60_000).toISOString()
    return { status: 200, body: { command: job.command, lease_until: leaseUntil, token: null } }
  },
  events({ job, generation }, body) {
    body.items.forEach((item: never, index: number) => {
      job.events.set(`${generation}/${body.from_seq + index}`, item)
    })
    return { status: 200, body: { next_seq: body.from_seq + body.items.length } }
  },
  data({ job, given }, body) {
    job.data.push(body)
    const covered = job.uncoveredTimes === 0
    if (!covered) job.uncoveredTimes -= 1
    return { status: 200, body: { covered, plan: given.plan } }
  },
  beginCheckpoint({ job, generation, fileUrl, now }, body) {
    job.begun.set(`${generation}/${body.step}`, body.files)
    const uploads = body.files.map(({ name, sha256 }: { name: string; sha256: string }) => ({
      name,
      url: job.store.has(sha256) ? null : fileUrl(sha256),
      headers: { 'content-type': 'application/octet-stream' },
    }))
    const expiresAt = new Date(now.getTime() + 3_600_000).toISOString()
    return { status: 200, body: { step: body.step, uploads, expires_at: expiresAt } }
  },
  commitCheckpoint({ job, given, generation, now }, body) {
    const files = job.begun.get(`${generation}/${body.step}`)
    if (files === undefined) return refuse(400, 'invalid_request', 'No checkpoint of this step was begun.')
    const missing = missingFiles(job, files)
    if (missing.length > 0) return refuse(409, 'checkpoint_incomplete', 'Files are missing.', { files: missing })
    const { step, metrics } = body
    const most = given.kind === 'grpo' ? 0 : given.plan.total_tokens
    const trainedTokens = Math.min(body.trained_tokens, most)
    job.durable.set(step, { files, metrics, generation, trained_tokens: trainedTokens })
    if (job.command === 'checkpoint') job.command = 'continue'
    const stop = job.stopAtStep !== null && step >= job.stopAtStep
    return { status: 200, body: { step, durable_at: now.toISOString(), trained_tokens: trainedTokens, stop } }
  },
  fingerprint({ job }, body) {
    job.fingerprints.set(body.step, body)
    return stored
  },
  result({ job }, body) {
    if (!job.durable.has(body.step))
      return refuse(400, 'invalid_request', 'There is no durable checkpoint of this step.')
    job.results.push(body)
    return accepted
  },
  failure({ job }, body) {
    job.failures.push(body)
    return accepted
  },
  stopped({ job }, body) {
    job.stops.push(body)
    return accepted
  },
}
